#include "mmcpipe/report/workload.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace mmcpipe::report {

namespace {

using Json = nlohmann::ordered_json;
using measure::Field;
using measure::Latency;
using measure::Value;

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

/// As many digits as are worth reading.
std::string text(double number) {
    const double size = std::abs(number);
    return fmt::format("{:.{}f}", number, size >= 1000 ? 0 : size >= 10 ? 1 : 2);
}

std::string text(const Value& value) {
    return std::visit(Overloaded{[](const std::string& s) { return s; },
                                 [](std::int64_t n) { return std::to_string(n); }, [](double x) { return text(x); },
                                 [](const Latency& l) {
                                     return fmt::format("{} / {} / {} / {}", text(l.p50), text(l.p99), text(l.p99_99),
                                                        text(l.max));
                                 }},
                      value);
}

/// Four decimals: more is noise to a reader, and differs nowhere.
double rounded(double number) { return std::round(number * 1e4) / 1e4; }

Json json(const Value& value) {
    return std::visit(Overloaded{[](const std::string& s) -> Json { return s; },
                                 [](std::int64_t n) -> Json { return n; }, [](double x) -> Json { return rounded(x); },
                                 [](const Latency& l) -> Json {
                                     return {{"p50", rounded(l.p50)},
                                             {"p99", rounded(l.p99)},
                                             {"p99_99", rounded(l.p99_99)},
                                             {"max", rounded(l.max)}};
                                 }},
                      value);
}

Json json(const std::vector<Field>& fields) {
    Json object = Json::object();
    for (const Field& field : fields) object[field.name] = json(field.value);
    return object;
}

std::vector<std::string> names(const measure::Row& row) {
    std::vector<std::string> all;
    for (const Field& field : row) all.push_back(field.name);
    return all;
}

/// Rows of the same columns.
void add_table(std::string& out, const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    for (const auto& line : lines) {
        std::string text;
        for (std::size_t i = 0; i < line.size(); ++i) {
            text += i == 0 ? fmt::format("{:<{}}", line[i], widths[i]) : fmt::format("  {:>{}}", line[i], widths[i]);
        }
        out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
}

} // namespace

std::string text_of(const measure::Report& report) {
    std::string out;
    std::vector<std::vector<std::string>> lines;
    for (const measure::Row& row : report.rows) {
        if (lines.empty() || names(row) != lines.front()) {
            if (!lines.empty()) add_table(out, lines), out += "\n";
            lines = {names(row)};
        }
        std::vector<std::string> line;
        for (const Field& field : row) line.push_back(text(field.value));
        lines.push_back(std::move(line));
    }
    if (!lines.empty()) add_table(out, lines);
    for (const std::string& remark : report.remarks) out += "\n" + remark + "\n";
    return out;
}

std::string json(std::string_view workload, std::string_view platform, std::string_view card,
                 const measure::Report& report) {
    Json rows = Json::array();
    for (const measure::Row& row : report.rows) rows.push_back(json(row));
    const Json document{{"workload", workload},
                        {"platform", platform},
                        {"card", card},
                        {"options", json(report.options)},
                        {"rows", std::move(rows)}};
    return document.dump(2) + "\n";
}

} // namespace mmcpipe::report
