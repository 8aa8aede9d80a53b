#include "mmcpipe/trial/settling.h"

#include "mmcpipe/host/transaction.h"
#include "mmcpipe/trial/pattern.h"
#include "mmcpipe/trial/stamped.h"

namespace mmcpipe::trial {

using base::Result;
using base::Task;

namespace {

/// A write whose end is waited for as told.
Task<Result<void>> write(Bench& bench, std::uint32_t sector, host::Buffer data, card::Confirm how) {
    card::Transfer wanted;
    wanted.direction = host::Direction::write;
    wanted.sector = sector;
    wanted.blocks = static_cast<std::uint32_t>(data.size()) / 512;
    wanted.bounding = wanted.blocks == 1 ? card::Bounding::single : card::Bounding::open_ended;
    wanted.buffers = {&data, 1};
    host::Transaction request(bench.executor());
    card::Settle settle(bench.host());
    co_await bench.card().fill(request, wanted);

    const Result<void> sent = co_await outcome(host::transact(bench.host(), request));
    Result<void> done = sent ? card::verdict(request, bench.properties()) : sent;
    if (done) {
        settle.start(bench.card().peer(), how, bench.properties().times.write);
        co_await settle.over();
        const Result<std::uint32_t> settled = settle.verdict();
        if (settled) co_return {};
        done = base::fail(settled.error());
    }
    // Where DAT0 cannot be seen, CMD13 finds the end of the busy.
    const bool unseen = done.error().code == base::Code::not_possible;
    const base::Error error = done.error();
    const card::Verdict verdict =
        co_await bench.card().recover(request, unseen ? base::Error(base::Code::aborted) : error, 1);
    co_return base::fail(bench.card().usable() ? error : verdict.error);
}

} // namespace

Task<Result<Outcome>> write_and_settle(Bench& bench, card::Confirm how) {
    const std::uint32_t sector = ground(bench);
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        // One block, which nothing stops, and several.
        const std::uint32_t count = seed % 2 == 0 && bench.largest_request() >= 8 * 512 ? 8 : 1;
        const host::Buffer data = bench.memory().first(bytes_of(count));
        Pattern written(seed, sector);
        fill(data, written);
        co_await write(bench, sector, data, how);
        blank(data);
        co_await bench.read(sector, data);
        Pattern pattern(seed, sector);
        if (!matches(data, pattern)) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
