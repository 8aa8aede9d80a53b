#include "mmcpipe/trial/transfer_size.h"

#include "mmcpipe/host/transaction.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/trial/pattern.h"

namespace mmcpipe::trial {

using base::Result;
using base::Task;

namespace {

/// As the request went: a truthful one, or not.
Result<Outcome> judge(const host::Request& request, std::uint32_t most_bytes) {
    if (request.command.error) return base::fail(*request.command.error);
    if (!request.error) return Outcome::failed;
    if (request.error->code != base::Code::data_timeout) return base::fail(*request.error);
    return request.bytes_done <= most_bytes ? Outcome::ok : Outcome::failed;
}

} // namespace

Task<Result<Outcome>> proper_size(Bench& bench, Break where, host::Direction direction) {
    const std::uint32_t blocks = where == Break::at_start ? 1 : 2;
    if (bench.largest_request() < blocks * 512) co_return Outcome::unsupported_by_host;

    // A proper request from sector 0 on, or to it.
    const host::Buffer buffer = bench.memory().first(bytes_of(blocks));
    card::Transfer wanted;
    wanted.direction = direction;
    wanted.bounding = blocks == 1 ? card::Bounding::single : card::Bounding::open_ended;
    wanted.blocks = blocks;
    wanted.buffers = {&buffer, 1};
    host::Transaction request(bench.executor());
    co_await bench.card().fill(request, wanted);

    // Now with the wrong command.
    if (where == Break::at_start) {
        request.command.command = spec::send_status(bench.card().peer().rca);
    } else {
        const bool read = direction == host::Direction::read;
        const spec::DataAddress address{request.command.command.argument};
        request.command.command = read ? spec::read_single_block(address) : spec::write_block(address);
        request.stop.reset();
    }
    const Result<void> sent = co_await outcome(host::transact(bench.host(), request));
    const Result<Outcome> judged = judge(request, where == Break::at_start ? 0 : 512);
    if (sent) co_return judged;
    if (sent.error().domain() == base::Domain::usage) co_return base::fail(sent.error());

    // The card may still be in the middle of it.
    const card::Verdict verdict = co_await bench.card().recover(request, sent.error(), 1);
    const base::Result<void> usable = bench.card().usable();
    if (!usable) co_return base::fail(verdict.error);
    co_return judged;
}

} // namespace mmcpipe::trial
