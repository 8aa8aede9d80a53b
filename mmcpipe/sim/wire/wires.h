#pragma once
// What the command line and the data line share: the clock, the card at the other end, and who wants to know.

#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/trace.h"
#include "mmcpipe/sim/wire/card.h"
#include "mmcpipe/sim/wire/faults.h"
#include "mmcpipe/sim/wire/timing.h"

#include <algorithm>
#include <cstdint>

namespace mmcpipe::sim::wire {

/// `start` plus `length`, where either may be `forever`.
constexpr Time after(Time start, Time length) {
    return start == forever || length >= forever - start ? forever : start + length;
}

struct Wires {
    Engine& engine;
    Trace* trace;
    Faults* faults;
    std::uint8_t unit; ///< number of the slot in traces
    Card* card = nullptr;
    Time period{};           ///< of the clock; zero: stopped by the controller
    bool stalled = false;    ///< stopped by flow control
    Lanes lanes{};           ///< so does the controller use DAT
    bool open_drain = false; ///< so does it drive CMD
    Time busy_shown{};       ///< up to where traces know of busy

    Time now() const { return engine.now(); }
    bool running() const { return period.ps != 0 && !stalled; }
    Time cycles(std::int64_t n) const { return period * n; }

    void span(Lane lane, const char* name, Time from, Time to, std::uint32_t argument) const {
        if (trace != nullptr) trace->span({lane, unit, name, from, to, argument});
    }
    /// The card is busy from `from` on; what was shown before is not shown again.
    void show_busy(Time from, Time until) {
        from = std::max(from, busy_shown);
        if (trace == nullptr || until <= from || until == forever) return;
        span(Lane::card, "busy", from, until, 0);
        busy_shown = until;
    }
};

} // namespace mmcpipe::sim::wire
