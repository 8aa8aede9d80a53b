#include "mmcpipe/card/settle.h"

#include "mmcpipe/host/transaction.h"

#include <algorithm>

namespace mmcpipe::card {

namespace {

// A card is often ready by the time it is asked, or a few answers (50 us each) later; when it is not, it may take a
// second.
constexpr Backoff patience(4, base::microseconds(50), base::milliseconds(10));

} // namespace

Settle::Settle(host::Host& host, base::Event* woken)
    : host_(host),
      backoff_(patience),
      question_(*this),
      pause_(*this),
      over_(host.executor()),
      told_(woken != nullptr ? *woken : over_) {
    question_.done = [](host::Request& request) noexcept { static_cast<Question&>(request).owner.answered(); };
}

Settle::~Settle() { pause_.cancel(); }

void Settle::start(Peer peer, Confirm how, base::Duration timeout) {
    peer_ = peer;
    how_ = how;
    until_ = host_.executor().now() + timeout;
    lost_ = 0;
    errors_ = 0;
    backoff_ = patience;
    over_.clear();
    asking_ = true;
    ask();
}

void Settle::ask() {
    last_ = host_.executor().now() >= until_;
    if (how_ == Confirm::busy_line) return look_at_line();

    question_.clear_outcome();
    question_.command.command = spec::send_status(peer_.rca);
    const base::Result<void> prepared = host_.prepare(question_);
    if (!prepared) return end(base::fail(prepared.error()));
    host_.start(question_);
}

void Settle::look_at_line() {
    const base::Result<bool> busy = host_.busy();
    if (!busy) return end(base::fail(busy.error()));
    if (!*busy) return end(0u);
    ask_again(base::Error(base::Code::busy_timeout));
}

void Settle::answered() {
    host_.finish(question_);
    if (const std::optional<base::Error> error = host::first_error(question_)) {
        ++lost_;
        return lost_ == answers_lost ? end(base::fail(*error)) : ask_again(*error);
    }
    lost_ = 0;

    const std::uint32_t r1 = question_.command.response[0];
    errors_ |= error_bits(peer_.family, r1);
    if (!spec::r1::in_transfer_state(r1)) return ask_again(base::Error(base::Code::busy_timeout, r1));

    const base::Result<void> judged = judge(peer_.family, errors_);
    if (!judged) return end(base::fail(judged.error()));
    end(r1);
}

void Settle::ask_again(base::Error otherwise) {
    if (last_) return end(base::fail(otherwise));
    base::Executor& executor = host_.executor();
    executor.arm(pause_, std::min(executor.now() + backoff_.next(), until_));
}

void Settle::end(base::Result<std::uint32_t> verdict) {
    verdict_ = verdict;
    asking_ = false;
    told_.set();
}

} // namespace mmcpipe::card
