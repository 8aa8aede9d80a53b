#pragma once
// The bus mode of a card and its host: how many lines, which timing, and why not more.

#include "mmcpipe/base/result.h"
#include "mmcpipe/host/settings.h"

#include <cstdint>

namespace mmcpipe::card {

/// Why a bus mode is not higher.
enum class Limit : std::uint8_t {
    host,         ///< the controller has no more
    board,        ///< no more lines are wired
    card,         ///< the card has no more, or does not say so in a register that could be read
    not_offered,  ///< this stack switches cards of the kind no higher
    locked,       ///< the card answers no more until it is unlocked
    refused,      ///< the card refused the switch, or did not answer it
    not_verified, ///< after the switch, a register read back damaged or different
    recovery,     ///< errors in use; remembered for as long as the card is in the slot
};

/// The highest value that is to be tried, and who limits it.
template <class T>
struct Ceiling {
    T value;
    Limit by;

    constexpr void lower(T to, Limit why) {
        if (to < value) *this = {to, why};
    }
};

struct BusMode {
    host::Timing timing = host::Timing::legacy;
    host::BusWidth width = host::BusWidth::x1;

    constexpr bool operator==(const BusMode&) const = default;
};

struct Ceilings {
    Ceiling<host::Timing> timing{host::Timing::legacy, Limit::host};
    Ceiling<host::BusWidth> width{host::BusWidth::x1, Limit::host};
};

/// Why a mode was not reached, from the error of the attempt.
constexpr Limit limit_of(base::Error error) {
    const bool damaged = error.code == base::Code::bad_register || error.code == base::Code::data_timeout ||
                         error.code == base::Code::data_crc;
    return damaged ? Limit::not_verified : Limit::refused;
}

/// The next narrower bus; x1 stays.
constexpr host::BusWidth narrower(host::BusWidth width) {
    return width == host::BusWidth::x8 ? host::BusWidth::x4 : host::BusWidth::x1;
}

/// One bus mode down: a slower clock before a narrower bus, since an error is a matter of time more often than of a
/// wire.
constexpr BusMode one_down(BusMode mode) {
    if (mode.timing == host::Timing::ddr52) return {host::Timing::high_speed, mode.width};
    if (mode.timing == host::Timing::high_speed) return {host::Timing::legacy, mode.width};
    return {mode.timing, narrower(mode.width)};
}

/// What host and board allow.
constexpr Ceilings ceilings_of(const host::Capabilities& host, unsigned wired_lines) {
    Ceilings ceilings;
    ceilings.timing.value = !host.high_speed ? host::Timing::legacy
                            : host.ddr52     ? host::Timing::ddr52
                                             : host::Timing::high_speed;
    ceilings.width.value = host.widest;
    ceilings.width.lower(wired_lines >= 8   ? host::BusWidth::x8
                         : wired_lines >= 4 ? host::BusWidth::x4
                                            : host::BusWidth::x1,
                         Limit::board);
    return ceilings;
}

} // namespace mmcpipe::card
