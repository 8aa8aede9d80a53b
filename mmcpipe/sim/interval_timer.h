#pragma once
// IntervalTimer: interrupts a processor again and again, and keeps how late each interrupt was: the time from the line
// going up to the handler, which is what code that runs with interrupts off does to everybody else.

#include "mmcpipe/base/histogram.h"
#include "mmcpipe/sim/interrupts.h"
#include "mmcpipe/sim/machine.h"

namespace mmcpipe::sim {

class IntervalTimer final : private port::InterruptHandler {
public:
    /// From now on, until `stop`.
    IntervalTimer(Machine& machine, unsigned processor, Time period);
    IntervalTimer(const IntervalTimer&) = delete;
    IntervalTimer& operator=(const IntervalTimer&) = delete;
    ~IntervalTimer();

    /// No interrupt any more.
    void stop();
    /// Nanoseconds that interrupts came late.
    const base::Histogram& late() const { return late_; }

private:
    struct Tick : Event {
        explicit Tick(IntervalTimer& owner) : Event(fire), timer(owner) {}
        static void fire(Event& event) { static_cast<Tick&>(event).timer.due(); }
        IntervalTimer& timer;
    };

    bool interrupt() noexcept override;
    void due();

    Machine& machine_;
    const Time period_;
    InterruptLine line_;
    InterruptPin pin_;
    Tick tick_;
    Time up_since_;
    base::Histogram late_;
};

} // namespace mmcpipe::sim
