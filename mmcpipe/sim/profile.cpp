#include "mmcpipe/sim/profile.h"

#include <fmt/format.h>
#define TOML_EXCEPTIONS 1
#include <algorithm>
#include <charconv>
#include <toml++/toml.h>

namespace mmcpipe::sim {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

namespace {

constexpr std::array<Unit, 5> time_units{
    {{"ps", 1}, {"ns", 1'000}, {"us", 1'000'000}, {"ms", 1'000'000'000}, {"s", 1'000'000'000'000}}};
constexpr std::array<Unit, 4> byte_units{{{"B", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}}};
constexpr std::array<Unit, 3> hertz_units{{{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}}};
constexpr std::array<Unit, 1> no_unit{{{"", 1}}};

constexpr std::array<std::string_view, 5> origins{"datasheet", "derived", "fitted", "unexplained", "given"};

std::string one_of(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
    return text;
}

std::string in_units(std::uint64_t value, std::span<const Unit> units) {
    const Unit* best = &units.front();
    for (const Unit& unit : units) {
        if (value % unit.factor == 0 && value != 0) best = &unit;
    }
    return fmt::format("{}{}", value / best->factor, best->name);
}

std::string range(std::uint64_t least, std::uint64_t most, std::span<const Unit> units) {
    return fmt::format("{} to {}", in_units(least, units), in_units(most, units));
}

std::string value_of(const toml::node& node, const std::string& where, std::string_view key) {
    if (const auto text = node.value<std::string>()) return *text;
    throw ProfileError(fmt::format("{}: {}: expected a string, with its unit if it has one", where, key));
}

} // namespace

std::string_view name(Origin origin) { return origins[static_cast<std::size_t>(origin)]; }

Profile Profile::read(const std::filesystem::path& file, std::string_view table) {
    Profile profile;
    profile.table_ = table;
    profile.file_ = file;
    toml::table document;
    try {
        document = toml::parse_file(file.string());
    } catch (const toml::parse_error& error) {
        if (error.source().begin.line == 0) throw ProfileError(fmt::format("{}: cannot be read", file.string()));
        throw ProfileError(fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
    }
    for (const auto& [key, node] : document) {
        if (key.str() == table && node.is_table()) continue;
        throw ProfileError(fmt::format("{}:{}: {}: expected only the table [{}]", file.string(),
                                       node.source().begin.line, key.str(), table));
    }
    const toml::table* content = document[table].as_table();
    if (content == nullptr) throw ProfileError(fmt::format("{}: no table [{}]", file.string(), table));

    for (const auto& [key, node] : *content) {
        Entry entry;
        entry.key = key.str();
        entry.where = fmt::format("{}:{}", file.string(), node.source().begin.line);
        if (const toml::table* detail = node.as_table()) {
            for (const auto& [word, inner] : *detail) {
                const std::string text = value_of(inner, entry.where, fmt::format("{}.{}", entry.key, word.str()));
                if (word.str() == "value") {
                    entry.value = text;
                } else if (word.str() == "note") {
                    entry.note = text;
                } else if (word.str() == "origin") {
                    const auto found = std::ranges::find(origins, text);
                    if (found == origins.end()) {
                        throw ProfileError(fmt::format("{}: {}: origin is \"{}\", allowed are {}", entry.where,
                                                       entry.key, text, one_of(origins)));
                    }
                    entry.origin = static_cast<Origin>(found - origins.begin());
                } else {
                    throw ProfileError(fmt::format("{}: {}: found \"{}\", allowed are value, origin, note", entry.where,
                                                   entry.key, word.str()));
                }
            }
        } else {
            entry.value = value_of(node, entry.where, entry.key);
        }
        profile.entries_.push_back(std::move(entry));
    }
    std::ranges::sort(profile.entries_, {}, &Entry::key);
    return profile;
}

void Profile::set(std::string_view key, std::string_view value, Origin origin) {
    for (Entry& entry : entries_) {
        if (entry.key != key) continue;
        entry.value = value;
        entry.origin = origin;
        entry.where = fmt::format("--set {}.{}", table_, key);
        if (origin == Origin::fitted && entry.note.empty()) entry.note = "by mmcpipe calibrate";
        return;
    }
    Entry entry;
    entry.key = key;
    entry.value = value;
    entry.origin = origin;
    entry.where = fmt::format("--set {}.{}", table_, key);
    entries_.push_back(std::move(entry));
}

const Entry* Profile::find(std::string_view key) const {
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    return found == entries_.end() ? nullptr : &*found;
}

const Entry& Profile::need(std::string_view key, std::string_view allowed) const {
    if (std::ranges::find(asked_, key) == asked_.end()) asked_.emplace_back(key);
    const Entry* entry = find(key);
    if (entry == nullptr)
        throw ProfileError(fmt::format("{}: {}.{} is missing, expected {}", file_.string(), table_, key, allowed));
    return *entry;
}

/// Every number says where it comes from, and one that stands in no manual says how.
void Profile::check_origin(const Entry& entry) const {
    if (!entry.origin) {
        throw ProfileError(fmt::format("{}: {}.{} has no origin, expected one of {}", entry.where, table_, entry.key,
                                       one_of(origins)));
    }
    const bool explains_itself = *entry.origin == Origin::datasheet || *entry.origin == Origin::given;
    if (!explains_itself && entry.note.empty()) {
        throw ProfileError(fmt::format("{}: {}.{} is {} and has no note, expected one that says from what", entry.where,
                                       table_, entry.key, name(*entry.origin)));
    }
}

void Profile::bad(const Entry& entry, std::string_view allowed) const {
    throw ProfileError(
        fmt::format("{}: {}.{} is \"{}\", expected {}", entry.where, table_, entry.key, entry.value, allowed));
}

/// A decimal number and a unit, as a multiple of the smallest unit; it has to be a whole one.
std::uint64_t Profile::scaled(const Entry& entry, std::span<const Unit> units, std::string_view allowed) const {
    check_origin(entry);
    const std::string_view text = entry.value;
    const std::size_t end = text.find_first_not_of("0123456789.");
    const std::string_view number = text.substr(0, end);
    std::string_view unit = end == std::string_view::npos ? std::string_view() : text.substr(end);
    while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);

    const auto found = std::ranges::find(units, unit, &Unit::name);
    if (found == units.end() || number.empty() || number.front() == '.') bad(entry, allowed);

    std::uint64_t value = 0;
    std::uint64_t divisor = 1;
    bool fraction = false;
    for (const char c : number) {
        if (c == '.') {
            if (fraction) bad(entry, allowed);
            fraction = true;
            continue;
        }
        if (value > (UINT64_MAX / 10 - 9) / found->factor) bad(entry, allowed);
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
        if (fraction) divisor *= 10;
    }
    if (value * found->factor % divisor != 0) bad(entry, allowed);
    return value * found->factor / divisor;
}

Time Profile::time(std::string_view key, Time least, Time most) const {
    const std::string allowed =
        "a time from " + range(static_cast<std::uint64_t>(least.ps), static_cast<std::uint64_t>(most.ps), time_units);
    const Entry& entry = need(key, allowed);
    const std::uint64_t ps = scaled(entry, time_units, allowed);
    if (ps < static_cast<std::uint64_t>(least.ps) || ps > static_cast<std::uint64_t>(most.ps)) bad(entry, allowed);
    return {static_cast<std::int64_t>(ps)};
}

std::uint64_t Profile::bytes(std::string_view key, std::uint64_t least, std::uint64_t most, std::uint64_t unit) const {
    std::string allowed = "a size from " + range(least, most, byte_units);
    if (unit != 1) allowed += ", a multiple of " + in_units(unit, byte_units);
    const Entry& entry = need(key, allowed);
    const std::uint64_t size = scaled(entry, byte_units, allowed);
    if (size < least || size > most || size % unit != 0) bad(entry, allowed);
    return size;
}

std::uint64_t Profile::count(std::string_view key, std::uint64_t least, std::uint64_t most) const {
    const std::string allowed = "a number from " + range(least, most, no_unit);
    const Entry& entry = need(key, allowed);
    const std::uint64_t number = scaled(entry, no_unit, allowed);
    if (number < least || number > most) bad(entry, allowed);
    return number;
}

std::uint32_t Profile::hertz(std::string_view key, std::uint32_t least, std::uint32_t most) const {
    const std::string allowed = "a frequency from " + range(least, most, hertz_units);
    const Entry& entry = need(key, allowed);
    const std::uint64_t value = scaled(entry, hertz_units, allowed);
    if (value < least || value > most) bad(entry, allowed);
    return static_cast<std::uint32_t>(value);
}

std::size_t Profile::choice(std::string_view key, std::span<const std::string_view> choices) const {
    const std::string allowed = "one of " + one_of(choices);
    const Entry& entry = need(key, allowed);
    const auto found = std::ranges::find(choices, std::string_view(entry.value));
    if (found == choices.end()) bad(entry, allowed);
    const char first = found->front();
    if (first >= '0' && first <= '9') check_origin(entry);
    return static_cast<std::size_t>(found - choices.begin());
}

std::string Profile::text(std::string_view key) const { return need(key, "a text").value; }

std::vector<std::byte> Profile::hex(std::string_view key, std::size_t size) const {
    const std::string allowed = fmt::format("{} hexadecimal digits", 2 * size);
    const Entry& entry = need(key, allowed);
    if (entry.value.size() != 2 * size) bad(entry, allowed);
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        std::uint8_t value = 0;
        const char* first = entry.value.data() + 2 * i;
        const auto parsed = std::from_chars(first, first + 2, value, 16);
        if (parsed.ptr != first + 2) bad(entry, allowed);
        bytes[i] = static_cast<std::byte>(value);
    }
    return bytes;
}

void Profile::check_all_used() const {
    for (const Entry& entry : entries_) {
        if (std::ranges::find(asked_, entry.key) != asked_.end()) continue;
        std::vector<std::string_view> known(asked_.begin(), asked_.end());
        std::ranges::sort(known);
        throw ProfileError(
            fmt::format("{}: no key {}.{}; known are {}", entry.where, table_, entry.key, one_of(known)));
    }
}

std::string text_of(Time time) { return in_units(static_cast<std::uint64_t>(time.ps), time_units); }

} // namespace mmcpipe::sim
