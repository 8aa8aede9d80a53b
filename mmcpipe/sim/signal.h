#pragma once
// How a thread waits for something other than time.

#include "mmcpipe/sim/time.h"

namespace mmcpipe::sim {

class Machine;
struct Thread;

/// One waiter, one flag: a signal that comes before the wait is kept.
class Signal {
public:
    explicit Signal(Machine& machine) : machine_(machine) {}
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    /// From events, interrupt handlers and threads: ends the wait under way, or the next one. If the thread that waits
    /// has a higher priority than the one that calls, on the same processor and with interrupts enabled, it runs first.
    void set();

    /// Waits for the signal, at most until `until`; true if it came. The processor is free meanwhile, with interrupts
    /// enabled even if the calling thread has them masked. A thread that really waited pays `Costs::wake` when it goes
    /// on.
    bool wait(Time until = forever);

private:
    Machine& machine_;
    Thread* waiter_ = nullptr;
    bool set_ = false;
};

} // namespace mmcpipe::sim
