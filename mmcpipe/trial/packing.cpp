#include "mmcpipe/trial/packing.h"

#include "mmcpipe/card/packed.h"
#include "mmcpipe/card/settle.h"
#include "mmcpipe/host/transaction.h"
#include "mmcpipe/trial/pattern.h"
#include "mmcpipe/trial/stamped.h"

#include <array>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using card::PackedPart;
using spec::mmc::PackedDirection;
using spec::mmc::PackedEntry;

namespace {

struct Piece {
    std::uint32_t sector;
    std::uint16_t count;
};
using Pieces = std::array<Piece, 3>;

constexpr std::uint32_t before = 200; ///< seed of what is there before

Pieces pieces_of(const Bench& bench) {
    const std::uint32_t first = ground(bench);
    return {{{first + 40, 8}, {first + 3, 1}, {first + 100, 5}}};
}

std::uint32_t blocks_of(const Pieces& pieces) {
    std::uint32_t blocks = 0;
    for (const Piece& piece : pieces) blocks += piece.count;
    return blocks;
}

/// The header lies at the beginning of the bench's memory, the data behind it.
host::Buffer header_memory(const Bench& bench) {
    return bench.memory().first(std::size_t{bench.properties().packed_header_blocks} * 512);
}

host::Buffer data_memory(const Bench& bench, const Pieces& pieces) {
    return bench.memory().subspan(header_memory(bench).size(), bytes_of(blocks_of(pieces)));
}

spec::DataAddress address_of(const Bench& bench, const Piece& piece) {
    return spec::address_of(piece.sector, bench.properties().addressing);
}

void put_header(const Bench& bench, PackedDirection direction, const Pieces& pieces) {
    std::array<PackedEntry, std::tuple_size_v<Pieces>> entries{};
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        entries[i].count.blocks = pieces[i].count;
        entries[i].address = address_of(bench, pieces[i]);
    }
    spec::mmc::encode_packed_header(header_memory(bench), direction, entries);
}

void put_data(const Bench& bench, const Pieces& pieces, std::uint32_t seed) {
    host::Buffer data = data_memory(bench, pieces);
    for (const Piece& piece : pieces) {
        Pattern pattern(seed, piece.sector);
        fill(data.first(bytes_of(piece.count)), pattern);
        data = data.subspan(bytes_of(piece.count));
    }
}

bool has_data(const Bench& bench, const Pieces& pieces, std::uint32_t seed) {
    host::Buffer data = data_memory(bench, pieces);
    bool all = true;
    for (const Piece& piece : pieces) {
        Pattern pattern(seed, piece.sector);
        all &= matches(data.first(bytes_of(piece.count)), pattern);
        data = data.subspan(bytes_of(piece.count));
    }
    return all;
}

/// One request of a packed command, to its end; the status that it settles with.
Task<Result<std::uint32_t>> carry_out(Bench& bench, PackedPart part, const Pieces& pieces) {
    const host::Buffer header = header_memory(bench);
    const host::Buffer data = data_memory(bench, pieces);
    const std::array<host::Buffer, 2> both{header, data};
    const std::span<const host::Buffer> buffers = part == PackedPart::write         ? std::span(both)
                                                  : part == PackedPart::read_header ? std::span(both).first(1)
                                                                                    : std::span(both).last(1);
    std::uint32_t blocks = 0;
    for (const host::Buffer buffer : buffers) blocks += static_cast<std::uint32_t>(buffer.size() / 512);

    host::Transaction request(bench.executor());
    card::Settle settle(bench.host());
    co_await card::fill_packed(request, part, blocks, address_of(bench, pieces[0]), buffers, bench.properties());
    const Result<void> sent = co_await outcome(host::transact(bench.host(), request));
    const Result<void> done = sent ? card::verdict(request, bench.properties()) : sent;
    if (done) {
        settle.start(bench.card().peer(), card::Confirm::status, bench.properties().times.write);
        co_await settle.over();
        co_return settle.verdict();
    }
    const card::Verdict verdict = co_await bench.card().recover(request, done.error(), 1);
    co_return base::fail(verdict.error);
}

bool too_few(std::uint32_t most) { return most < std::tuple_size_v<Pieces>; }

} // namespace

Task<Result<Outcome>> packed_write(Bench& bench) {
    if (too_few(bench.properties().max_packed_writes)) co_return Outcome::unsupported_by_card;
    const Pieces pieces = pieces_of(bench);
    const std::uint32_t first = ground(bench);
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        co_await stamp(bench, first, 128, before);
        put_header(bench, PackedDirection::write, pieces);
        put_data(bench, pieces, seed);
        const std::uint32_t status = co_await carry_out(bench, PackedPart::write, pieces);
        if (card::has_exception(status)) co_return Outcome::failed;
        for (std::uint32_t sector = first; sector < first + 128; ++sector) {
            std::uint32_t expected = before;
            for (const Piece& piece : pieces) {
                if (sector >= piece.sector && sector - piece.sector < piece.count) expected = seed;
            }
            const bool there = co_await stamped(bench, sector, 1, expected);
            if (!there) co_return Outcome::failed;
        }
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> packed_read(Bench& bench) {
    if (too_few(bench.properties().max_packed_reads)) co_return Outcome::unsupported_by_card;
    const Pieces pieces = pieces_of(bench);
    for (const Piece& piece : pieces) co_await stamp(bench, piece.sector, piece.count, before);
    // Twice: an announced read holds for one.
    for (int i = 0; i < 2; ++i) {
        blank(data_memory(bench, pieces));
        put_header(bench, PackedDirection::read, pieces);
        const std::uint32_t announced = co_await carry_out(bench, PackedPart::read_header, pieces);
        const std::uint32_t status = co_await carry_out(bench, PackedPart::read, pieces);
        if (card::has_exception(announced) || card::has_exception(status)) co_return Outcome::failed;
        if (!has_data(bench, pieces, before)) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> packed_failure(Bench& bench) {
    if (too_few(bench.properties().max_packed_writes)) co_return Outcome::unsupported_by_card;
    constexpr std::uint32_t seed = 1;
    Pieces pieces = pieces_of(bench);
    for (const Piece& piece : pieces) co_await stamp(bench, piece.sector, piece.count, before);
    pieces[1].sector = bench.sectors();
    put_header(bench, PackedDirection::write, pieces);
    put_data(bench, pieces, seed);
    const std::uint32_t status = co_await carry_out(bench, PackedPart::write, pieces);
    if (!card::has_exception(status)) co_return Outcome::failed;
    const card::PackedStatus packed = co_await bench.card().read_packed_status();
    if (!packed.failed || packed.index != 2) co_return Outcome::failed;
    const bool first_written = co_await stamped(bench, pieces[0].sector, pieces[0].count, seed);
    const bool third_as_before = co_await stamped(bench, pieces[2].sector, pieces[2].count, before);
    if (!first_written || !third_as_before) co_return Outcome::failed;

    // The next one is not touched by it.
    const Outcome next = co_await packed_write(bench);
    co_return next;
}

} // namespace mmcpipe::trial
