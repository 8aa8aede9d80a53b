#pragma once
// Settle: makes sure that a card is done with what it was told (READY_FOR_DATA and CURRENT_STATE, JESD84-B51 6.13; busy
// on DAT0, SD Physical Layer 4.3.4). It asks again and again, at first at once, then less and less often. It asks by
// itself, from the ends of its own requests and from a deadline, so that the I/O path can wait for it without creating
// a task:
//
//     settle.start(card.peer(), Confirm::status, card.times().write);
//     co_await settle.over();
//     const base::Result<std::uint32_t> status = settle.verdict();

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/card/backoff.h"
#include "mmcpipe/card/peer.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/host/request.h"

#include <cstdint>

namespace mmcpipe::card {

/// How the end of a command is confirmed.
enum class Confirm : std::uint8_t {
    status,    ///< CMD13 until the card is in tran and ready for data; finds the errors of detection mode X too
    busy_line, ///< DAT0 released. Quicker, and blind to errors
};

class Settle {
public:
    explicit Settle(host::Host& host) : Settle(host, nullptr) {}
    /// For whoever waits for other things, too: its end sets `woken` instead of what `over` waits for.
    Settle(host::Host& host, base::Event& woken) : Settle(host, &woken) {}
    Settle(const Settle&) = delete;
    Settle& operator=(const Settle&) = delete;
    ~Settle();

    /// Asks for the first time now. No other request may be on the wire, and the card must be selected. It is over
    /// within `timeout` and the time of one more answer: a card that is ready at the last moment is still seen.
    void start(Peer peer, Confirm how, base::Duration timeout);

    /// `co_await settle.over()`: when there is a verdict. Bounded by the time-out of `start`.
    base::Event::Awaiter over() { return over_.wait(); }
    bool is_over() const { return !asking_; }

    /// The last R1 (0 with `busy_line`) with the error bits of all answers. Errors:
    /// - r1_error, switch_refused: the card reports errors; raw: their bits, gathered over all answers, since reading
    ///   clears them
    /// - busy_timeout: raw: the last R1
    /// - command_timeout, command_crc, ...: CMD13 was not answered `answers_lost` times on end
    /// - not_possible: the host cannot see DAT0
    base::Result<std::uint32_t> verdict() const { return verdict_; }

    static constexpr unsigned answers_lost = 3;

private:
    struct Question : host::Request {
        explicit Question(Settle& o) : owner(o) {}
        Settle& owner;
    };
    struct Pause : base::Deadline {
        explicit Pause(Settle& o) : Deadline(over), owner(o) {}
        static void over(base::Deadline& pause) noexcept { static_cast<Pause&>(pause).owner.ask(); }
        Settle& owner;
    };

    Settle(host::Host& host, base::Event* woken);
    void ask();
    void look_at_line();
    void answered();
    void ask_again(base::Error otherwise);
    void end(base::Result<std::uint32_t> verdict);

    host::Host& host_;
    Peer peer_{};
    Confirm how_ = Confirm::status;
    base::Instant until_{};
    bool asking_ = false;
    bool last_ = false; ///< the question under way was asked when the time was over
    unsigned lost_ = 0;
    std::uint32_t errors_ = 0;
    Backoff backoff_;
    Question question_;
    Pause pause_;
    base::Event over_;
    base::Event& told_; ///< `over_`, or somebody else's
    base::Result<std::uint32_t> verdict_ = 0u;
};

} // namespace mmcpipe::card
