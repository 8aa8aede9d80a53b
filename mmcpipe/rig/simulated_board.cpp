#include "mmcpipe/rig/simulated_board.h"

namespace mmcpipe::rig {

namespace {

constexpr unsigned dma_request = 0;
constexpr std::uint32_t host_fifo = 0x4000'0080;
constexpr std::uint32_t fifo_size = 64; ///< bytes of addresses (DDI 0172, table 3-1)

sim::controller::Pl18xCell cell_of(Cell cell) {
    using sim::controller::Pl18xCell;
    switch (cell) {
    case Cell::arm_pl180: return {.lines = 1};
    case Cell::arm_pl181: return {};
    case Cell::arm_pl181_extended_fifo: return {.fifo_words = 128, .half_fifo_words = 64};
    case Cell::st_v1: return {.data_length_bits = 24, .lines = 8, .st_divider = true, .flow_control = true};
    case Cell::st_v2:
        return {.fifo_words = 30, .data_length_bits = 24, .lines = 8, .st_divider = true, .flow_control = true};
    case Cell::st_v3: break;
    }
    return {.fifo_words = 30,
            .data_length_bits = 24,
            .lines = 8,
            .st_divider = true,
            .block_size_in_bytes = true,
            .flow_control = true,
            .busy_detect = true};
}

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
      host_model_(engine_, bus_, host_line_, &faults_, cell_of(platform.cell),
                  sim::picoseconds(1'000'000'000'000 / platform.base_clock)),
      dma_model_(engine_, memory_, dma_line_, &faults_, platform.dma == DmaEngine::pl080s),
      registers_(machine_),
      host_window_(registers_, host_model_),
      dma_window_(registers_, dma_model_) {
    machine_.set_trace(trace);
    bus_.insert(card_.get());
    const sim::controller::Pl18xCell cell = cell_of(platform.cell);
    host_model_.set_dma(dma_model_.wire(dma_request, host_model_, {host_fifo, fifo_size, cell.half_fifo_words}));
}

SimulatedBoard::~SimulatedBoard() = default;

void SimulatedBoard::run(const std::function<void(Stack&)>& body) {
    const Doors doors{environment_, memory_, *this, host_window_, host_line_, dma_window_, dma_line_, host_fifo};
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
