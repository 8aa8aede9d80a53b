#include "mmcpipe/card/link.h"

#include <optional>
#include <utility>

namespace mmcpipe::card {

using base::Code;
using base::Result;
using base::Task;

namespace {

unsigned tries_of(const spec::Command& command, Prefix prefix, bool reads_data) {
    for (const Patience& row : patience) {
        if (row.index == command.index && row.prefix == prefix && row.reads_data == reads_data) return row.tries;
    }
    return 1;
}

} // namespace

Link::Link(host::Host& host) : host_(host), transaction_(host.executor()), settle_(host) {}

Task<Result<std::uint32_t>> Link::command(spec::Command command, base::Duration busy_timeout) {
    const bool busy = command.response == spec::Response::r1b;
    // A host that cannot wait so long is told of no busy at all; CMD13 finds its end.
    if (busy && !host_waits(busy_timeout)) command.response = spec::Response::r1;
    co_await send(command, Prefix::none, busy_timeout);

    const std::uint32_t word = transaction_.command.response[0];
    co_await judge(command.response, word);
    if (!busy) co_return word;
    const Status status = co_await wait_ready(busy_timeout);
    co_return status;
}

Task<Result<std::uint32_t>> Link::app_command(spec::Command command) {
    co_await send(command, Prefix::application);
    const std::uint32_t word = transaction_.command.response[0];
    co_await judge(command.response, word);
    co_return word;
}

Task<Result<spec::R2>> Link::long_command(spec::Command command) {
    co_await send(command, Prefix::none);
    co_return transaction_.command.response;
}

Task<Result<void>> Link::read(spec::Command command, std::span<std::byte> into, base::Duration timeout) {
    co_await receive(command, Prefix::none, into, timeout);
    co_return {};
}

Task<Result<void>> Link::app_read(spec::Command command, std::span<std::byte> into, base::Duration timeout) {
    co_await receive(command, Prefix::application, into, timeout);
    co_return {};
}

Task<Result<void>> Link::receive(spec::Command command, Prefix prefix, std::span<std::byte> into,
                                 base::Duration timeout) {
    const unsigned tries = tries_of(command, prefix, true);
    buffer_ = into;
    for (unsigned n = 1;; ++n) {
        transaction_.data.emplace();
        transaction_.data->block_size = static_cast<std::uint32_t>(into.size());
        transaction_.data->blocks = 1;
        transaction_.data->buffers = {&buffer_, 1};
        transaction_.data->timeout = timeout;
        const Result<void> sent = co_await outcome(send_once(command, prefix, {}));
        transaction_.data.reset();
        // If R1 says why there is no data, that is the error.
        if (!transaction_.command.error) co_await judge(spec::Response::r1, transaction_.command.response[0]);
        if (sent) co_return {};
        if (sent.error().domain() != base::Domain::bus) co_return sent;
        // The card may still be sending. If this fails too, the next try tells.
        co_await outcome(stop());
        if (n == tries) co_return sent;
    }
}

Task<Result<Link::Status>> Link::status() {
    co_await send(spec::send_status(peer.rca), Prefix::none);
    co_return transaction_.command.response[0];
}

Task<Result<Link::Status>> Link::stop() {
    const Status before = co_await status();
    const spec::State state = spec::r1::CurrentState::get(before);
    if (state != spec::State::data && state != spec::State::rcv) co_return error_bits(peer.family, before);

    // R1b for a write, but waiting is left to whoever asks for the state next.
    spec::Command stop =
        spec::stop_transmission(state == spec::State::data ? spec::Transfer::read : spec::Transfer::write);
    stop.response = spec::Response::r1;
    const Result<void> stopped = co_await outcome(send(stop, Prefix::none));
    const Status after = stopped ? transaction_.command.response[0] : 0;
    co_return error_bits(peer.family, before | after);
}

Task<Result<Link::Status>> Link::wait_ready(base::Duration timeout) {
    settle_.start(peer, Confirm::status, timeout);
    co_await settle_.over();
    co_return settle_.verdict();
}

Task<Result<void>> Link::apply(host::Settings settings) {
    co_await host_.apply(settings);
    settings_ = settings;
    co_return {};
}

/// As often as the table says.
Task<Result<void>> Link::send(spec::Command command, Prefix prefix, base::Duration busy_timeout) {
    const unsigned tries = tries_of(command, prefix, false);
    for (unsigned n = 1;; ++n) {
        const Result<void> sent = co_await outcome(send_once(command, prefix, busy_timeout));
        if (sent || n == tries || sent.error().domain() != base::Domain::bus) co_return sent;
    }
}

Task<Result<void>> Link::send_once(spec::Command command, Prefix prefix, base::Duration busy_timeout) {
    transaction_.command.busy_timeout = {};
    if (prefix == Prefix::application) {
        const std::optional<host::Data> data = std::exchange(transaction_.data, std::nullopt);
        transaction_.command.command = spec::app_cmd(peer.rca);
        co_await host::transact(host_, transaction_);
        const std::uint32_t word = transaction_.command.response[0];
        co_await judge(spec::Response::r1, word);
        if (!spec::r1::AppCmd::get(word)) co_return base::fail(Code::not_supported, word);
        transaction_.data = data;
    }
    transaction_.command.command = command;
    transaction_.command.busy_timeout = busy_timeout;
    co_await host::transact(host_, transaction_);
    co_return {};
}

Result<void> Link::judge(spec::Response kind, std::uint32_t word) const {
    switch (kind) {
    case spec::Response::r1:
    case spec::Response::r1b: return card::judge(peer.family, word);
    case spec::Response::r6: return card::judge(peer.family, spec::sd::R6::in(word).status);
    default: return {};
    }
}

bool Link::host_waits(base::Duration busy_timeout) const {
    const host::Capabilities& capabilities = host_.capabilities();
    return capabilities.detects_busy && busy_timeout <= capabilities.longest_busy;
}

} // namespace mmcpipe::card
