#pragma once
// SpinLock: what keeps threads of several processors apart. Whoever has it, or waits for it, keeps its processor, with
// interrupts off.

#include "mmcpipe/base/list.h"
#include "mmcpipe/sim/hold_times.h"

namespace mmcpipe::sim {

class Machine;
struct Context;

class SpinLock {
public:
    explicit SpinLock(Machine& machine) : machine_(machine) {}
    SpinLock(const SpinLock&) = delete;
    SpinLock& operator=(const SpinLock&) = delete;

    /// From threads. The interrupts of the processor are off until `release`, which the same thread calls, and which
    /// leaves them as they were before. Of those that wait the one that came first is the next.
    void acquire();
    void release();

    /// Times that it was held.
    const HoldTimes& held() const { return held_; }
    /// Times that somebody had to wait for it, with interrupts off.
    const HoldTimes& waited() const { return waited_; }

private:
    struct Waiter : base::ListNode {
        Context* context = nullptr;
    };

    Machine& machine_;
    Context* holder_ = nullptr;
    bool was_masked_ = false; ///< of the holder, before
    Time since_;
    base::List<Waiter> waiting_;
    HoldTimes held_;
    HoldTimes waited_;
};

} // namespace mmcpipe::sim
