#include "mmcpipe/measure/csv.h"

#include "mmcpipe/measure/bad_input.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <utility>

namespace mmcpipe::measure {

namespace {

std::vector<std::string> split(std::string_view line) {
    std::vector<std::string> cells;
    while (true) {
        const std::size_t comma = line.find(',');
        cells.emplace_back(line.substr(0, comma));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

std::optional<std::uint64_t> parse(std::string_view digits) {
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, value);
    if (digits.empty() || error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

} // namespace

CsvRow::CsvRow(const std::string& place, const std::vector<std::string>& columns, std::vector<std::string> cells)
    : place_(place), columns_(&columns), cells_(std::move(cells)) {}

const std::string& CsvRow::text(std::string_view column) const {
    return cells_[static_cast<std::size_t>(std::ranges::find(*columns_, column) - columns_->begin())];
}

void CsvRow::bad(std::string_view column, std::string_view allowed) const {
    throw BadInput(fmt::format("{}: {} is \"{}\", expected {}", place_, column, text(column), allowed));
}

std::uint32_t CsvRow::number(std::string_view column, std::uint32_t most) const {
    const std::optional<std::uint64_t> value = parse(text(column));
    if (!value || *value > most) bad(column, fmt::format("a whole number up to {}", most));
    return static_cast<std::uint32_t>(*value);
}

std::int64_t CsvRow::fixed(std::string_view column, unsigned decimals) const {
    const std::string_view cell = text(column);
    const std::size_t point = cell.find('.');
    const bool has_point = point != std::string_view::npos;
    std::string digits(cell.substr(0, point));
    std::string fraction(has_point ? cell.substr(point + 1) : std::string_view());
    const bool fits = !digits.empty() && fraction.size() <= decimals && !(has_point && fraction.empty());
    fraction.resize(decimals, '0');
    const std::optional<std::uint64_t> value = fits ? parse(digits + fraction) : std::nullopt;
    if (!value || *value > INT64_MAX) bad(column, fmt::format("a number with up to {} decimals", decimals));
    return static_cast<std::int64_t>(*value);
}

Csv::Csv(const std::string& file, std::initializer_list<std::string_view> required) {
    std::ifstream in(file);
    std::string line;
    if (!in || !std::getline(in, line)) throw BadInput(fmt::format("{}: cannot be read, or is empty", file));

    for (std::size_t number = 1; in; ++number, std::getline(in, line)) {
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty()) continue;
        const std::string place = fmt::format("{}:{}", file, number);
        if (columns_.empty()) {
            columns_ = split(line);
            for (const std::string_view column : required) {
                if (std::ranges::find(columns_, column) != columns_.end()) continue;
                throw BadInput(fmt::format("{}: no column {}, found {}", place, column, fmt::join(columns_, ",")));
            }
            continue;
        }
        std::vector<std::string> cells = split(line);
        if (cells.size() != columns_.size()) {
            throw BadInput(fmt::format("{}: {} cells, expected {} ({})", place, cells.size(), columns_.size(),
                                       fmt::join(columns_, ",")));
        }
        rows_.emplace_back(place, columns_, std::move(cells));
    }
}

} // namespace mmcpipe::measure
