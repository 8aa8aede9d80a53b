#pragma once
// Card: one SD, MMC or eMMC card above a host. It belongs to the host's executor.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/card/bus_mode.h"
#include "mmcpipe/card/link.h"
#include "mmcpipe/card/packed.h"
#include "mmcpipe/card/properties.h"
#include "mmcpipe/card/recovery.h"
#include "mmcpipe/card/transfer.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/port/board.h"
#include "mmcpipe/spec/ext_csd.h"

#include <cstdint>
#include <optional>

namespace mmcpipe::card {

class Card {
public:
    /// Both must outlive the card.
    Card(host::Host& host, port::Board& board);
    Card(const Card&) = delete;
    Card& operator=(const Card&) = delete;

    /// From no supply to tran, in the highest bus mode that card, host and board have and that is verified to work;
    /// also for a card that was inserted anew. Afterwards the card is usable, or not: the error says why.
    ///   no_card: nothing in the slot, or nothing answers
    ///   not_supported: the card takes none of the board's supplies
    ///   busy_timeout: it does not power up
    ///   bad_register: a register has contents that cannot be used (an EXT_CSD without which the size is not known)
    ///   and those of `Link`. A locked card is no error here: see `properties().locked`.
    base::Task<base::Result<void>> bring_up();

    /// Nothing if requests can be sent; otherwise the error that every request is answered with at once: no_card (also
    /// before `bring_up`), removed, dead, the error of `bring_up`; for a locked card r1_error with CARD_IS_LOCKED.
    base::Result<void> usable() const;

    const Properties& properties() const { return properties_; }
    Peer peer() const { return properties_.peer; }
    /// Nothing for SD, and for a card that has none. As it was read when the bus mode was last verified.
    std::optional<spec::mmc::ExtCsd> ext_csd() const;

    /// `card::fill` for this card and its host, or the error of `usable`.
    base::Result<void> fill(host::Request& request, const Transfer& transfer) const;

    /// `card::fill_packed` for this card, or the error of `usable`. `transfer` is all that goes over the bus, the
    /// header among it; its sector is that of the first entry.
    base::Result<void> fill_packed(host::Request& request, PackedPart part, const Transfer& transfer) const;

    /// CMD16: block length of the transfers that follow. not_possible if the card does not allow it.
    base::Task<base::Result<void>> set_block_length(std::uint32_t bytes);

    /// What the last packed command came to, once it has settled. Errors: those of `Link`, and of `usable`.
    base::Task<base::Result<PackedStatus>> read_packed_status();

    /// After a request failed with `error` (of `verdict`, or of `Settle`) for the `attempt`-th time, from 1: carries
    /// out the row of `recovery_table`. No other request may be prepared or on the wire; the failed one is finished.
    /// Ends in bounded time with a card that works, or one that is dead. An error of its own is only out_of_frames.
    base::Task<base::Result<Verdict>> recover(const host::Request& failed, base::Error error, unsigned attempt);

    /// For single commands. Only while no transfer is under way.
    Link& link() { return link_; }
    host::Host& host() const { return link_.host(); }
    base::Executor& executor() { return link_.executor(); }
    base::FrameArena& frames() { return link_.frames(); }

private:
    base::Task<base::Result<void>> find_and_set_up();

    // Recovery's actions; the error bits of R1 that they see.
    base::Task<base::Result<std::uint32_t>> carry_out(Action action, base::Duration patience);
    base::Task<base::Result<void>> mode_down();
    base::Task<base::Result<void>> power_cycle();

    port::Board& board_;
    Link link_;
    Properties properties_{};
    Registers registers_{};
    Ceilings ceilings_{}; ///< host, board, and what recovery has learnt of this card
    std::optional<base::Error> unusable_{base::Error(base::Code::no_card)};
};

} // namespace mmcpipe::card
