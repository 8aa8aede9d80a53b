#pragma once
// A trace of the simulator as Chrome trace events (JSON), which ui.perfetto.dev opens: one track for each lane and
// unit.

#include "mmcpipe/sim/trace.h"

#include <bitset>
#include <ostream>
#include <string_view>

namespace mmcpipe::report {

/// Writes every span as it comes; the file grows, memory does not. Times are microseconds with all six decimals of a
/// picosecond.
class PerfettoTrace final : public sim::Trace {
public:
    explicit PerfettoTrace(std::ostream& out);
    PerfettoTrace(const PerfettoTrace&) = delete;
    PerfettoTrace& operator=(const PerfettoTrace&) = delete;

    void span(const sim::Span& span) override;
    /// Completes the JSON; no span after this.
    void finish();

private:
    void event(std::string_view text);
    void name_track(const sim::Span& span);

    std::ostream& out_;
    std::bitset<5 * 256> named_; ///< the tracks, 256 units a lane, that have their name
    bool first_ = true;
};

/// "CPU", "command line", "data lines", "card", "DMA"
const char* name(sim::Lane lane);

} // namespace mmcpipe::report
