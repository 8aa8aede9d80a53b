#pragma once
// Recovery: what is done after an error, as a table. For a request that failed for the n-th time the row (error, n) is
// looked up and its actions are carried out in order.

#include "mmcpipe/base/result.h"

#include <array>
#include <cstdint>

namespace mmcpipe::card {

enum class Action : std::uint8_t {
    none,        ///< fills a row up
    reset_lines, ///< reset the host's command and data path
    stop,        ///< CMD13; CMD12 if the card is in data or rcv
    ready,       ///< CMD13 until the card is in tran, for as long as what failed may take
    mode_down,   ///< one bus mode down, and never up again
    power_cycle, ///< supply off and on, then everything from identification on; it has to be the same card
    resend,      ///< the caller sends again what is not done
};

struct RecoveryRow {
    base::Code error;
    std::uint8_t attempt; ///< from 1
    std::array<Action, 4> actions;
};

// Beside the table there are four rules:
// - Without a row nothing is left to try, or nothing would help (r1_error, switch_refused: the card would only repeat
//   it): the card is put in order, by `stop` and `ready`, and the request fails. What was never sent needs not even
//   that.
// - A card that is gone is `removed`, at once.
// - If an action fails (the card does not answer CMD13, does not get ready, ...) the card is power cycled, and the rest
//   of the actions but `resend` is skipped.
// - A card that does not come back from a power cycle is `dead`.
inline constexpr std::array<RecoveryRow, 24> recovery_table{{
    // The card did not hear the command, or did not take it in the state that it was in.
    {base::Code::command_timeout, 1, {Action::stop, Action::ready, Action::resend}},
    {base::Code::command_timeout, 2, {Action::reset_lines, Action::stop, Action::ready, Action::resend}},
    {base::Code::command_timeout, 3, {Action::power_cycle, Action::resend}},
    // The card heard the command and does what it says.
    {base::Code::command_crc, 1, {Action::stop, Action::ready, Action::resend}},
    {base::Code::command_crc, 2, {Action::stop, Action::ready, Action::mode_down, Action::resend}},
    {base::Code::command_crc, 3, {Action::power_cycle, Action::resend}},
    // Nothing came, or a write was not acknowledged, in time.
    {base::Code::data_timeout, 1, {Action::stop, Action::ready, Action::resend}},
    {base::Code::data_timeout, 2, {Action::reset_lines, Action::stop, Action::ready, Action::resend}},
    {base::Code::data_timeout, 3, {Action::power_cycle, Action::resend}},
    // Damaged on the wire: if it happens again, slower.
    {base::Code::data_crc, 1, {Action::stop, Action::ready, Action::resend}},
    {base::Code::data_crc, 2, {Action::stop, Action::ready, Action::mode_down, Action::resend}},
    {base::Code::data_crc, 3, {Action::stop, Action::ready, Action::mode_down, Action::resend}},
    {base::Code::data_crc, 4, {Action::power_cycle, Action::resend}},
    {base::Code::write_crc, 1, {Action::stop, Action::ready, Action::resend}},
    {base::Code::write_crc, 2, {Action::stop, Action::ready, Action::mode_down, Action::resend}},
    {base::Code::write_crc, 3, {Action::stop, Action::ready, Action::mode_down, Action::resend}},
    {base::Code::write_crc, 4, {Action::power_cycle, Action::resend}},
    // It gets as long as it had once more. Then what it had been told is lost.
    {base::Code::busy_timeout, 1, {Action::stop, Action::ready, Action::resend}},
    {base::Code::busy_timeout, 2, {Action::power_cycle, Action::resend}},
    // The host could not follow, or its DMA met an error; the card is in the middle of a transfer.
    {base::Code::overrun, 1, {Action::reset_lines, Action::stop, Action::ready, Action::resend}},
    {base::Code::underrun, 1, {Action::reset_lines, Action::stop, Action::ready, Action::resend}},
    {base::Code::dma_error, 1, {Action::reset_lines, Action::stop, Action::ready, Action::resend}},
    // An interrupt was lost, or the controller hangs.
    {base::Code::software_timeout, 1, {Action::reset_lines, Action::stop, Action::ready, Action::resend}},
    {base::Code::software_timeout, 2, {Action::power_cycle, Action::resend}},
}};

/// The row for the n-th failure of a request; nullptr if there is none.
const RecoveryRow* recovery_row(base::Code error, unsigned attempt);

/// What becomes of a request that failed.
struct Verdict {
    bool retry = false;           ///< the rest of it is sent again; if the rest is nothing, it is done
    std::uint32_t bytes_done = 0; ///< whole blocks that are known to be done; 0 on doubt
    base::Error error;            ///< the first error; removed or dead if the card is
    std::uint32_t met = 0;        ///< R1 error bits that were seen on the way
};

} // namespace mmcpipe::card
