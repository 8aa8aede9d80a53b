#pragma once
// Stack: the drivers and the card layer of one slot, put together over a port.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/card/card.h"
#include "mmcpipe/rig/drivers.h"
#include "mmcpipe/rig/platform.h"
#include "mmcpipe/rig/traced_host.h"

#include <memory>

namespace mmcpipe::rig {

class Stack {
public:
    /// Constructs the drivers, which touch their registers: from the executor's own thread.
    Stack(const Platform& platform, const Doors& doors, PrepareTrace* trace);

    base::Executor& executor() { return executor_; }
    base::FrameArena& frames() { return frames_; }
    host::Host& host() { return *host_; }
    card::Card& card() { return card_; }
    /// Number and sizes of the DMA descriptors built so far; nullptr where nobody counts them.
    const host::dma::ListStatistics* dma_lists() const { return drivers_->dma_lists(); }

    /// Runs a task to its end, on this executor.
    template <class R>
    R run(base::Task<R> task) {
        task.start();
        executor_.run_until([&] { return task.done(); });
        return task.take();
    }

private:
    base::Executor executor_;
    base::StaticFrameArena<128 * 1024> frames_;
    std::unique_ptr<Drivers> drivers_;
    TracedHost traced_;
    host::Host* host_;
    card::Card card_;
};

} // namespace mmcpipe::rig
