#pragma once
// What every image does with a card: it brings it up, tries the functional cases of mmc_test (1 to 22) and the
// conformance suite, and says how that went.

#include "firmware/run/arguments.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/port/board.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace firmware {

/// Runs the host's executor until all is done. `platform`: the name of the board. `memory`: as `trial::Bench` wants it.
/// The exit code is passed, cases_failed, no_usable_card or bad_arguments.
///
/// The cases write to the card. So that they never do to somebody's photographs, the card has to begin with the text
/// "mmcpipe". Its first sector is put back in the end.
int use_card(mmcpipe::host::Host& host, mmcpipe::port::Board& board, std::string_view platform,
             std::span<std::byte> memory, const Arguments& arguments);

} // namespace firmware
