#pragma once
// An executor on a bare core: drained by the main loop, woken by interrupts.

#include "mmcpipe/base/environment.h"
#include "mmcpipe/port/bare/clock.h"
#include "mmcpipe/port/bare/cpu.h"

namespace mmcpipe::port::bare {

/// For one core whose main loop runs the executor with interrupts open.
template <Cpu Core>
class Environment final : public base::Environment {
public:
    explicit Environment(Clock& clock) : clock_(clock) {}

    base::Instant now() override { return clock_.now(); }

    unsigned enter_critical() override { return Core::mask_interrupts(); }
    void leave_critical(unsigned state) override { Core::restore_interrupts(state); }

    /// Sleeps masked, so that an interrupt between the executor's last look and the sleep ends the sleep instead of
    /// being missed. Its handler runs before this returns: what it notifies ends this sleep, not the next one too.
    void idle(base::Instant until) override {
        if (!notified_) {
            clock_.set_alarm(until);
            Core::wait_for_interrupt();
            Core::unmask_interrupts();
            Core::mask_interrupts();
            clock_.set_alarm(base::never);
        }
        notified_ = false;
    }

    void notify() override { notified_ = true; }

private:
    Clock& clock_;
    bool notified_ = false;
};

} // namespace mmcpipe::port::bare
