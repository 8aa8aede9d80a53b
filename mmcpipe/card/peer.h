#pragma once
// Whom a command is for, and how its answers are read.

#include "mmcpipe/base/result.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/r1.h"
#include "mmcpipe/spec/state.h"

#include <cstdint>

namespace mmcpipe::card {

struct Peer {
    spec::Rca rca{};
    spec::Family family = spec::Family::mmc;

    constexpr bool operator==(const Peer&) const = default;
};

/// The bits of an R1 word that are an error of the command answered, or of what the card did since the answer before.
/// COM_CRC_ERROR and ILLEGAL_COMMAND are not: they are about the command before, and that one was not answered, which
/// was noticed then. (After CMD8 and CMD55 have found out what a card is not, ILLEGAL_COMMAND is nothing to worry
/// about.)
constexpr std::uint32_t error_bits(spec::Family family, std::uint32_t r1) {
    const std::uint32_t errors = family == spec::Family::mmc ? spec::r1::mmc_errors : spec::r1::sd_errors;
    return r1 & errors & ~spec::r1::about_previous;
}

/// Nothing wrong, switch_refused, or r1_error; raw: the error bits.
constexpr base::Result<void> judge(spec::Family family, std::uint32_t r1) {
    const std::uint32_t errors = error_bits(family, r1);
    if (errors == 0) return {};
    const bool refused = family == spec::Family::mmc && spec::r1::SwitchError::get(errors);
    return base::fail(refused ? base::Code::switch_refused : base::Code::r1_error, errors);
}

} // namespace mmcpipe::card
