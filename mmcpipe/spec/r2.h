#pragma once
// The 128 bits of CID and CSD as an R2 response brings them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::spec {

/// Bits 127:96 in the first word, bits 31:0 in the last.
using R2 = std::array<std::uint32_t, 4>;

R2 r2_from_bytes(std::span<const std::byte, 16> bytes);
std::array<std::byte, 16> bytes_of(const R2& words);

/// Bits 7:0 close the register: CRC7 and a 1. Many hosts and tools strip or fill them, so an absent CRC says nothing
/// about the rest.
enum class Crc : std::uint8_t {
    valid,  ///< CRC7 of the 15 bytes before, whatever the last bit
    absent, ///< 0x00, 0x01 or 0xff in its place
    wrong,
};
Crc crc_of(const R2& words);

/// The register with its bits 7:0 as a card sends them.
R2 closed(R2 words);

} // namespace mmcpipe::spec
