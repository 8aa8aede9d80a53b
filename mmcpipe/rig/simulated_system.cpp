#include "mmcpipe/rig/simulated_system.h"

#include "mmcpipe/sim/interval_timer.h"
#include "mmcpipe/sim/signal.h"
#include "mmcpipe/sim/spin_lock.h"

#include <utility>

namespace mmcpipe::rig {

namespace {

constexpr int probe_priority = 100;

class SimulatedSignal final : public measure::System::Signal {
public:
    explicit SimulatedSignal(sim::Machine& machine) : signal_(machine) {}
    void set() override { signal_.set(); }
    bool wait(base::Instant until) override { return signal_.wait(sim::time(until)); }

private:
    sim::Signal signal_;
};

class SimulatedLock final : public measure::System::SpinLock {
public:
    explicit SimulatedLock(sim::Machine& machine) : lock_(machine) {}
    void acquire() override { lock_.acquire(); }
    void release() override { lock_.release(); }
    const base::Histogram& held() const override { return lock_.held().nanoseconds; }

private:
    sim::SpinLock lock_;
};

class SimulatedProbe final : public measure::System::Probe {
public:
    SimulatedProbe(sim::Machine& machine, unsigned processor, sim::Time period)
        : machine_(machine), period_(period), timer_(machine, processor, period), stopped_(machine) {
        machine.start("probe", processor, probe_priority, [this] { watch(); });
    }

    void stop() override {
        timer_.stop();
        stopping_ = true;
        while (!gone_) stopped_.wait();
    }
    const base::Histogram& thread_late() const override { return late_; }
    const base::Histogram& interrupt_late() const override { return timer_.late(); }

private:
    void watch() {
        sim::Signal nobody(machine_);
        while (!stopping_) {
            const sim::Time due = machine_.now() + period_;
            nobody.wait(due);
            late_.add(static_cast<std::uint64_t>((machine_.now() - due).ps / 1'000));
        }
        gone_ = true;
        stopped_.set();
    }

    sim::Machine& machine_;
    const sim::Time period_;
    sim::IntervalTimer timer_;
    sim::Signal stopped_;
    base::Histogram late_;
    bool stopping_ = false;
    bool gone_ = false;
};

} // namespace

SimulatedSystem::SimulatedSystem(SimulatedBoard& board, const measure::ClientCosts& costs)
    : machine_(board.machine()), memory_(board.memory()), costs_(costs) {
    machine_.watch_interrupts_off(&off_);
}

SimulatedSystem::~SimulatedSystem() { machine_.watch_interrupts_off(nullptr); }

base::Instant SimulatedSystem::now() { return sim::instant(machine_.now()); }

void SimulatedSystem::start(std::string name, unsigned processor, int priority, std::function<void()> body) {
    machine_.start(std::move(name), processor, priority, std::move(body));
}

std::unique_ptr<measure::System::Signal> SimulatedSystem::make_signal() {
    return std::make_unique<SimulatedSignal>(machine_);
}

std::unique_ptr<measure::System::SpinLock> SimulatedSystem::make_lock() {
    return std::make_unique<SimulatedLock>(machine_);
}

std::unique_ptr<measure::System::Probe> SimulatedSystem::make_probe(unsigned processor, base::Duration period) {
    return std::make_unique<SimulatedProbe>(machine_, processor, sim::nanoseconds(period.ns));
}

void SimulatedSystem::spend(base::Duration length) {
    if (length.ns > 0) machine_.spend(sim::nanoseconds(length.ns), "client");
}

void SimulatedSystem::spend_masked(base::Duration length) {
    const bool masked = machine_.mask();
    spend(length);
    machine_.restore(masked);
}

base::Duration SimulatedSystem::busy() const {
    sim::Time total;
    for (unsigned i = 0; i < machine_.processors(); ++i) total += machine_.processor(i).busy();
    return {total.ps / 1'000};
}

} // namespace mmcpipe::rig
