#pragma once
// Two runs of a workload side by side, the way such tables are posted: throughput and latency by how much more or less,
// CPU load by how many points.

#include <string>
#include <string_view>

namespace mmcpipe::report {

/// `before` and `after` are what report::json made of a workload; the names are those of the files. Rows belong
/// together if their texts and their whole numbers are the same. Throws measure::BadInput: no such JSON, different
/// workloads, a row that only one of them has.
std::string comparison(std::string_view before_name, std::string_view before, std::string_view after_name,
                       std::string_view after);

} // namespace mmcpipe::report
