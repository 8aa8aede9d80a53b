#pragma once
// OCR: operation conditions, the argument of CMD1 and ACMD41 and the answer to them (JESD84-B51 7.1, SD Physical
// Layer 5.1).

#include "mmcpipe/base/bits.h"
#include "mmcpipe/spec/command.h"

#include <cstdint>

namespace mmcpipe::spec {

namespace ocr {

/// In the answer: 0 while the card is busy with its power-up.
using PoweredUp = base::Field<bool, 31>;

/// One bit for each 100 mV from 2.7 to 3.6 V.
inline constexpr std::uint32_t v2_7_to_3_6 = 0x00ff8000;
inline constexpr std::uint32_t v3_2_to_3_4 = 0x00300000;
/// MMC: the card works at 1.70 to 1.95 V.
using DualVoltage = base::Field<bool, 7>;

/// True if the card and the host have a voltage in common.
constexpr bool voltages_agree(std::uint32_t card, std::uint32_t host) {
    return (card & host & (v2_7_to_3_6 | DualVoltage::mask)) != 0;
}

} // namespace ocr

namespace mmc::ocr {

/// 0: bytes, 2: sectors. The host says what it can, a card that has powered up says what it does.
using AccessMode = base::Field<std::uint8_t, 30, 29>;
inline constexpr std::uint8_t byte_mode = 0;
inline constexpr std::uint8_t sector_mode = 2;

constexpr Addressing addressing(std::uint32_t word) {
    return AccessMode::get(word) == sector_mode ? Addressing::sector : Addressing::byte;
}

} // namespace mmc::ocr

namespace sd::ocr {

/// From the host: it supports SDHC and SDXC. From a card that has powered up: it is one.
using HighCapacity = base::Field<bool, 30>;

constexpr Addressing addressing(std::uint32_t word) {
    return HighCapacity::get(word) ? Addressing::sector : Addressing::byte;
}

} // namespace sd::ocr

} // namespace mmcpipe::spec
