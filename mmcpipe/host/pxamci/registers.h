#pragma once
// Registers of the MultiMediaCard/SD controller in Intel's PXA25x and PXA27x (Developer's Manuals, chapter 15).

#include "mmcpipe/base/bits.h"

#include <cstdint>

namespace mmcpipe::host::pxamci {

using base::Field;

namespace offset {
constexpr std::uint32_t clock = 0x00;        ///< MMC_STRPCL
constexpr std::uint32_t status = 0x04;       ///< MMC_STAT; cleared when the clock starts with a command
constexpr std::uint32_t clock_rate = 0x08;   ///< MMC_CLKRT: the base clock is divided by 2 to the power of this, 0 to 6
constexpr std::uint32_t spi = 0x0c;          ///< MMC_SPI
constexpr std::uint32_t command_data = 0x10; ///< MMC_CMDAT: to be written for each command, even if it stays the same
constexpr std::uint32_t response_time = 0x14; ///< MMC_RESTO: periods of the card's clock
constexpr std::uint32_t read_time = 0x18;     ///< MMC_RDTO: in 256 periods of the base clock
constexpr std::uint32_t block_length = 0x1c;  ///< MMC_BLKLEN, bytes
constexpr std::uint32_t blocks = 0x20;        ///< MMC_NOB
constexpr std::uint32_t part_full = 0x24;     ///< MMC_PRTBUF: 1 hands over a transmit FIFO that is not full
constexpr std::uint32_t mask = 0x28;          ///< MMC_I_MASK: 1 masks
constexpr std::uint32_t interrupts = 0x2c;    ///< MMC_I_REG: as they are, masked or not
constexpr std::uint32_t command = 0x30;       ///< MMC_CMD
constexpr std::uint32_t argument_high = 0x34; ///< MMC_ARGH
constexpr std::uint32_t argument_low = 0x38;  ///< MMC_ARGL
constexpr std::uint32_t response = 0x3c;      ///< MMC_RES: a FIFO of eight half-words
constexpr std::uint32_t receive_fifo = 0x40;  ///< MMC_RXFIFO, bytes
constexpr std::uint32_t transmit_fifo = 0x44; ///< MMC_TXFIFO, bytes
} // namespace offset

namespace clock {
constexpr std::uint32_t stop = 1u << 0;
constexpr std::uint32_t start = 1u << 1; ///< with a command, if its registers have been written
constexpr std::uint32_t slowest_rate = 6;
} // namespace clock

namespace command_data {
enum class Response : std::uint8_t { none, r1, r2, r3 }; ///< r1: every one of 48 bits with a CRC7

using Format = Field<Response, 1, 0>;
using Data = Field<bool, 2>;
using Write = Field<bool, 3>;
using Busy = Field<bool, 5>;       ///< R1b
using Initialise = Field<bool, 6>; ///< 80 clocks go before the command
using Dma = Field<bool, 7>;
using Wide4 = Field<bool, 8>; ///< PXA27x
} // namespace command_data

namespace status {
constexpr std::uint32_t read_time_out = 1u << 0;
constexpr std::uint32_t response_time_out = 1u << 1;
constexpr std::uint32_t write_crc = 1u << 2; ///< the card's CRC status was negative
constexpr std::uint32_t read_crc = 1u << 3;
constexpr std::uint32_t response_crc = 1u << 5;
constexpr std::uint32_t clock_on = 1u << 8;
constexpr std::uint32_t data_done = 1u << 11;
constexpr std::uint32_t command_done = 1u << 13; ///< END_CMD_RES

constexpr std::uint32_t command_bits = response_time_out | response_crc | command_done;
constexpr std::uint32_t data_errors = read_time_out | write_crc | read_crc;
} // namespace status

/// Bits of MMC_I_MASK and MMC_I_REG.
namespace interrupt {
constexpr std::uint32_t data_done = 1u << 0;
constexpr std::uint32_t command_done = 1u << 2;
constexpr std::uint32_t clock_is_off = 1u << 4;
constexpr std::uint32_t receive_request = 1u << 5;
constexpr std::uint32_t transmit_request = 1u << 6;
} // namespace interrupt

/// Each of the two halves of a FIFO: it is handed over when it is full, or empty.
constexpr std::uint32_t fifo_bytes = 32;

} // namespace mmcpipe::host::pxamci
