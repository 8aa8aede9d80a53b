#pragma once
// What a workload reports: rows of named values, in the order in which they are printed.

#include "mmcpipe/base/histogram.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mmcpipe::measure {

/// In microseconds.
struct Latency {
    double p50 = 0;
    double p99 = 0;
    double p99_99 = 0;
    double max = 0;
};

/// Of nanoseconds.
Latency latency_of(const base::Histogram& nanoseconds);

using Value = std::variant<std::string, std::int64_t, double, Latency>;

struct Field {
    std::string name;
    Value value;
};

using Row = std::vector<Field>;

struct Report {
    std::vector<Field> options; ///< those in force
    std::vector<Row> rows;
    std::vector<std::string> remarks; ///< for people: what has to be known of these figures
};

} // namespace mmcpipe::measure
