#include "mmcpipe/sim/interval_timer.h"

namespace mmcpipe::sim {

IntervalTimer::IntervalTimer(Machine& machine, unsigned processor, Time period)
    : machine_(machine), period_(period), line_(machine, processor), pin_(line_), tick_(*this) {
    line_.attach(*this);
    machine_.engine().schedule(tick_, machine_.now() + period_);
}

IntervalTimer::~IntervalTimer() {
    stop();
    line_.detach(*this);
}

void IntervalTimer::stop() {
    machine_.engine().cancel(tick_);
    pin_.set(false);
}

void IntervalTimer::due() {
    machine_.engine().schedule(tick_, machine_.now() + period_);
    if (pin_.level()) return; // the one before has not been served
    up_since_ = machine_.now();
    pin_.set(true);
}

bool IntervalTimer::interrupt() noexcept {
    if (!pin_.level()) return false;
    late_.add(static_cast<std::uint64_t>((machine_.now() - up_since_).ps / 1'000));
    pin_.set(false);
    return true;
}

} // namespace mmcpipe::sim
