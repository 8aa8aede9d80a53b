#pragma once
// Scheduler: which of the requests that wait goes next. It sees reads and writes, none of which has to wait for another
// (see order.h).

#include "mmcpipe/base/units.h"
#include "mmcpipe/block/request.h"

namespace mmcpipe::block {

/// Called on the executor. What waits stands in the scheduler's lists.
class Scheduler {
public:
    /// `request` waits.
    virtual void add(Request& request) noexcept = 0;
    /// Takes out the one that goes now. nullptr: nothing waits, or it is better to leave the bus idle until
    /// `ask_again`.
    virtual Request* next(base::Instant now) noexcept = 0;
    /// Somebody takes `request`, which waits, out of turn.
    virtual void take(Request& request) noexcept { request.unlink(); }
    /// `request` was taken, and a part of it, or all, is left. It is the first of its kind again.
    virtual void put_back(Request& request) noexcept = 0;
    /// `request`, which was taken, has ended.
    virtual void ended(const Request& request, base::Instant now) noexcept {
        (void)request;
        (void)now;
    }
    /// After `next` gave nothing: when to ask again if nothing is added until then.
    virtual base::Instant ask_again() const noexcept { return base::never; }
    /// How long a transfer of several requests may hold the bus.
    virtual base::Duration may_hold(host::Direction direction, base::Instant now) const noexcept {
        (void)direction;
        (void)now;
        return base::seconds(3600);
    }

protected:
    ~Scheduler() = default;
};

} // namespace mmcpipe::block
