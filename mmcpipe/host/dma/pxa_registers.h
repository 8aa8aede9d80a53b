#pragma once
// Registers of the DMA controller in Intel's PXA25x and PXA27x (Developer's Manuals, chapter 5). Shared by the drivers
// and by nobody else: a model has its own.

#include "mmcpipe/base/bits.h"

#include <cstdint>

namespace mmcpipe::host::dma::pxa {

using base::Field;

/// Channels of the larger of the two; the PXA25x has 16.
constexpr unsigned channels = 32;
/// Request lines that have their DRCMR in one row.
constexpr unsigned requests = 64;

constexpr std::uint32_t control(unsigned channel) { return 4 * channel; } ///< DCSR
constexpr std::uint32_t interrupts = 0x0f0;                               ///< DINT, a bit a channel
constexpr std::uint32_t request_map(unsigned request) { return 0x100 + 4 * request; }
constexpr std::uint32_t next_descriptor(unsigned channel) { return 0x200 + 16 * channel; } ///< DDADR
constexpr std::uint32_t source(unsigned channel) { return 0x204 + 16 * channel; }          ///< DSADR
constexpr std::uint32_t target(unsigned channel) { return 0x208 + 16 * channel; }          ///< DTADR

/// DCSR. The interrupt bits are cleared by writing 1; `Stopped` is not written.
namespace dcsr {
using BusError = Field<bool, 0>;
using StartInterrupt = Field<bool, 1>;
using EndInterrupt = Field<bool, 2>;
using Stopped = Field<bool, 3>; ///< the channel touches memory no more
using StopInterruptEnable = Field<bool, 29>;
using Run = Field<bool, 31>; ///< cleared by the channel itself at the end of a list

constexpr std::uint32_t latched = BusError::mask | StartInterrupt::mask | EndInterrupt::mask;
} // namespace dcsr

/// DRCMR: which channel serves a request line.
namespace drcmr {
using Channel = Field<std::uint8_t, 4, 0>;
using Valid = Field<bool, 7>;
} // namespace drcmr

/// DDADR, and the first word of a descriptor: the address of the next one, 16-byte aligned.
namespace ddadr {
using Stop = Field<bool, 0>; ///< there is none
} // namespace ddadr

/// DCMD, and the last word of a descriptor.
namespace dcmd {
enum class Size : std::uint8_t { bytes_8 = 1, bytes_16 = 2, bytes_32 = 3 };
enum class Width : std::uint8_t { none, byte, half_word, word };

using Length = Field<std::uint16_t, 12, 0>; ///< bytes
using PeripheralWidth = Field<Width, 15, 14>;
using Burst = Field<Size, 17, 16>; ///< for one request of the peripheral
using TargetRequests = Field<bool, 28>;
using SourceRequests = Field<bool, 29>;
using IncrementTarget = Field<bool, 30>;
using IncrementSource = Field<bool, 31>;
} // namespace dcmd

/// The longest descriptor.
constexpr std::uint32_t longest_length = 8191;

/// As the controller fetches it, aligned to 16 bytes.
struct Descriptor {
    std::uint32_t next;
    std::uint32_t source;
    std::uint32_t target;
    std::uint32_t command;
};
static_assert(sizeof(Descriptor) == 16);

} // namespace mmcpipe::host::dma::pxa
