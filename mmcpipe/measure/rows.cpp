#include "mmcpipe/measure/rows.h"

namespace mmcpipe::measure {

Latency latency_of(const base::Histogram& nanoseconds) {
    const auto microseconds = [](std::uint64_t ns) { return static_cast<double>(ns) * 1e-3; };
    return {.p50 = microseconds(nanoseconds.percentile(base::share_50)),
            .p99 = microseconds(nanoseconds.percentile(base::share_99)),
            .p99_99 = microseconds(nanoseconds.percentile(base::share_99_99)),
            .max = microseconds(nanoseconds.max())};
}

} // namespace mmcpipe::measure
