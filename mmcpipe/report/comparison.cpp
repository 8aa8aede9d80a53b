#include "mmcpipe/report/comparison.h"

#include "mmcpipe/measure/bad_input.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace mmcpipe::report {

namespace {

using Json = nlohmann::ordered_json;
using measure::BadInput;

struct Run {
    std::string name;
    Json document;
};

Run parse(std::string_view name, std::string_view text) {
    Json document = Json::parse(text, nullptr, false);
    const bool right = document.is_object() && document.contains("workload") && document["workload"].is_string() &&
                       document.contains("rows") && document["rows"].is_array() && document.contains("options") &&
                       document["options"].is_object() &&
                       std::ranges::all_of(document["rows"], [](const Json& row) { return row.is_object(); });
    if (!right)
        throw BadInput(fmt::format("{}: no results of a workload, expected what `mmcpipe bench --json` wrote", name));
    return {std::string(name), std::move(document)};
}

bool names_row(const Json& value) { return value.is_string() || value.is_number_integer(); }

/// What says which row it is.
std::string key_of(const Json& row) {
    std::string key;
    for (const auto& [name, value] : row.items()) {
        if (names_row(value))
            key += (key.empty() ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    return key;
}

const Json* find(const Json& rows, const std::string& key) {
    const auto found = std::ranges::find_if(rows, [&](const Json& row) { return key_of(row) == key; });
    return found != rows.end() ? &*found : nullptr;
}

/// Of one value, or of one of a latency's.
std::string change(std::string_view name, double before, double after) {
    if (name.ends_with("percent")) return fmt::format("{:+.1f} points", after - before);
    if (before == 0) return after == 0 ? "0 %" : "from 0";
    return fmt::format("{:+.1f} %", (after / before - 1) * 100);
}

void add_values(std::string& out, const std::string& name, const Json& before, const Json* after) {
    if (after == nullptr || before.type() != after->type()) return;
    if (before.is_object()) {
        for (const auto& [part, value] : before.items()) {
            add_values(out, name + " " + part, value, after->contains(part) ? &(*after)[part] : nullptr);
        }
    } else if (before.is_number_float()) {
        out += fmt::format("  {:<32}{:>14.2f}{:>14.2f}   {}\n", name, before.get<double>(), after->get<double>(),
                           change(name, before.get<double>(), after->get<double>()));
    }
}

} // namespace

std::string comparison(std::string_view before_name, std::string_view before_text, std::string_view after_name,
                       std::string_view after_text) {
    const Run before = parse(before_name, before_text);
    const Run after = parse(after_name, after_text);
    if (before.document["workload"] != after.document["workload"]) {
        throw BadInput(fmt::format("{} is of {}, {} of {}: expected the same workload", before.name,
                                   before.document["workload"].dump(), after.name, after.document["workload"].dump()));
    }
    std::string out =
        fmt::format("{}: {} -> {}\n", before.document["workload"].get<std::string>(), before.name, after.name);
    for (const auto& [name, value] : before.document["options"].items()) {
        const Json& other = after.document["options"].value(name, Json());
        if (other != value) out += fmt::format("  {}: {} -> {}\n", name, value.dump(), other.dump());
    }
    const Json& rows = before.document["rows"];
    for (const Json& row : after.document["rows"]) {
        if (find(rows, key_of(row)) == nullptr)
            throw BadInput(fmt::format("{}: no row \"{}\" as in {}", before.name, key_of(row), after.name));
    }
    for (const Json& row : rows) {
        const std::string key = key_of(row);
        const Json* const other = find(after.document["rows"], key);
        if (other == nullptr) throw BadInput(fmt::format("{}: no row \"{}\" as in {}", after.name, key, before.name));
        out += "\n" + key + "\n";
        for (const auto& [name, value] : row.items()) {
            add_values(out, name, value, other->contains(name) ? &(*other)[name] : nullptr);
        }
    }
    return out;
}

} // namespace mmcpipe::report
