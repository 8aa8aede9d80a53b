#pragma once
// Identification: from no supply to a card with an address, in stby (JESD84-B51 6.4; SD Physical Layer 4.2, 6.4.1).

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/card/link.h"
#include "mmcpipe/port/board.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/r2.h"

namespace mmcpipe::card {

struct Identity {
    Peer peer{};
    spec::R2 cid{};
    spec::Addressing addressing = spec::Addressing::byte;
};

/// The supply is off for so long: below 0.5 V for 1 ms is asked, and boards discharge slowly. Only this brings back a
/// card that has switched to 1.8 V signals.
inline constexpr base::Duration power_off_time = base::milliseconds(15);
/// The supply has risen (SD 6.4.1: at most 35 ms).
inline constexpr base::Duration ramp_time = base::milliseconds(35);
/// 74 clock cycles and 1 ms, from the clock's start to the first command: at 100 kHz and more, 1 ms is longer.
inline constexpr base::Duration first_command_delay = base::milliseconds(1);
/// CMD1 and ACMD41 are repeated for so long. The specifications ask for 1 s; cards are known to need more.
inline constexpr base::Duration power_up_limit = base::seconds(2);

/// Takes the supply away and gives it back, pulses RST_n where there is one, starts the clock. What the board cannot
/// switch stays.
base::Task<base::Result<void>> power_cycle(Link& link, port::Board& board, base::Hertz clock);

/// CMD0 to CMD3 for whichever card answers. Sets `link.peer`.
///   command_timeout: nothing answers
///   bad_register: the echo of CMD8 is wrong
///   not_supported: the card takes none of the supply's voltages; raw: its OCR
///   busy_timeout: it answers, but does not power up within `power_up_limit`; raw: its OCR
base::Task<base::Result<Identity>> identify(Link& link, port::Supply supply);

/// Power cycle and identification at 400, 300, 200 and 100 kHz, until one succeeds. Errors of the bus and a wrong echo
/// lead on to the next; no_card: nothing answered at any.
base::Task<base::Result<Identity>> find_card(Link& link, port::Board& board);

} // namespace mmcpipe::card
