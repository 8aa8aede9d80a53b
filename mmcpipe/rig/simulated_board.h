#pragma once
// SimulatedBoard: models of a controller, a DMA engine, processors, memory and a slot, wired together as a platform
// profile says, and the stack on top, on a thread of the simulated machine.

#include "mmcpipe/rig/card_profile.h"
#include "mmcpipe/rig/models.h"
#include "mmcpipe/rig/platform.h"
#include "mmcpipe/rig/stack.h"
#include "mmcpipe/sim/environment.h"
#include "mmcpipe/sim/machine.h"
#include "mmcpipe/sim/memory.h"
#include "mmcpipe/sim/window.h"
#include "mmcpipe/sim/wire/bus.h"

#include <functional>
#include <memory>
#include <optional>

namespace mmcpipe::rig {

class SimulatedBoard final : private port::Board, private PrepareTrace {
public:
    /// `trace` may be nullptr; it must outlive the board. The slot holds `card`.
    SimulatedBoard(const Platform& platform, const CardProfile& card, sim::Trace* trace = nullptr);
    ~SimulatedBoard();

    /// Runs `body` on the executor's thread, over drivers that have just been constructed. Returns when it has, with
    /// everything quiet. May be called again: drivers are constructed anew, the card keeps its contents.
    void run(const std::function<void(Stack&)>& body);

    sim::Engine& engine() { return engine_; }
    sim::Machine& machine() { return machine_; }
    sim::Memory& memory() { return memory_; }
    sim::wire::Bus& bus() { return bus_; }
    sim::wire::Faults& faults() { return faults_; }
    sim::card::Core& card() { return *card_; }
    const sim::Window& host_registers() const { return host_window_; }
    const sim::Window& dma_registers() const { return dma_window_; }
    const sim::InterruptLine& host_line() const { return host_line_; }
    const sim::InterruptLine& dma_line() const { return dma_line_; }

    /// Takes the card out of the slot, puts it back.
    void remove_card();
    void insert_card();

private:
    base::Result<void> set_supply(port::Supply supply) override;
    base::Result<void> set_signal(port::Signal signal) override;
    base::Result<void> hold_reset(bool held) override;
    unsigned bus_width() const override { return platform_.bus_width; }
    base::Hertz base_clock() const override { return {platform_.base_clock}; }
    bool has(port::Supply supply) const override { return supply == port::Supply::v3_3; }
    bool card_present() override { return bus_.card() != nullptr; }
    bool write_protected() override { return false; }

    std::int64_t begin() override { return machine_.now().ps; }
    void end(const char* what, std::int64_t mark, const host::Request& request) override;

    Platform platform_;
    sim::Trace* trace_;
    sim::Engine engine_;
    sim::Machine machine_;
    sim::Memory memory_;
    sim::Environment environment_;
    sim::wire::Faults faults_;
    sim::wire::Bus bus_;
    std::unique_ptr<sim::card::Core> card_;
    sim::InterruptLine host_line_;
    sim::InterruptLine dma_line_;
    std::unique_ptr<Models> models_;
    sim::Bus registers_;
    sim::Window host_window_;
    sim::Window dma_window_;
};

} // namespace mmcpipe::rig
