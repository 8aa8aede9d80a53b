#pragma once
// Backoff: how long to wait before asking again. Real time between questions, never a count of loops.

#include "mmcpipe/base/units.h"

#include <algorithm>

namespace mmcpipe::card {

class Backoff {
public:
    /// `at_once` times not at all, then `first`, then twice as long each time up to `longest`.
    constexpr Backoff(unsigned at_once, base::Duration first, base::Duration longest)
        : at_once_(at_once), next_(first), longest_(longest) {}

    constexpr base::Duration next() {
        if (at_once_ > 0) {
            --at_once_;
            return {};
        }
        const base::Duration wait = next_;
        next_ = std::min(next_ * 2, longest_);
        return wait;
    }

private:
    unsigned at_once_;
    base::Duration next_;
    base::Duration longest_;
};

} // namespace mmcpipe::card
