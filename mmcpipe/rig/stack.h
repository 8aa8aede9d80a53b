#pragma once
// Stack: the drivers and the card layer of one slot, put together over a port. It knows the port's interfaces only;
// what is behind them, models or hardware, is its maker's affair.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/card/card.h"
#include "mmcpipe/host/dma/mapping.h"
#include "mmcpipe/host/dma/pl080.h"
#include "mmcpipe/host/pl18x/driver.h"
#include "mmcpipe/rig/platform.h"
#include "mmcpipe/rig/traced_host.h"

#include <memory>
#include <vector>

namespace mmcpipe::rig {

/// The doors of the port that a stack with a PL18x needs. `dma_io` and `dma_line` are not used where the platform has
/// no engine.
struct Doors {
    base::Environment& environment;
    port::Memory& memory;
    port::Board& board;
    port::Io& host_io;
    port::InterruptLine& host_line;
    port::Io& dma_io;
    port::InterruptLine& dma_line;
    port::BusAddress host_fifo;
};

class Stack {
public:
    /// Constructs the drivers, which touch their registers: from the executor's own thread.
    Stack(const Platform& platform, const Doors& doors, PrepareTrace* trace);

    ~Stack();

    base::Executor& executor() { return executor_; }
    base::FrameArena& frames() { return frames_; }
    host::Host& host() { return *host_; }
    card::Card& card() { return card_; }

    /// Runs a task to its end, on this executor.
    template <class R>
    R run(base::Task<R> task) {
        task.start();
        executor_.run_until([&] { return task.done(); });
        return task.take();
    }

private:
    struct Dma;

    base::Executor executor_;
    base::StaticFrameArena<128 * 1024> frames_;
    std::unique_ptr<Dma> dma_;
    std::unique_ptr<host::pl18x::Driver> driver_;
    TracedHost traced_;
    host::Host* host_;
    card::Card card_;
};

} // namespace mmcpipe::rig
