#pragma once
// Part of a trace: a row of mmc_test may have tens of thousands of requests, one like the other.

#include "mmcpipe/report/excerpt.h"
#include "mmcpipe/sim/trace.h"

#include <vector>

namespace mmcpipe::report {

/// Passes on what happens until the command of request `count` + 1; all if `count` is zero.
class FirstRequests final : public sim::Trace {
public:
    FirstRequests(sim::Trace& next, unsigned count) : next_(next), count_(count) {}

    /// From here on counts anew.
    void restart() { seen_ = 0; }

    void span(const sim::Span& span) override {
        if (transfers_data(span)) ++seen_;
        if (count_ == 0 || seen_ <= count_) next_.span(span);
    }

private:
    sim::Trace& next_;
    unsigned count_;
    unsigned seen_ = 0;
};

/// Keeps what happens.
class SpanBuffer final : public sim::Trace {
public:
    void span(const sim::Span& span) override { spans.push_back(span); }

    std::vector<sim::Span> spans;
};

} // namespace mmcpipe::report
