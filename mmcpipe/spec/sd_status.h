#pragma once
// SD Status (SSR): the 64 bytes that ACMD13 reads (SD Physical Layer 4.10.2). Many cards answer it late or never; a
// card without it works with the values of a default-constructed one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::spec::sd {

struct SdStatus {
    std::uint8_t dat_bus_width = 0; ///< 0: 1 line, 2: 4 lines
    bool secured_mode = false;
    std::uint16_t sd_card_type = 0;
    std::uint32_t size_of_protected_area = 0;
    std::uint8_t speed_class = 0; ///< a code; see `speed_class_mb_s`
    std::uint8_t performance_move = 0;
    std::uint8_t au_size = 0;       ///< a code; see `au_sectors`
    std::uint16_t erase_size = 0;   ///< allocation units that the next two are about; 0: not given
    std::uint8_t erase_timeout = 0; ///< seconds
    std::uint8_t erase_offset = 0;  ///< seconds
    std::uint8_t uhs_speed_grade = 0;
    std::uint8_t uhs_au_size = 0;
    std::uint8_t video_speed_class = 0; ///< MB/s
    std::uint16_t vsc_au_size = 0;      ///< MiB
    std::uint32_t sus_addr = 0;
    std::uint8_t app_perf_class = 0; ///< 1: A1, 2: A2
    std::uint8_t performance_enhance = 0;
    bool discard_support = false;
    bool fule_support = false; ///< full user area logical erase

    constexpr bool operator==(const SdStatus&) const = default;

    /// Speed class as printed on the card: 0, 2, 4, 6, 10.
    unsigned speed_class_mb_s() const;
    /// The allocation unit, in 512-byte sectors; 0: not given.
    std::uint32_t au_sectors() const;

    static SdStatus decode(std::span<const std::byte, 64> bytes);
    std::array<std::byte, 64> encode() const;
};

} // namespace mmcpipe::spec::sd
