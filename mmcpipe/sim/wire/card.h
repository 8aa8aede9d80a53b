#pragma once
// What a card is to the wire: something that hears commands, answers, and moves blocks.

#include "mmcpipe/sim/page.h"
#include "mmcpipe/sim/time.h"
#include "mmcpipe/spec/command.h"

#include <array>
#include <cstdint>
#include <optional>

namespace mmcpipe::sim::wire {

/// A command as it came over the CMD line.
struct Frame {
    std::uint8_t index;
    std::uint32_t argument;
    bool crc_ok;
};

/// What the card sends back on CMD. `words[0]` alone for 48-bit responses; for R2 the whole register, most significant
/// word first.
struct Answer {
    spec::Response kind;
    std::array<std::uint32_t, 4> words;
    std::uint8_t delay; ///< N_CR (N_ID), clock cycles from the command's end bit
};

/// Which way blocks move, as the card sees it.
enum class Flow : std::uint8_t { none, sends, takes };

/// What a card has to send next: `blocks` whole blocks that lie in one page, from `ready` on, with `gap` between two of
/// them.
struct Offer {
    Time ready; ///< `forever`: nothing will come
    std::uint32_t blocks;
    Chunk data;
    Time gap; ///< before each block but the first, and before the next offer's first
};

/// What a card will take: `blocks` whole blocks from `ready` on (DAT0 is low before), with `busy` after each of them.
/// The busy after the last of them is in the next acceptance's `ready`, too, and in `Card::busy_until`.
struct Acceptance {
    Time ready;           ///< `forever`: it stays busy
    std::uint32_t blocks; ///< 0: it takes none (not in the receive state)
    Time busy;
};

/// Every call names its time. It is never before the call's before, but may lie before the engine's: blocks that nobody
/// listens to, or many in one go, are accounted for afterwards.
class Card {
public:
    /// The card heard a command that ended at `now`. Nothing: it does not answer.
    virtual std::optional<Answer> command(const Frame& frame, Time now) = 0;

    /// Whether it has blocks to send or waits for some. A command can begin and end this, the last block and an error
    /// end it.
    virtual Flow flow() const = 0;

    /// Read: the next blocks, at most `blocks`, at `now`. Called again only after `sent`.
    virtual Offer offer(std::uint32_t blocks, Time now) = 0;
    /// Read: `blocks` of the offer (not always all) were on the wire, the last ended at `now`.
    virtual void sent(std::uint32_t blocks, Time now) = 0;

    /// Write: how many of the next `blocks` blocks are taken without a pause.
    virtual Acceptance accept(std::uint32_t blocks, Time now) = 0;
    /// Write: blocks with a good CRC16 came, the last one's CRC status was sent at `now`. The data lies in one page.
    virtual void received(const Chunk& data, Time now) = 0;
    /// Write: a damaged block came; its CRC status was negative.
    virtual void damaged(Time now) = 0;

    /// The block length of the transfer under way, as the card sees it.
    virtual std::uint32_t block_length() const = 0;
    /// DAT lines that it uses: 1, 4 or 8.
    virtual unsigned width() const = 0;
    /// It takes and sends data with both edges of the clock.
    virtual bool both_edges() const = 0;
    /// The fastest clock it can follow in its present mode.
    virtual Time shortest_period() const = 0;
    /// DAT0 is held low until this time; in the past if it is not, `forever` if it hangs.
    virtual Time busy_until() const = 0;

    /// A fault: whatever the card does, it does not get ready before `until`. Only power and RST_n end it earlier.
    virtual void hang(Time until) = 0;
    /// A fault: of the next packed command it cannot carry out this entry, from 1. A card without them hears nothing.
    virtual void spoil_packed_entry(std::uint32_t entry) = 0;
    /// Supply and RST_n as the board gives them.
    virtual void power(bool on, Time now) = 0;
    virtual void reset_pin(bool held, Time now) = 0;

protected:
    ~Card() = default;
};

} // namespace mmcpipe::sim::wire
