#pragma once
// Drivers: the driver of a platform's host controller, with all that it needs for DMA. They know the port's interfaces
// only; what is behind them, models or hardware, is their maker's affair.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/host/dma/pxa.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/port/board.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"
#include "mmcpipe/port/memory.h"
#include "mmcpipe/rig/platform.h"

#include <memory>

namespace mmcpipe::rig {

/// The doors of the port that a stack needs. `dma_io` and `dma_line` are not used where the platform has no engine.
struct Doors {
    base::Environment& environment;
    port::Memory& memory;
    port::Board& board;
    port::Io& host_io;
    port::InterruptLine& host_line;
    port::Io& dma_io;
    port::InterruptLine& dma_line;
};

class Drivers {
public:
    virtual ~Drivers() = default;
    virtual host::Host& host() = 0;
    /// Descriptors built so far; nullptr where nobody counts them.
    virtual const host::dma::ListStatistics* dma_lists() const { return nullptr; }
};

/// Constructs the drivers, which touch their registers: from the executor's own thread.
std::unique_ptr<Drivers> make_drivers(const Platform& platform, const Doors& doors, base::Executor& executor,
                                      base::FrameArena& frames);

} // namespace mmcpipe::rig
