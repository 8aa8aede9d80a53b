#pragma once
// SCR: SD configuration register, the 8 bytes that ACMD51 reads (SD Physical Layer 5.6).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::spec::sd {

/// Physical Layer Specification that a card says it follows, without the digit behind the point from 3.0 on.
enum class SpecVersion : std::uint8_t { v1_0, v1_10, v2_00, v3_0x, v4_xx, v5_xx, v6_xx, v7_xx, v8_xx, v9_xx_or_later };

struct Scr {
    std::uint8_t scr_structure = 0;
    std::uint8_t sd_spec = 0;
    bool data_stat_after_erase = false; ///< what erased bits read as
    std::uint8_t sd_security = 0;
    std::uint8_t sd_bus_widths = 0; ///< bit 0: 1 line, bit 2: 4 lines
    bool sd_spec3 = false;
    std::uint8_t ex_security = 0;
    bool sd_spec4 = false;
    std::uint8_t sd_specx = 0;
    std::uint8_t cmd_support = 0; ///< see below
    std::uint32_t manufacturer = 0;

    constexpr bool operator==(const Scr&) const = default;

    constexpr bool four_lines() const { return (sd_bus_widths & 1u << 2) != 0; }
    constexpr bool speed_class_control() const { return (cmd_support & 1u << 0) != 0; } ///< CMD20
    constexpr bool set_block_count() const { return (cmd_support & 1u << 1) != 0; }     ///< CMD23
    constexpr bool extension_registers() const { return (cmd_support & 1u << 2) != 0; } ///< CMD48 and CMD49

    SpecVersion version() const;

    static Scr decode(std::span<const std::byte, 8> bytes);
    std::array<std::byte, 8> encode() const;
};

} // namespace mmcpipe::spec::sd
