#pragma once
// What a workload reports, as text and as JSON.

#include "mmcpipe/measure/rows.h"

#include <string>
#include <string_view>

namespace mmcpipe::report {

/// A table with a line a row, latencies as "50 % / 99 % / 99.99 % / longest"; remarks below.
std::string text_of(const measure::Report& report);

/// {"workload":s,"platform":s,"card":s,"options":{NAME:value},"rows":[{NAME:value}]} with a line end at the end. A
/// latency is {"p50":x,"p99":x,"p99_99":x,"max":x}. Keys and their order do not change.
std::string json(std::string_view workload, std::string_view platform, std::string_view card,
                 const measure::Report& report);

} // namespace mmcpipe::report
