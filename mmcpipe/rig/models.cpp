#include "mmcpipe/rig/models.h"

#include "mmcpipe/rig/wiring.h"
#include "mmcpipe/sim/controller/pl18x.h"
#include "mmcpipe/sim/controller/pxamci.h"
#include "mmcpipe/sim/dma/pl080.h"
#include "mmcpipe/sim/dma/pxa.h"

namespace mmcpipe::rig {

namespace {

// DDI 0172, table 3-1.
constexpr std::uint32_t pl18x_fifo = 0x80;
constexpr std::uint32_t pl18x_fifo_size = 64; ///< bytes of addresses

sim::Time period_of(std::uint32_t hertz) { return sim::picoseconds(1'000'000'000'000 / hertz); }

sim::controller::Pl18xCell pl18x_cell(Cell cell) {
    using sim::controller::Pl18xCell;
    switch (cell) {
    case Cell::arm_pl180: return {.lines = 1};
    case Cell::arm_pl181_extended_fifo: return {.fifo_words = 128, .half_fifo_words = 64};
    case Cell::st_v1: return {.data_length_bits = 24, .lines = 8, .st_divider = true, .flow_control = true};
    case Cell::st_v2:
        return {.fifo_words = 30,
                .data_length_bits = 24,
                .lines = 8,
                .st_divider = true,
                .flow_control = true,
                .both_edges = true};
    case Cell::st_v3:
        return {.fifo_words = 30,
                .data_length_bits = 24,
                .lines = 8,
                .st_divider = true,
                .block_size_in_bytes = true,
                .flow_control = true,
                .busy_detect = true,
                .both_edges = true};
    default: return {};
    }
}

sim::controller::PxamciCell pxamci_cell(Cell cell) {
    if (cell == Cell::pxa25x) return {};
    return {.four_lines = true, .block_length_bits = 12, .loses_early_dma = true, .false_crc_error = true};
}

class Pl18xModels final : public Models {
public:
    Pl18xModels(const Platform& platform, const Surroundings& around)
        : host_(around.engine, around.bus, around.host_line, &around.faults, pl18x_cell(platform.cell),
                period_of(platform.base_clock)),
          dma_(around.engine, around.memory, around.dma_line, &around.faults, platform.dma == DmaEngine::pl080s) {
        host_.set_dma(
            dma_.wire(wiring::pl18x_request, host_,
                      {wiring::host + pl18x_fifo, pl18x_fifo_size, pl18x_cell(platform.cell).half_fifo_words}));
    }
    sim::Device& host() override { return host_; }
    sim::Device& dma() override { return dma_; }

private:
    sim::controller::Pl18x host_;
    sim::dma::Pl080 dma_;
};

class PxamciModels final : public Models {
public:
    PxamciModels(const Platform& platform, const Surroundings& around)
        : host_(around.engine, around.bus, around.host_line, &around.faults, pxamci_cell(platform.cell),
                period_of(platform.base_clock)),
          dma_(around.engine, around.memory, around.dma_line, &around.faults) {
        host_.set_dma(dma_.wire(wiring::pxamci_receive_request, host_, wiring::host + 0x40),
                      dma_.wire(wiring::pxamci_transmit_request, host_, wiring::host + 0x44));
    }
    sim::Device& host() override { return host_; }
    sim::Device& dma() override { return dma_; }

private:
    sim::controller::Pxamci host_;
    sim::dma::Pxa dma_;
};

} // namespace

std::unique_ptr<Models> make_models(const Platform& platform, const Surroundings& around) {
    if (platform.controller == Controller::pxamci) return std::make_unique<PxamciModels>(platform, around);
    return std::make_unique<Pl18xModels>(platform, around);
}

} // namespace mmcpipe::rig
