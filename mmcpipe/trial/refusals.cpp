#include "mmcpipe/trial/refusals.h"

#include "mmcpipe/host/transaction.h"
#include "mmcpipe/spec/r1.h"
#include "mmcpipe/trial/stamped.h"

namespace mmcpipe::trial {

using base::Code;
using base::Result;
using base::Task;

namespace {

constexpr std::uint32_t seed = 1;
constexpr std::uint32_t stamped_sectors = 2;
/// A card should say OUT_OF_RANGE; either is heard by a host that hears what cards say.
constexpr std::uint32_t address_refused = spec::r1::mask_of<spec::r1::AddressOutOfRange, spec::r1::AddressMisalign>;

bool is(const Result<void>& result, Code code) { return !result && result.error().code == code; }

/// Fills in a read of the last sector, for somebody to break.
Result<void> fill_last_read(Bench& bench, host::Request& request, const host::Buffer& buffer) {
    card::Transfer wanted;
    wanted.sector = bench.sectors() - 1;
    wanted.blocks = 1;
    wanted.buffers = {&buffer, 1};
    return bench.card().fill(request, wanted);
}

/// Sends it, puts the card in order, and gives how it ended.
Task<Result<void>> send_broken(Bench& bench, host::Transaction& request) {
    const Result<void> sent = co_await outcome(host::transact(bench.host(), request));
    if (!sent && sent.error().domain() == base::Domain::usage) co_return sent;
    const Result<void> ended = card::verdict(request, bench.properties());
    if (ended) co_return {};
    co_await bench.card().recover(request, ended.error(), 1);
    co_return ended;
}

/// The device works: what was stamped before is there.
Task<Result<bool>> works(Bench& bench) {
    const bool held = co_await stamped(bench, ground(bench), stamped_sectors, seed);
    co_return held;
}

} // namespace

Task<Result<Outcome>> beyond_the_end(Bench& bench) {
    const std::uint32_t end = bench.sectors();
    co_await stamp(bench, ground(bench), stamped_sectors, seed);

    // Refused, whether it begins or only ends there.
    const host::Buffer two_sectors = bench.memory().first(1024);
    const std::uint32_t sent_before = bench.host().record().count();
    const Result<void> behind = co_await outcome(bench.read(end, two_sectors.first(512)));
    const Result<void> across = co_await outcome(bench.read(end - 1, two_sectors));
    const bool refused = is(behind, Code::out_of_range) && is(across, Code::out_of_range);
    if (!refused || bench.host().record().count() != sent_before) co_return Outcome::failed;

    // Sent all the same. (On a card whose bytes fill 32 bits there is no address behind the end.)
    const bool by_byte = bench.properties().addressing == spec::Addressing::byte;
    if (!by_byte || end < 1u << 23) {
        host::Transaction request(bench.executor());
        const host::Buffer buffer = bench.memory().first(512);
        co_await fill_last_read(bench, request, buffer);
        request.command.command = spec::read_single_block(spec::address_of(end, bench.properties().addressing));
        const Result<void> ended = co_await outcome(send_broken(bench, request));
        const bool told = is(ended, Code::r1_error) && (ended.error().raw & address_refused) != 0;
        if (!told) co_return Outcome::failed;
    }
    const bool good = co_await works(bench);
    co_return good ? Outcome::ok : Outcome::failed;
}

Task<Result<Outcome>> not_answered(Bench& bench) {
    co_await stamp(bench, ground(bench), stamped_sectors, seed);

    // ALL_SEND_CID is for cards in the ready state.
    host::Transaction plain(bench.executor());
    plain.command.command = spec::all_send_cid();
    const Result<void> silent = co_await outcome(send_broken(bench, plain));
    if (!is(silent, Code::command_timeout)) co_return Outcome::failed;
    const bool good = co_await works(bench);
    if (!good) co_return Outcome::failed;

    // BUSTEST_R is for the bus test state: the host has prepared for data that does not come.
    host::Transaction with_data(bench.executor());
    const host::Buffer buffer = bench.memory().first(512);
    co_await fill_last_read(bench, with_data, buffer);
    with_data.command.command = spec::mmc::bustest_r();
    const Result<void> silent_too = co_await outcome(send_broken(bench, with_data));
    if (!is(silent_too, Code::command_timeout)) co_return Outcome::failed;
    const bool still_good = co_await works(bench);
    co_return still_good ? Outcome::ok : Outcome::failed;
}

Task<Result<Outcome>> removed_card(Bench& bench) {
    if (bench.slot() == nullptr) co_return Outcome::unsupported_by_host;
    const host::Buffer buffer = bench.memory().first(512);
    co_await stamp(bench, ground(bench), stamped_sectors, seed);

    bench.slot()->remove();
    bool right = true;
    for (int i = 0; i < 3; ++i) {
        const std::uint32_t sent_before = bench.host().record().count();
        const Result<void> ended = co_await outcome(bench.read(ground(bench), buffer));
        const bool at_once = i == 0 || bench.host().record().count() == sent_before;
        right &= is(ended, Code::removed) && at_once;
    }

    bench.slot()->insert();
    co_await bench.card().bring_up();
    const bool good = co_await works(bench);
    co_return right&& good ? Outcome::ok : Outcome::failed;
}

} // namespace mmcpipe::trial
