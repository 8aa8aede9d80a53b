#include "mmcpipe/rig/simulated_board.h"

namespace mmcpipe::rig {

namespace {

sim::MemoryLayout layout_of(const Platform& platform) {
    sim::MemoryLayout layout;
    layout.line_size = platform.cache_line;
    return layout;
}

} // namespace

SimulatedBoard::SimulatedBoard(const Platform& platform, const CardProfile& card, sim::Trace* trace)
    : platform_(platform),
      trace_(trace),
      machine_(engine_, platform.costs, platform.processors),
      memory_(machine_, layout_of(platform)),
      environment_(machine_),
      bus_(engine_, trace, &faults_),
      card_(make_card(card)),
      host_line_(machine_),
      dma_line_(machine_),
      models_(make_models(platform, {engine_, memory_, bus_, faults_, host_line_, dma_line_})),
      registers_(machine_),
      host_window_(registers_, models_->host()),
      dma_window_(registers_, models_->dma()) {
    machine_.set_trace(trace);
    bus_.insert(card_.get());
}

SimulatedBoard::~SimulatedBoard() = default;

void SimulatedBoard::run(const std::function<void(Stack&)>& body) {
    const Doors doors{environment_, memory_, *this, host_window_, host_line_, dma_window_, dma_line_};
    machine_.start("executor", 0, 0, [&] {
        Stack stack(platform_, doors, trace_ != nullptr ? static_cast<PrepareTrace*>(this) : nullptr);
        body(stack);
    });
    machine_.run();
}

void SimulatedBoard::remove_card() { bus_.insert(nullptr); }

void SimulatedBoard::insert_card() { bus_.insert(card_.get()); }

base::Result<void> SimulatedBoard::set_supply(port::Supply supply) {
    if (supply != port::Supply::off && !has(supply)) return base::fail(base::Code::not_possible);
    bus_.power(supply != port::Supply::off);
    return {};
}

base::Result<void> SimulatedBoard::set_signal(port::Signal signal) {
    if (signal != port::Signal::v3_3) return base::fail(base::Code::not_possible);
    return {};
}

base::Result<void> SimulatedBoard::hold_reset(bool held) {
    bus_.reset_pin(held);
    return {};
}

void SimulatedBoard::end(const char* what, std::int64_t mark, const host::Request& request) {
    trace_->span({sim::Lane::cpu, 0, what, {mark}, machine_.now(), request.data->bytes()});
}

} // namespace mmcpipe::rig
