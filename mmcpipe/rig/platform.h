#pragma once
// Platform: everything that stands around a card on one board, read from a profile. docs/simulator.md describes the
// keys.

#include "mmcpipe/host/dma/mapping.h"
#include "mmcpipe/measure/system.h"
#include "mmcpipe/sim/costs.h"
#include "mmcpipe/sim/profile.h"

#include <cstdint>
#include <string>

namespace mmcpipe::rig {

enum class Controller : std::uint8_t { pl18x, pxamci };
enum class Cell : std::uint8_t { arm_pl180, arm_pl181, arm_pl181_extended_fifo, st_v1, st_v2, st_v3, pxa25x, pxa27x };
/// `pxa` and `pxa_chain` are the same controller: as an engine, and programmed by the host driver itself.
enum class DmaEngine : std::uint8_t { none, pl080, pl080s, pxa, pxa_chain };

struct Platform {
    std::string name;
    std::string summary;   ///< one line for `mmcpipe list platforms`
    std::string card;      ///< profile of the card that is in the slot unless another one is named
    std::string published; ///< file under data/published/ that it serves; empty if none

    // Controller.
    Controller controller{};
    Cell cell{};
    std::uint32_t base_clock = 0; ///< Hz, what the controller's clock is divided from
    unsigned bus_width = 0;       ///< DAT lines on the board

    // DMA.
    DmaEngine dma{};
    std::uint32_t dma_max_element = 0;  ///< bytes
    std::uint32_t dma_max_elements = 0; ///< in one list
    host::dma::BarrierPer barrier_per{};

    // Processors and memory.
    unsigned processors = 0;
    std::size_t cache_line = 0; ///< bytes; 1: DMA is coherent
    sim::Costs costs{};
    measure::ClientCosts clients{};

    sim::Profile profile; ///< what it was made from
};

/// Throws sim::ProfileError.
Platform read_platform(sim::Profile profile);

} // namespace mmcpipe::rig
