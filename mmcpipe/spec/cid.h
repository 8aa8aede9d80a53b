#pragma once
// CID: who made a card, what it is called, when it was made (JESD84-B51 7.2, SD Physical Layer 5.2). MMC and SD arrange
// it differently and take MID from different registrars.

#include "mmcpipe/spec/r2.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mmcpipe::spec {

/// Product revision n.m.
struct Revision {
    std::uint8_t raw = 0;

    constexpr bool operator==(const Revision&) const = default;
    constexpr unsigned n() const { return raw >> 4; }
    constexpr unsigned m() const { return raw & 0xfu; }
};

/// A month. Some cards hold months that do not exist; they are kept as they are.
struct Date {
    std::optional<std::uint16_t> year{}; ///< nothing: cannot be told
    std::uint8_t month = 0;

    constexpr bool operator==(const Date&) const = default;
    /// A month that was.
    constexpr bool valid() const { return year && month >= 1 && month <= 12; }
};

/// A product name without the blanks and NULs behind it; some cards fill up with them.
std::string_view trimmed(std::string_view product_name);

namespace mmc {

/// A card of system specification 2.0 or later.
struct Cid {
    std::uint8_t mid = 0;      ///< manufacturer
    std::uint8_t bin = 0;      ///< bank index number, 6 bits; 0 before 5.1
    std::uint8_t cbx = 0;      ///< 0 removable card, 1 BGA, 2 package on package
    std::uint8_t oid = 0;      ///< OEM or application
    std::array<char, 6> pnm{}; ///< product name
    Revision prv{};
    std::uint32_t psn = 0; ///< serial number
    std::uint8_t mdt = 0;  ///< month and a code for the year; see `made`

    constexpr bool operator==(const Cid&) const = default;

    std::string_view name() const { return trimmed({pnm.data(), pnm.size()}); }

    /// Bits 119:104 as one number. Tables of cards with quirks have long been written with this reading of OID.
    constexpr std::uint16_t oid_16() const {
        return static_cast<std::uint16_t>((bin & 0x3fu) << 10 | (cbx & 3u) << 8 | oid);
    }

    /// When the card was made. The 16 year codes have been used again twice, and only EXT_CSD_REV tells which time is
    /// meant: 0 for a card that has no EXT_CSD, nothing where it is not known, and then the year is not known either.
    /// JESD84-B51B 7.2.
    Date made(std::optional<std::uint8_t> ext_csd_rev) const;

    static Cid decode(const R2& words);
    R2 encode() const;
};

} // namespace mmc

namespace sd {

struct Cid {
    std::uint8_t mid = 0;      ///< manufacturer
    std::uint16_t oid = 0;     ///< OEM or application: two characters
    std::array<char, 5> pnm{}; ///< product name
    Revision prv{};
    std::uint32_t psn = 0; ///< serial number
    std::uint16_t mdt = 0; ///< 8 bits year since 2000, 4 bits month

    constexpr bool operator==(const Cid&) const = default;

    std::string_view name() const { return trimmed({pnm.data(), pnm.size()}); }

    constexpr Date made() const {
        return {static_cast<std::uint16_t>(2000 + (mdt >> 4)), static_cast<std::uint8_t>(mdt & 0xfu)};
    }

    static Cid decode(const R2& words);
    R2 encode() const;
};

} // namespace sd

} // namespace mmcpipe::spec
