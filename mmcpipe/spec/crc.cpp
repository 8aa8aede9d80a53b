#include "mmcpipe/spec/crc.h"

#include <array>

namespace mmcpipe::spec {

namespace {

// Both tables hold, for each byte, what eight steps of the shift register make of it.

constexpr auto crc7_table = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        unsigned crc = byte; // the CRC stands in bits 7:1
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x80u) != 0 ? (crc ^ 0x89u) << 1 : crc << 1;
        table[byte] = static_cast<std::uint8_t>(crc);
    }
    return table;
}();

constexpr auto crc16_table = [] {
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        unsigned crc = byte << 8;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000u) != 0 ? crc << 1 ^ 0x1021u : crc << 1;
        table[byte] = static_cast<std::uint16_t>(crc);
    }
    return table;
}();

} // namespace

std::uint8_t crc7(std::span<const std::byte> message) {
    std::uint8_t crc = 0;
    for (const std::byte byte : message) crc = crc7_table[crc ^ std::to_integer<std::uint8_t>(byte)];
    return static_cast<std::uint8_t>(crc >> 1);
}

std::uint16_t crc16(std::span<const std::byte> message, std::uint16_t crc) {
    for (const std::byte byte : message) {
        crc = static_cast<std::uint16_t>(crc << 8 ^ crc16_table[crc >> 8 ^ std::to_integer<std::uint8_t>(byte)]);
    }
    return crc;
}

} // namespace mmcpipe::spec
