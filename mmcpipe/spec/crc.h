#pragma once
// The two checksums of the bus (JESD84-B51 8.2, SD Physical Layer 4.5).

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::spec {

/// CRC7 of commands, responses, CID and CSD: x^7 + x^3 + 1, from zero. 7 bits, right-aligned.
std::uint8_t crc7(std::span<const std::byte> message);

/// The byte that closes a message on the CMD line: its CRC7 and the end bit.
inline std::byte closing_byte(std::span<const std::byte> message) {
    return static_cast<std::byte>(unsigned{crc7(message)} << 1 | 1u);
}

/// CRC16 of data blocks: x^16 + x^12 + x^5 + 1, from zero. On one data line it covers the whole block, high bit first.
/// `crc` goes on where an earlier piece of the block ended.
std::uint16_t crc16(std::span<const std::byte> message, std::uint16_t crc = 0);

} // namespace mmcpipe::spec
