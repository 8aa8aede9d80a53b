#pragma once
// What an executor needs of the place it runs in. It is the part of the port that base knows; port/ has the rest.

#include "mmcpipe/base/units.h"

namespace mmcpipe::base {

class Environment {
public:
    virtual Instant now() = 0;

    /// Keeps interrupts (and other threads that post) out until `leave`. Nests: `leave` takes what `enter` gave.
    virtual unsigned enter_critical() = 0;
    virtual void leave_critical(unsigned state) = 0;

    /// Waits until `notify`, an interrupt, or `until`, whichever is first; may return early. Called inside the critical
    /// section and returns inside it, so a `notify` between the last look at the mailbox and the wait is not lost.
    virtual void idle(Instant until) = 0;

    /// Ends the `idle` under way, or the next one. From interrupts and any thread, inside the critical section.
    virtual void notify() = 0;

protected:
    ~Environment() = default;
};

} // namespace mmcpipe::base
