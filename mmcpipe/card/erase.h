#pragma once
// Erase and trim (JESD84-B51 6.6.9 to 6.6.13; SD Physical Layer 4.3.5).

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/card/card.h"
#include "mmcpipe/spec/command.h"

#include <cstdint>

namespace mmcpipe::card {

struct Sectors {
    std::uint64_t first = 0; ///< of 512 bytes
    std::uint64_t count = 0;

    constexpr bool operator==(const Sectors&) const = default;
};

/// CMD35, CMD36 and CMD38, or CMD32, CMD33 and CMD38 for SD, and waits for the end of the busy. `erase` and
/// `secure_erase` take whole erase units (`Properties::erase_unit`): a card would round outward, into what is not to be
/// erased. `trim` and `discard` take sectors. How long it may take grows with the range; splitting it is the caller's.
///   misaligned: not whole units
///   out_of_range: empty, or beyond the card's end
///   not_possible: the card cannot; secure trim (not offered here)
///   r1_error: also if a part was skipped for its write protection (WP_ERASE_SKIP)
///   and those of `Link` and `Card::usable`.
base::Task<base::Result<void>> erase(Card& card, Sectors range, spec::Erase kind = spec::Erase::erase);

} // namespace mmcpipe::card
