#pragma once
// How a host is set, and what it can do.

#include "mmcpipe/base/units.h"
#include "mmcpipe/port/board.h"

#include <cstddef>
#include <cstdint>

namespace mmcpipe::host {

enum class BusWidth : std::uint8_t { x1 = 1, x4 = 4, x8 = 8 };

/// When data is sampled and driven, from the slowest on. Later modes (HS200, UHS-I, HS400) join here.
enum class Timing : std::uint8_t {
    legacy,
    high_speed,
    ddr52, ///< MMC: as high_speed, but for data on both edges of the clock, in blocks of 512 bytes (JESD84-A441 7.6.3)
};

/// Everything that is set in one call. A host applies it in a fixed order (supply, signal voltage, clock stopped, width
/// and timing, clock) and returns when the clock runs.
struct Settings {
    port::Supply supply = port::Supply::off;
    port::Signal signal = port::Signal::v3_3;
    base::Hertz clock{}; ///< at most this; zero stops the clock
    BusWidth width = BusWidth::x1;
    Timing timing = Timing::legacy;
    bool open_drain = false; ///< CMD during MMC identification (JESD84 6.2)
};

/// What a host can do; constant for its life.
struct Capabilities {
    base::Hertz slowest{};
    base::Hertz fastest{};
    BusWidth widest = BusWidth::x1;
    bool high_speed = false;
    bool ddr52 = false;                  ///< at the signal voltages of high speed
    bool detects_busy = false;           ///< waits for DAT0 after R1b itself
    base::Duration longest_busy{};       ///< for at most so long
    std::uint32_t max_blocks = 0;        ///< blocks a request
    std::uint32_t max_bytes = 0;         ///< bytes a request
    std::uint32_t max_block_size = 0;    ///< bytes a block
    bool any_block_size = false;         ///< not only powers of two
    std::uint32_t max_elements = 0;      ///< scatter-gather elements a request by DMA, after mapping
    std::uint32_t max_element_bytes = 0; ///< bytes an element; 0: any
    std::uint32_t element_alignment = 1; ///< bytes beside it, at both ends of a buffer, are elements of their own
    bool pio = false;                    ///< what DMA cannot move goes by PIO, slower, instead of being refused
};

} // namespace mmcpipe::host
