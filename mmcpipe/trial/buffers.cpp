#include "mmcpipe/trial/buffers.h"

#include "mmcpipe/host/transaction.h"
#include "mmcpipe/trial/pattern.h"
#include "mmcpipe/trial/stamped.h"

#include <algorithm>
#include <array>
#include <span>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using host::Direction;

namespace {

constexpr std::size_t margin = 64; ///< before and behind buffers; the longest cache line
constexpr std::array<std::uint16_t, 16> piece_sizes{1, 3, 511, 5, 64, 7, 33, 128, 13, 31, 252, 2, 100, 512, 17, 4};
constexpr std::array<std::uint8_t, 13> shifts{1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 24, 28, 31};

/// Pieces with a few bytes between each two, and margins; empty if the bench has not as many elements.
std::span<const host::Buffer> lay_out(Bench& bench, std::size_t bytes) {
    const std::span<host::Buffer> elements = bench.elements();
    std::size_t place = margin;
    std::size_t used = 0;
    for (; bytes != 0; ++used) {
        if (used == bench.most_elements()) return {};
        const std::size_t size = std::min<std::size_t>(piece_sizes[used % piece_sizes.size()], bytes);
        elements[used] = bench.memory().subspan(place, size);
        place += size + 1 + used % 7;
        bytes -= size;
    }
    return elements.first(used);
}

/// Blank memory from its beginning to a margin behind the last piece.
std::span<std::byte> around(const Bench& bench, std::span<const host::Buffer> pieces) {
    const host::Buffer last = pieces.back();
    return bench.memory().first(static_cast<std::size_t>(last.data() - bench.memory().data()) + last.size() + margin);
}

/// Everything there that is no piece is blank; the pieces are in the order of memory.
bool is_blank_between(std::span<const std::byte> memory, std::span<const host::Buffer> pieces) {
    const std::byte* at = memory.data();
    bool all = true;
    for (const host::Buffer piece : pieces) {
        all &= is_blank({at, piece.data()});
        at = piece.data() + piece.size();
    }
    return all && is_blank({at, memory.data() + memory.size()});
}

/// Writes from the pieces, and reads into them.
Task<Result<bool>> there_and_back(Bench& bench, std::span<const host::Buffer> pieces, std::uint32_t blocks,
                                  std::uint32_t seed) {
    card::Transfer wanted;
    wanted.bounding = blocks == 1 ? card::Bounding::single : card::Bounding::open_ended;
    wanted.sector = ground(bench);
    wanted.blocks = blocks;
    wanted.buffers = pieces;
    const Pattern pattern(seed, ground(bench));

    fill(pieces, pattern);
    wanted.direction = Direction::write;
    co_await bench.transfer(wanted);
    const bool written = co_await stamped(bench, ground(bench), blocks, seed);

    // What lies around the pieces is fresh in the caches when the read begins.
    const std::span<std::byte> memory = around(bench, pieces);
    blank(memory);
    wanted.direction = Direction::read;
    co_await bench.transfer(wanted);
    co_return written&& matches(pieces, pattern) && is_blank_between(memory, pieces);
}

/// Puts a prepared request on the wire, and sees it to its end.
Task<Result<void>> carry_out(Bench& bench, host::Transaction& request) {
    bench.host().start(request);
    co_await request.ended();
    bench.host().finish(request);
    const Result<void> done = card::verdict(request, bench.properties());
    if (done) co_return {};
    const card::Verdict verdict = co_await bench.card().recover(request, done.error(), 1);
    co_return base::fail(verdict.error);
}

/// Both, or none.
Result<void> prepare_both(host::Host& host, host::Request& first, host::Request& second) {
    const Result<void> one = host.prepare(first);
    if (!one) return one;
    const Result<void> other = host.prepare(second);
    if (!other) host.unprepare(first);
    return other;
}

} // namespace

Task<Result<Outcome>> odd_pieces(Bench& bench) {
    constexpr std::uint32_t blocks = 8;
    const std::span<const host::Buffer> pieces = lay_out(bench, bytes_of(blocks));
    if (pieces.empty()) co_return Outcome::unsupported_by_host;
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
        const bool held = co_await there_and_back(bench, pieces, blocks, seed);
        if (!held) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> odd_addresses(Bench& bench) {
    std::uint32_t seed = 0;
    for (const std::uint32_t blocks : {1u, 3u}) {
        if (blocks * 512 > bench.largest_request()) break;
        for (const std::uint8_t shift : shifts) {
            const host::Buffer buffer = bench.memory().subspan(margin + shift, bytes_of(blocks));
            const bool held = co_await there_and_back(bench, {&buffer, 1}, blocks, ++seed);
            if (!held) co_return Outcome::failed;
        }
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> taken_back(Bench& bench) {
    constexpr std::uint32_t blocks = 2;
    const std::uint32_t sector = ground(bench);
    co_await stamp(bench, sector, 2 * blocks, 1);

    // Reads of the first and of the second half of the sectors.
    const std::array<host::Buffer, 2> buffers{bench.memory().first(bytes_of(blocks)),
                                              bench.memory().subspan(bytes_of(blocks), bytes_of(blocks))};
    host::Transaction first(bench.executor());
    host::Transaction second(bench.executor());
    card::Transfer wanted;
    wanted.bounding = card::Bounding::open_ended;
    wanted.blocks = blocks;
    wanted.sector = sector;
    wanted.buffers = std::span(buffers).first(1);
    co_await bench.card().fill(first, wanted);
    wanted.sector = sector + blocks;
    wanted.buffers = std::span(buffers).last(1);
    co_await bench.card().fill(second, wanted);

    // Often enough that whatever a host does not give back is used up. What it does once it has to do again.
    for (int i = 0; i < 8; ++i) {
        blank(bench.memory().first(bytes_of(2 * blocks)));
        first.clear_outcome();
        second.clear_outcome();
        const Result<void> prepared = prepare_both(bench.host(), first, second);
        if (!prepared && i != 0) co_return Outcome::failed;
        co_await prepared;
        bench.host().unprepare(second);
        co_await carry_out(bench, first);

        const Result<void> again = bench.host().prepare(second);
        if (!again) co_return Outcome::failed;
        co_await carry_out(bench, second);
        if (!matches(buffers, Pattern(1, sector))) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
