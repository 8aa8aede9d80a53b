#include "mmcpipe/cli/fit.h"

#include "mmcpipe/measure/bad_input.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

namespace mmcpipe::cli {

namespace {

using measure::BadInput;
using measure::Parameter;

constexpr sim::Time least_time = sim::picoseconds(1);
constexpr sim::Time most_time = sim::milliseconds(100'000);
constexpr double reach = 10; ///< of the bounds, as a factor

double picoseconds(sim::Profile profile, std::string_view key, std::string_view value) {
    profile.set(key, value);
    return static_cast<double>(profile.time(key, least_time, most_time).ps);
}

struct Unit {
    std::string_view name;
    unsigned decimals; ///< that picoseconds are
};
constexpr Unit units[] = {{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}};

/// In the largest unit that it has one of: "138.1us".
std::string text_of(double picoseconds) {
    const long long whole = std::llround(picoseconds);
    for (const Unit& unit : units) {
        std::string digits = std::to_string(whole);
        if (digits.size() <= unit.decimals) continue;
        digits.insert(digits.size() - unit.decimals, ".");
        while (digits.ends_with('0')) digits.pop_back();
        if (digits.ends_with('.')) digits.pop_back();
        return digits + std::string(unit.name);
    }
    return fmt::format("{}ps", whole);
}

std::string toml_string(std::string_view text) {
    std::string literal = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') literal += '\\';
        literal += c;
    }
    return literal + "\"";
}

std::string line_of(const sim::Entry& entry) {
    const std::string note = entry.note.empty() ? "" : fmt::format(", note = {}", toml_string(entry.note));
    return fmt::format("{} = {{ value = {}, origin = {}{} }}", entry.key, toml_string(entry.value),
                       toml_string(name(*entry.origin)), note);
}

bool is_entry(std::string_view line, std::string_view key) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || !line.substr(first).starts_with(key)) return false;
    const std::string_view rest = line.substr(first + key.size());
    const std::size_t next = rest.find_first_not_of(" \t");
    return next != std::string_view::npos && rest[next] == '=';
}

} // namespace

Parameter parameter_of(std::string_view text, const Board& board) {
    const std::size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    const std::size_t dot = name.find('.');
    const std::string table = name.substr(0, dot);
    if (dot == std::string::npos || (table != "platform" && table != "card")) {
        throw BadInput(
            fmt::format("--fit: \"{}\", expected platform.KEY or card.KEY, and bounds as in =20us..500us", text));
    }
    const std::string key = name.substr(dot + 1);
    const sim::Profile& profile = table == "platform" ? board.platform.profile : board.card.profile;
    const sim::Entry* const entry = profile.find(key);
    if (entry == nullptr) throw BadInput(fmt::format("--fit: {} has no key {}", profile.file().string(), name));

    Parameter parameter{.name = name, .start = picoseconds(profile, key, entry->value), .least = 0, .most = 0};
    parameter.least = std::max(1.0, parameter.start / reach);
    parameter.most = parameter.start * reach;
    if (equals != std::string_view::npos) {
        const std::string_view bounds = text.substr(equals + 1);
        const std::size_t dots = bounds.find("..");
        if (dots == std::string_view::npos) {
            throw BadInput(
                fmt::format("--fit: {} has the bounds \"{}\", expected two times, as in 20us..500us", name, bounds));
        }
        parameter.least = picoseconds(profile, key, bounds.substr(0, dots));
        parameter.most = picoseconds(profile, key, bounds.substr(dots + 2));
    }
    // Whether the profile takes them shows now, not after an hour.
    for (const double bound : {parameter.least, parameter.most}) {
        with(board, {Setting(fmt::format("{}={}", name, text_of(bound)))}, sim::Origin::fitted);
    }
    return parameter;
}

std::vector<Setting> settings_of(std::span<const Parameter> parameters, std::span<const double> picoseconds) {
    std::vector<Setting> settings;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        settings.emplace_back(fmt::format("{}={}", parameters[i].name, text_of(picoseconds[i])));
    }
    return settings;
}

std::vector<double> rounded(std::span<const double> values) {
    std::vector<double> rounded;
    for (const double value : values) rounded.push_back(std::stod(fmt::format("{:.3e}", value)));
    return rounded;
}

std::string file_text(const sim::Profile& profile) {
    std::ifstream in(profile.file());
    std::string text;
    std::vector<std::string> written;
    for (std::string line; std::getline(in, line);) {
        for (const sim::Entry& entry : profile.entries()) {
            if (!entry.where.starts_with("--set") || !is_entry(line, entry.key)) continue;
            line = line_of(entry);
            written.push_back(entry.key);
        }
        text += line + "\n";
    }
    // A key that the file did not have.
    for (const sim::Entry& entry : profile.entries()) {
        if (entry.where.starts_with("--set") && std::ranges::find(written, entry.key) == written.end())
            text += line_of(entry) + "\n";
    }
    return text;
}

} // namespace mmcpipe::cli
