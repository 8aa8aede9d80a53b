#pragma once
// Link: the line to one card. Sends single commands and reads registers, one at a time, checks what the card answers,
// and sends again where that does no harm.
//
// Errors of everything here, unless said otherwise: those of the bus and host domains; r1_error (raw: the error bits of
// R1, or of R6); switch_refused; busy_timeout (raw: the last R1); out_of_frames.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/card/peer.h"
#include "mmcpipe/card/settle.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/host/transaction.h"
#include "mmcpipe/spec/r2.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::card {

/// A plain command, or one with CMD55 before it.
enum class Prefix : std::uint8_t { none, application };

/// What may be sent again after an error of the bus: it changes nothing on the card, or changes it to the same once
/// more. Everything that is not named here is sent once.
struct Patience {
    std::uint8_t index;
    Prefix prefix;
    bool reads_data;
    unsigned tries;
};
inline constexpr std::array<Patience, 8> patience{{
    {9, Prefix::none, false, 3},        // SEND_CSD
    {10, Prefix::none, false, 3},       // SEND_CID
    {13, Prefix::none, false, 3},       // SEND_STATUS
    {16, Prefix::none, false, 3},       // SET_BLOCKLEN
    {8, Prefix::none, true, 3},         // SEND_EXT_CSD
    {51, Prefix::application, true, 3}, // SEND_SCR
    {13, Prefix::application, true, 5}, // SD_STATUS: cards are known to answer the fifth time only
    {22, Prefix::application, true, 3}, // SEND_NUM_WR_BLOCKS
}};

class Link {
public:
    using Status = std::uint32_t; ///< an R1 word

    explicit Link(host::Host& host);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// Whom everything is for. RCA 0 until the card has one.
    Peer peer{};

    /// Sends a command with a 48-bit response, or none; the response word (0 for none). R1 and R6 are checked. After
    /// R1b it waits, at most `busy_timeout`, until the card is in the transfer state again, and gives that status.
    base::Task<base::Result<std::uint32_t>> command(spec::Command command, base::Duration busy_timeout = {});
    /// CMD55, then the command. not_supported: the card does not take it for an application command.
    base::Task<base::Result<std::uint32_t>> app_command(spec::Command command);
    /// Sends a command with an R2 response.
    base::Task<base::Result<spec::R2>> long_command(spec::Command command);

    /// Reads one block of `into.size()` bytes. `into` may lie anywhere: see `Registers`. `timeout`: for its start bit.
    base::Task<base::Result<void>> read(spec::Command command, std::span<std::byte> into, base::Duration timeout);
    base::Task<base::Result<void>> app_read(spec::Command command, std::span<std::byte> into, base::Duration timeout);

    /// CMD13: the status as it is, errors and all.
    base::Task<base::Result<Status>> status();
    /// Ends a data transfer that the card is still in: CMD12 if its state is data or rcv, nothing otherwise. What CMD12
    /// is answered does not matter, and is not an error: the state that the card is in afterwards does. Gives the error
    /// bits that were seen.
    base::Task<base::Result<Status>> stop();
    /// Waits until the card is in the transfer state.
    base::Task<base::Result<Status>> wait_ready(base::Duration timeout);

    /// Sets the host. `settings()` are those that were applied last.
    base::Task<base::Result<void>> apply(host::Settings settings);
    const host::Settings& settings() const { return settings_; }

    host::Host& host() const { return host_; }
    base::Executor& executor() { return host_.executor(); }
    base::FrameArena& frames() { return host_.frames(); }

private:
    base::Task<base::Result<void>> send(spec::Command command, Prefix prefix, base::Duration busy_timeout = {});
    base::Task<base::Result<void>> send_once(spec::Command command, Prefix prefix, base::Duration busy_timeout);
    base::Task<base::Result<void>> receive(spec::Command command, Prefix prefix, std::span<std::byte> into,
                                           base::Duration timeout);
    base::Result<void> judge(spec::Response kind, std::uint32_t word) const;
    bool host_waits(base::Duration busy_timeout) const;

    host::Host& host_;
    host::Settings settings_{};
    host::Transaction transaction_;
    host::Buffer buffer_{};
    Settle settle_;
};

} // namespace mmcpipe::card
