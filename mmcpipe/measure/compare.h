#pragma once
// How far simulated rows miss published ones.

#include "mmcpipe/measure/published.h"
#include "mmcpipe/measure/results.h"

#include <optional>
#include <span>
#include <vector>

namespace mmcpipe::measure {

/// What a log publishes, in one value: rows of one variant, and how far each may miss.
struct Published {
    std::vector<PublishedRow> rows;
    std::vector<Tolerance> tolerances; ///< empty: none are known
};

/// Reads a log, and its tolerances if there are any beside it. Without a `variant`, the first one in the file. Throws
/// BadInput.
Published read_published(const std::string& log, std::string_view variant = {});

/// One row of both worlds.
struct Miss {
    RowKey key;
    base::Duration simulated{};
    base::Duration published{};
    double percent = 0;               ///< simulated time against published time; above zero: the simulation is slower
    std::optional<Tolerance> allowed; ///< nothing: no tolerance is known

    bool within() const { return !allowed || (percent <= allowed->percent && -percent <= allowed->percent); }
};

/// In percent of `published`, which is more than zero.
double miss_percent(base::Duration simulated, base::Duration published);

/// nothing if the row was not published. Rows are compared per request: a run over a smaller area than the log's counts
/// as well.
std::optional<Miss> compare(unsigned number, const trial::Row& row, const Published& published);

/// The misses of those rows that were published, in their order.
std::vector<Miss> compare(std::span<const CaseResult> results, const Published& published);

} // namespace mmcpipe::measure
