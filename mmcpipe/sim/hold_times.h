#pragma once
// HoldTimes: how long something was held, interrupts off or a lock, and by whom the longest time.

#include "mmcpipe/base/histogram.h"
#include "mmcpipe/sim/time.h"

#include <string>

namespace mmcpipe::sim {

struct HoldTimes {
    base::Histogram nanoseconds;
    std::string longest_by; ///< name of the thread; empty: nobody held it

    void add(Time length, const std::string& by) {
        const auto ns = static_cast<std::uint64_t>(length.ps / 1'000);
        if (longest_by.empty() || ns > nanoseconds.max()) longest_by = by;
        nanoseconds.add(ns);
    }
};

} // namespace mmcpipe::sim
