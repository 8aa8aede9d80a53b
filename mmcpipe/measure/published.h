#pragma once
// Published mmc_test logs as CSV, one line a transfer, and how far a simulated row may miss them.
// data/published/README.md has the columns.

#include "mmcpipe/base/units.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mmcpipe::measure {

/// What tells one row of mmc_test's cases 37-44 from another.
struct RowKey {
    unsigned number = 0;       ///< of the case
    std::uint32_t sectors = 0; ///< of one request
    std::uint32_t sg_len = 0;

    constexpr bool operator==(const RowKey&) const = default;
};
/// "case 39, 64 KiB, sg_len 1"
std::string text_of(const RowKey& key);

struct PublishedRow {
    std::string place;   ///< "FILE:LINE"
    std::string variant; ///< of the software that was measured: "baseline", ...
    RowKey key;
    std::uint32_t requests = 0;
    base::Duration took{};
    // As the log rounds them.
    std::uint32_t kb_per_s = 0;
    std::uint32_t kib_per_s = 0;
    std::uint32_t iops_x100 = 0;
};

/// Reads a log. Throws BadInput: unreadable, a malformed cell, sectors that contradict request_kib, the same row twice.
std::vector<PublishedRow> read_log(const std::string& file);

/// The rows of one variant. Throws BadInput naming those there are if it has none.
std::vector<PublishedRow> of_variant(std::vector<PublishedRow> rows, std::string_view variant);

/// nullptr if the log does not have it.
const PublishedRow* find(std::span<const PublishedRow> rows, const RowKey& key);

/// What the rows of a case are for.
enum class Use : std::uint8_t {
    fit,     ///< a calibration may use them
    predict, ///< nobody tunes to them
};

/// How much of its time a row may miss by.
struct Tolerance {
    unsigned number = 0; ///< of the case
    std::uint32_t from_kib = 0;
    std::uint32_t to_kib = 0;
    double percent = 0;
    Use use = Use::fit;
};

/// Reads the tolerances of a log. Throws BadInput: unreadable, malformed, a tolerance of zero, two lines for one row.
std::vector<Tolerance> read_tolerances(const std::string& file);

/// Where the tolerances of a log are: LOG.csv -> LOG.tolerance.csv
std::string tolerance_file(const std::string& log);

/// nullptr if there is none for this row.
const Tolerance* find(std::span<const Tolerance> tolerances, const RowKey& key);

} // namespace mmcpipe::measure
