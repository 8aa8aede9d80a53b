#include "mmcpipe/trial/blocks.h"

#include "mmcpipe/trial/pattern.h"
#include "mmcpipe/trial/stamped.h"

#include <algorithm>
#include <array>
#include <span>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using card::Bounding;
using host::Direction;

namespace {

constexpr std::array<std::uint32_t, 11> counts{1, 2, 3, 4, 5, 8, 15, 16, 17, 32, 33};
constexpr std::array<std::uint32_t, 8> powers_of_two{1, 2, 4, 8, 32, 64, 128, 256};
constexpr std::array<std::uint32_t, 8> odd_lengths{3, 7, 31, 33, 100, 255, 257, 511};
constexpr std::uint32_t before = 100; ///< seed of what is there before

bool possible(const Bench& bench, Bounding bounding) {
    return bounding != Bounding::predefined || bench.properties().set_block_count;
}

Task<Result<void>> one_request(Bench& bench, Direction direction, Bounding bounding, std::uint32_t sector,
                               host::Buffer buffer) {
    card::Transfer wanted;
    wanted.direction = direction;
    wanted.bounding = bounding;
    wanted.sector = sector;
    wanted.blocks = static_cast<std::uint32_t>(buffer.size()) / 512;
    wanted.buffers = {&buffer, 1};
    co_await bench.transfer(wanted);
    co_return {};
}

/// Reads blocks of another length from the beginning of a stamped sector.
Task<Result<bool>> read_short(Bench& bench, std::uint32_t sector, std::uint32_t seed, std::uint32_t length,
                              std::uint32_t blocks) {
    const host::Buffer buffer = bench.memory().first(std::size_t{length} * blocks);
    const host::Buffer behind = bench.memory().subspan(buffer.size(), 64);
    blank(buffer);
    blank(behind);
    card::Transfer wanted;
    wanted.bounding = blocks == 1 ? Bounding::single : Bounding::open_ended;
    wanted.sector = sector;
    wanted.blocks = blocks;
    wanted.block_size = length;
    wanted.buffers = {&buffer, 1};
    co_await bench.card().set_block_length(length);
    co_await bench.transfer(wanted);
    Pattern pattern(seed, sector);
    co_return matches(buffer, pattern) && is_blank(behind);
}

Task<Result<Outcome>> read_all_lengths(Bench& bench, std::uint32_t seed, std::span<const std::uint32_t> lengths) {
    const std::uint32_t sector = ground(bench);
    for (const std::uint32_t length : lengths) {
        const bool one = co_await read_short(bench, sector, seed, length, 1);
        const bool many = co_await read_short(bench, sector, seed, length, 512 / length);
        if (!one || !many) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

} // namespace

Task<Result<Outcome>> single_blocks(Bench& bench) {
    const std::uint32_t sector = ground(bench);
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        co_await stamp(bench, sector, 3, seed);
        const bool held = co_await stamped(bench, sector, 3, seed);
        if (!held) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> blocks_in_one_write(Bench& bench, Bounding bounding) {
    if (!possible(bench, bounding)) co_return Outcome::unsupported_by_card;
    const std::uint32_t sector = ground(bench) + 1;
    std::uint32_t seed = before;
    for (const std::uint32_t count : counts) {
        if (count * 512 > bench.largest_request()) break;
        co_await stamp(bench, sector - 1, count + 2, before);

        const host::Buffer data = bench.memory().first(bytes_of(count));
        Pattern pattern(++seed, sector);
        fill(data, pattern);
        co_await one_request(bench, Direction::write, bounding, sector, data);

        const bool written = co_await stamped(bench, sector, count, seed);
        const bool below = co_await stamped(bench, sector - 1, 1, before);
        const bool above = co_await stamped(bench, sector + count, 1, before);
        if (!written || !below || !above) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> blocks_in_one_read(Bench& bench, Bounding bounding) {
    if (!possible(bench, bounding)) co_return Outcome::unsupported_by_card;
    const std::uint32_t sector = ground(bench);
    std::uint32_t seed = before + 100;
    for (const std::uint32_t count : counts) {
        if (count * 512 > bench.largest_request()) break;
        co_await stamp(bench, sector, count, ++seed);

        const host::Buffer data = bench.memory().first(bytes_of(count));
        const host::Buffer behind = bench.memory().subspan(data.size(), 64);
        blank(data);
        blank(behind);
        co_await one_request(bench, Direction::read, bounding, sector, data);
        Pattern pattern(seed, sector);
        if (!matches(data, pattern) || !is_blank(behind)) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> last_sectors(Bench& bench) {
    const std::uint32_t count = std::min(bench.largest_request() / 512, 3u);
    const std::uint32_t sector = bench.sectors() - count;
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
        const host::Buffer data = bench.memory().first(bytes_of(count));
        Pattern written(seed, sector);
        fill(data, written);
        co_await bench.write(sector, data);
        blank(data);
        co_await bench.read(sector, data);
        Pattern pattern(seed, sector);
        const bool together = matches(data, pattern);
        const bool apart = co_await stamped(bench, sector, count, seed);
        if (!together || !apart) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> short_blocks(Bench& bench, Lengths lengths) {
    if (!bench.properties().read_lengths.partial) co_return Outcome::unsupported_by_card;
    const std::uint32_t seed = lengths == Lengths::odd ? 1 : 2;
    co_await stamp(bench, ground(bench), 1, seed);

    const std::span<const std::uint32_t> all = lengths == Lengths::odd ? odd_lengths : powers_of_two;
    const Result<Outcome> tried = co_await outcome(read_all_lengths(bench, seed, all));
    co_await bench.card().set_block_length(512);
    co_return tried;
}

} // namespace mmcpipe::trial
