#pragma once
// Registers of the PL080 DMA controller (ARM DDI 0196, chapter 3). Shared by the driver and by nobody else: a model has
// its own.

#include "mmcpipe/base/bits.h"

#include <cstdint>

namespace mmcpipe::host::dma::pl080 {

using base::Field;

// Controller.
constexpr std::uint32_t int_tc_status = 0x004;
constexpr std::uint32_t int_tc_clear = 0x008;
constexpr std::uint32_t int_error_status = 0x00c;
constexpr std::uint32_t int_error_clear = 0x010;
constexpr std::uint32_t raw_error_status = 0x018;
constexpr std::uint32_t enabled_channels = 0x01c;
constexpr std::uint32_t configuration = 0x030; ///< bit 0 enables the controller

// Channels: 0x20 bytes each. In memory a linked-list item has the first four words (five in the PL080S) in the same
// order.
constexpr std::uint32_t channel_base = 0x100;
constexpr std::uint32_t channel_stride = 0x20;

/// Where the PL080 and the PL080S differ: the S has the transfer count in a word of its own.
enum class Layout : std::uint8_t { pl080, pl080s };

constexpr unsigned item_words(Layout layout) { return layout == Layout::pl080 ? 4 : 5; }
constexpr std::uint32_t source = 0x00;
constexpr std::uint32_t destination = 0x04;
constexpr std::uint32_t next_item = 0x08;
constexpr std::uint32_t control = 0x0c;
constexpr std::uint32_t wide_count = 0x10; ///< PL080S only
constexpr std::uint32_t channel_configuration(Layout layout) { return layout == Layout::pl080 ? 0x10 : 0x14; }
/// Transfers an element, in units of the source width.
constexpr std::uint32_t largest_count(Layout layout) { return layout == Layout::pl080 ? 0xfff : 0x1ff'ffff; }

enum class Width : std::uint8_t { byte, half_word, word };

namespace item {
using Count = Field<std::uint32_t, 11, 0>;
using SourceBurst = Field<std::uint8_t, 14, 12>;
using DestinationBurst = Field<std::uint8_t, 17, 15>;
using SourceWidth = Field<Width, 20, 18>;
using DestinationWidth = Field<Width, 23, 21>;
using SourceIncrement = Field<bool, 26>;
using DestinationIncrement = Field<bool, 27>;
using TerminalCountInterrupt = Field<bool, 31>;
} // namespace item

/// Who moves what; the controller counts (flow control) in all of them.
enum class Flow : std::uint8_t { memory_to_memory, memory_to_peripheral, peripheral_to_memory };

namespace channel {
using Enable = Field<bool, 0>;
using SourcePeripheral = Field<std::uint8_t, 4, 1>;
using DestinationPeripheral = Field<std::uint8_t, 9, 6>;
using FlowControl = Field<Flow, 13, 11>;
using ErrorInterrupt = Field<bool, 14>;         ///< 1: not masked
using TerminalCountInterrupt = Field<bool, 15>; ///< 1: not masked
using Active = Field<bool, 17>;
using Halt = Field<bool, 18>;
} // namespace channel

/// Code of a burst size: 1, 4, 8, 16, 32, 64, 128, 256 transfers.
constexpr std::uint8_t burst_code(unsigned transfers) {
    if (transfers < 4) return 0;
    std::uint8_t code = 1;
    for (unsigned n = 4; n < transfers && code < 7; n *= 2) ++code;
    return code;
}

} // namespace mmcpipe::host::dma::pl080
