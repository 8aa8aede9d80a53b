#pragma once
// Where the time of requests went, as text.

#include "mmcpipe/block/statistics.h"

#include <string>

namespace mmcpipe::report {

/// A table for each direction that had requests: phases down; transfers that had it, share of all phases, mean, median,
/// 99th percentile and longest across, in microseconds. Below, how many requests were merged, packed, sent again.
std::string phases(const block::Statistics& statistics);

} // namespace mmcpipe::report
