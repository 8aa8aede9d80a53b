#pragma once
// SimulatedSystem: what clients see of a simulated board.

#include "mmcpipe/measure/system.h"
#include "mmcpipe/rig/simulated_board.h"
#include "mmcpipe/sim/hold_times.h"

namespace mmcpipe::rig {

class SimulatedSystem final : public measure::System {
public:
    /// Nobody else watches the board's interrupts meanwhile.
    SimulatedSystem(SimulatedBoard& board, const measure::ClientCosts& costs);
    SimulatedSystem(const SimulatedSystem&) = delete;
    SimulatedSystem& operator=(const SimulatedSystem&) = delete;
    ~SimulatedSystem();

    base::Instant now() override;
    unsigned processors() const override { return machine_.processors(); }
    const measure::ClientCosts& costs() const override { return costs_; }

    void start(std::string name, unsigned processor, int priority, std::function<void()> body) override;
    std::unique_ptr<Signal> make_signal() override;
    std::unique_ptr<SpinLock> make_lock() override;
    std::unique_ptr<Probe> make_probe(unsigned processor, base::Duration period) override;

    void spend(base::Duration length) override;
    void spend_masked(base::Duration length) override;

    host::Buffer allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
    std::size_t allocated() const override { return memory_.allocated(); }
    void release_to(std::size_t allocated) override { memory_.release_to(allocated); }

    base::Duration busy() const override;
    const base::Histogram& interrupts_off() const override { return off_.nanoseconds; }
    const std::string& interrupts_off_by() const override { return off_.longest_by; }
    void forget_interrupts_off() override { off_ = {}; }

private:
    sim::Machine& machine_;
    sim::Memory& memory_;
    measure::ClientCosts costs_;
    sim::HoldTimes off_;
};

} // namespace mmcpipe::rig
