#pragma once
// Models: the host controller and the DMA engine of a platform, wired to each other and to the slot.

#include "mmcpipe/rig/platform.h"
#include "mmcpipe/sim/interrupts.h"
#include "mmcpipe/sim/memory.h"
#include "mmcpipe/sim/window.h"
#include "mmcpipe/sim/wire/bus.h"
#include "mmcpipe/sim/wire/faults.h"

#include <memory>

namespace mmcpipe::rig {

class Models {
public:
    virtual ~Models() = default;
    virtual sim::Device& host() = 0;
    virtual sim::Device& dma() = 0;
};

/// What they are built into.
struct Surroundings {
    sim::Engine& engine;
    sim::Memory& memory;
    sim::wire::Bus& bus;
    sim::wire::Faults& faults;
    sim::InterruptLine& host_line;
    sim::InterruptLine& dma_line;
};

std::unique_ptr<Models> make_models(const Platform& platform, const Surroundings& around);

} // namespace mmcpipe::rig
