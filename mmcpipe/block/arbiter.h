#pragma once
// Arbiter: who has the bus. Data of the pipeline mostly; for a while somebody with single commands, a discard, another
// partition. The pipeline may keep the bus while its queue is not empty, but with somebody waiting no longer than its
// lease; then what it has under way ends, and the first that waits gets the bus. Whoever has it keeps it for as long as
// its own time-outs let it, and the pipeline gets a whole lease before the next one. So a saturated queue starves
// nobody, and nobody starves it.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/list.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/block/pipeline.h"

namespace mmcpipe::block {

class Arbiter {
public:
    static constexpr base::Duration usual_lease = base::milliseconds(20);

    /// The turn of somebody who is not the pipeline.
    class Claim : public base::ListNode {
    public:
        explicit Claim(base::Executor& executor) : granted_(executor) {}

    private:
        friend class Arbiter;
        base::Event granted_;
    };

    /// `lease`: how long the pipeline may go on sending while others wait. All must outlive the arbiter.
    Arbiter(base::Executor& executor, Pipeline& pipeline, base::Duration lease = usual_lease)
        : executor_(executor), pipeline_(pipeline), lease_(lease) {}

    // --- for others ---

    /// `co_await arbiter.claim(mine)`: the card is idle and nobody else uses it. While the pipeline runs. Bounded by
    /// the lease, by the transfers that are under way, recovery included, and by those that claimed before.
    base::Event::Awaiter claim(Claim& claim);
    /// Gives the bus back.
    void release(Claim& claim);

    // --- for the source of the pipeline ---

    /// A transfer may be handed to the pipeline. If not, the pipeline is woken when one may.
    bool may_send();
    void sent() { ++under_way_; }
    /// A transfer is over.
    void over();
    /// There is nothing to send now.
    void nothing_to_send() {
        if (under_way_ == 0 && !waiting_.empty()) grant();
    }

private:
    void grant();

    base::Executor& executor_;
    Pipeline& pipeline_;
    const base::Duration lease_;
    base::List<Claim> waiting_;
    Claim* holder_ = nullptr;
    unsigned under_way_ = 0;    ///< transfers
    base::Instant lease_end_{}; ///< of the pipeline; meaningless while nobody waits
};

} // namespace mmcpipe::block
