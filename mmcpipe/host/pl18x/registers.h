#pragma once
// Registers of the ARM PrimeCell MultiMedia Card Interface PL180/PL181 (ARM DDI 0172, DDI 0205, chapter 3), and what
// ST's cells added.

#include "mmcpipe/base/bits.h"

#include <cstdint>

namespace mmcpipe::host::pl18x {

using base::Field;

namespace offset {
constexpr std::uint32_t power = 0x00;
constexpr std::uint32_t clock = 0x04;
constexpr std::uint32_t argument = 0x08;
constexpr std::uint32_t command = 0x0c;
constexpr std::uint32_t response0 = 0x14;
constexpr std::uint32_t data_timer = 0x24;  ///< periods of the card's clock
constexpr std::uint32_t data_length = 0x28; ///< bytes
constexpr std::uint32_t data_control = 0x2c;
constexpr std::uint32_t data_count = 0x30; ///< bytes still to come
constexpr std::uint32_t status = 0x34;
constexpr std::uint32_t clear = 0x38;
constexpr std::uint32_t mask0 = 0x3c;
constexpr std::uint32_t mask1 = 0x40;
constexpr std::uint32_t fifo = 0x80;
} // namespace offset

namespace power {
enum class Control : std::uint8_t { off = 0, power_up = 2, on = 3 };
using State = Field<Control, 1, 0>;
using OpenDrain = Field<bool, 6>;
} // namespace power

namespace clock {
using Divider = Field<std::uint8_t, 7, 0>;
using Enable = Field<bool, 8>;
using Bypass = Field<bool, 10>;
using Wide4 = Field<bool, 11>;
using Wide8 = Field<bool, 12>;        ///< ST
using NegativeEdge = Field<bool, 13>; ///< later ST cells: CMD and DAT half a cycle later; data on both edges needs it
using FlowControl = Field<bool, 14>;  ///< ST: stops the card's clock while the FIFO cannot follow
} // namespace clock

namespace command {
using Index = Field<std::uint8_t, 5, 0>;
using Response = Field<bool, 6>;
using LongResponse = Field<bool, 7>;
using Enable = Field<bool, 10>;
} // namespace command

namespace data_control {
using Enable = Field<bool, 0>;
using FromCard = Field<bool, 1>;
using Dma = Field<bool, 3>;
using BlockSizeLog2 = Field<std::uint8_t, 7, 4>;
using BothEdges = Field<bool, 15>;                   ///< later ST cells: dual data rate
using BlockSizeBytes = Field<std::uint16_t, 30, 16>; ///< later ST cells
} // namespace data_control

/// Bits of status, clear and both masks.
namespace status {
constexpr std::uint32_t command_crc_fail = 1u << 0;
constexpr std::uint32_t data_crc_fail = 1u << 1;
constexpr std::uint32_t command_timeout = 1u << 2;
constexpr std::uint32_t data_timeout = 1u << 3;
constexpr std::uint32_t tx_underrun = 1u << 4;
constexpr std::uint32_t rx_overrun = 1u << 5;
constexpr std::uint32_t response_end = 1u << 6;
constexpr std::uint32_t command_sent = 1u << 7;
constexpr std::uint32_t data_end = 1u << 8;
constexpr std::uint32_t start_bit_error = 1u << 9;
constexpr std::uint32_t data_block_end = 1u << 10;
constexpr std::uint32_t tx_fifo_half_empty = 1u << 14; ///< room for half a FIFO
constexpr std::uint32_t rx_fifo_half_full = 1u << 15;  ///< half a FIFO of words, or more
constexpr std::uint32_t rx_data_available = 1u << 21;
constexpr std::uint32_t card_busy = 1u << 24; ///< ST: DAT0 is low; in masks and clear: it was released

constexpr std::uint32_t command_bits = command_crc_fail | command_timeout | response_end | command_sent;
constexpr std::uint32_t data_errors = data_crc_fail | data_timeout | tx_underrun | rx_overrun | start_bit_error;
constexpr std::uint32_t data_bits = data_errors | data_end;
constexpr std::uint32_t clearable = command_bits | data_bits | data_block_end | card_busy;
} // namespace status

} // namespace mmcpipe::host::pl18x
