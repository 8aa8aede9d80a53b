#pragma once
// What an executor sees of the simulated machine.

#include "mmcpipe/base/environment.h"
#include "mmcpipe/sim/machine.h"
#include "mmcpipe/sim/signal.h"

namespace mmcpipe::sim {

/// The environment of one executor: the thread that calls `idle` is its own. The critical section masks the interrupts
/// of the calling processor. It keeps other processors out because it takes no time: do not spend (nor touch registers)
/// in it when threads of other processors post.
class Environment final : public base::Environment {
public:
    explicit Environment(Machine& machine) : machine_(machine), notified_(machine) {}

    base::Instant now() override { return instant(machine_.now()); }
    unsigned enter_critical() override { return machine_.mask() ? 1 : 0; }
    void leave_critical(unsigned state) override { machine_.restore(state != 0); }
    /// Sleeps with interrupts enabled until `notify` or `until`, and pays `Costs::wake` if it did. Interrupts alone do
    /// not end it.
    void idle(base::Instant until) override { notified_.wait(time(until)); }
    void notify() override { notified_.set(); }

private:
    Machine& machine_;
    Signal notified_;
};

} // namespace mmcpipe::sim
