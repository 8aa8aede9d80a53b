#pragma once
// Tables of comma-separated values as published measurements are kept: a line of column names, then one line a row,
// without quotes.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mmcpipe::measure {

/// One row; every error it throws (`BadInput`) names file, line and column.
class CsvRow {
public:
    CsvRow(const std::string& place, const std::vector<std::string>& columns, std::vector<std::string> cells);

    /// "FILE:LINE"
    const std::string& place() const { return place_; }
    const std::string& text(std::string_view column) const;
    /// A whole number from 0 to `most`.
    std::uint32_t number(std::string_view column, std::uint32_t most = UINT32_MAX) const;
    /// A decimal number without sign or exponent, times 10^`decimals`; it may not have more decimals than that.
    std::int64_t fixed(std::string_view column, unsigned decimals) const;

    [[noreturn]] void bad(std::string_view column, std::string_view allowed) const;

private:
    std::string place_;
    const std::vector<std::string>* columns_;
    std::vector<std::string> cells_;
};

/// Rows refer to the table they came from.
class Csv {
public:
    /// Reads all of `file`. Empty lines are skipped. Throws BadInput if it cannot be read, if one of `required` is no
    /// column, or if a row has more or fewer cells than there are columns.
    Csv(const std::string& file, std::initializer_list<std::string_view> required);
    Csv(const Csv&) = delete;
    Csv& operator=(const Csv&) = delete;

    const std::vector<CsvRow>& rows() const { return rows_; }

private:
    std::vector<std::string> columns_;
    std::vector<CsvRow> rows_;
};

} // namespace mmcpipe::measure
