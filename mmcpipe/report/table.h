#pragma once
// The table of mmc_test's cases 37-44: request size or number of scatter-gather elements down; write and read, blocking
// and non-blocking across; what non-blocking gains; and beside it what was published.

#include "mmcpipe/measure/compare.h"
#include "mmcpipe/measure/results.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mmcpipe::report {

/// One of the four columns of a line.
struct Cell {
    std::uint32_t kib_per_s = 0;
    std::optional<std::uint32_t> published; ///< KiB/s
    std::optional<measure::Miss> miss;
};

/// One direction of a line.
struct Direction {
    std::optional<Cell> blocking;
    std::optional<Cell> non_blocking;

    /// Rate of non-blocking against blocking, in percent above it.
    std::optional<double> gain() const;
    std::optional<double> published_gain() const;
};

struct Line {
    std::uint32_t sectors = 0; ///< of one request
    std::uint32_t sg_len = 0;
    Direction write;
    Direction read;
};

struct Table {
    std::vector<Line> by_size;   ///< cases 37-40
    std::vector<Line> by_sg_len; ///< cases 41-44

    bool empty() const { return by_size.empty() && by_sg_len.empty(); }
};

/// Cases other than 37-44 are left out. `published` may be empty.
Table make_table(std::span<const measure::CaseResult> results, const measure::Published& published);

/// As plain text, with an explanation below; the columns of published values appear only if there are any.
std::string text_of(const Table& table);

} // namespace mmcpipe::report
