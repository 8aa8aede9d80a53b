#pragma once
// What the cells of the PL18x family differ in, as data.

#include "mmcpipe/host/settings.h"

#include <cstdint>

namespace mmcpipe::host::pl18x {

/// How the divider makes the card's clock from MCLK.
enum class ClockDivider : std::uint8_t {
    twice_plus_one, ///< MCLK / (2 x (divider + 1)), ARM
    plus_two,       ///< MCLK / (divider + 2), ST
};

/// How DataCtrl states the block size.
enum class BlockSize : std::uint8_t { log2, bytes };

struct Variant {
    std::uint8_t fifo_words; ///< half of it is what the threshold flags and DMA bursts count
    std::uint8_t half_fifo_words;
    std::uint8_t data_length_bits; ///< width of DATALENGTH
    ClockDivider divider;
    BlockSize block_size;
    BusWidth widest;
    bool flow_control; ///< the clock can wait for the FIFO
    bool dma;          ///< the DMA request lines work
    bool detects_busy; ///< an interrupt when DAT0 is released
    bool both_edges;   ///< dual data rate

    constexpr std::uint32_t longest_data() const { return (1u << data_length_bits) - 1; }
};

/// ARM PL180: 16 words of FIFO, one data line (DDI 0172).
constexpr Variant arm_pl180{16,   8,     16,   ClockDivider::twice_plus_one, BlockSize::log2, BusWidth::x1, false,
                            true, false, false};
/// ARM PL181: four data lines (DDI 0205).
constexpr Variant arm_pl181{16,   8,     16,   ClockDivider::twice_plus_one, BlockSize::log2, BusWidth::x4, false,
                            true, false, false};
/// The PL181 of ARM's later development boards: 128 words of FIFO, for systems without DMA.
constexpr Variant arm_pl181_extended_fifo{
    128, 64, 16, ClockDivider::twice_plus_one, BlockSize::log2, BusWidth::x4, false, false, false, false};
/// ST's first derivative: flow control, 24 bits of length, its own divider.
constexpr Variant st_v1{16, 8, 24, ClockDivider::plus_two, BlockSize::log2, BusWidth::x8, true, true, false, false};
/// ST's second: a deeper FIFO, and data on both edges of the clock.
constexpr Variant st_v2{30, 8, 24, ClockDivider::plus_two, BlockSize::log2, BusWidth::x8, true, true, false, true};
/// ST's third: any block size, and an interrupt at the end of busy.
constexpr Variant st_v3{30, 8, 24, ClockDivider::plus_two, BlockSize::bytes, BusWidth::x8, true, true, true, true};

} // namespace mmcpipe::host::pl18x
