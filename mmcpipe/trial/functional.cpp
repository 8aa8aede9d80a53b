#include "mmcpipe/trial/functional.h"

#include "mmcpipe/trial/mmc_test.h"
#include "mmcpipe/trial/pattern.h"

#include <algorithm>
#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using host::Direction;

namespace {

constexpr std::uint32_t background = 0; ///< seed of what is there before; seeds from 1 on are the transfers'
constexpr std::uint32_t page = 4096;

/// One transfer of a shape.
struct Shot {
    std::uint32_t block_size = 512;
    std::uint32_t blocks = 1;
    std::uint32_t shift = 0; ///< of the buffer, bytes behind an aligned address

    constexpr std::uint32_t bytes() const { return block_size * blocks; }
};

/// Blocks of a multi-block transfer.
std::uint32_t multi_blocks(const Bench& bench) { return std::min(2 * page, bench.largest_request()) / 512; }

bool is_multi(Shape shape) { return shape == Shape::multi || shape == Shape::misaligned_multi; }
bool changes_length(Shape shape) { return shape == Shape::powers_of_two || shape == Shape::weird_sizes; }

/// The n-th of a shape, from 0; nothing behind the last.
std::optional<Shot> shot(const Bench& bench, Shape shape, std::uint32_t n) {
    Shot shot;
    std::uint32_t count = 1;
    if (is_multi(shape)) shot.blocks = multi_blocks(bench);
    switch (shape) {
    case Shape::single:
    case Shape::multi: break;
    case Shape::powers_of_two:
        shot.block_size = 1u << n;
        count = 9;
        break;
    case Shape::weird_sizes:
        shot.block_size = 3 + 7 * n;
        count = 73;
        break;
    case Shape::misaligned:
    case Shape::misaligned_multi:
        shot.shift = 1 + n;
        count = 7;
        break;
    }
    if (n >= count) return std::nullopt;
    return shot;
}

/// Fills the sectors that are used, one by one; `bytes` is called for each of them.
template <class Bytes>
Task<Result<void>> fill_card(Bench& bench, Bytes bytes) {
    const host::Buffer sector = bench.memory().first(512);
    for (std::uint32_t n = 0; n < functional_sectors; ++n) {
        bytes(sector, n);
        co_await bench.write(n, sector);
    }
    co_return {};
}

Task<Result<void>> transfer(Bench& bench, Shot shot, Direction direction, host::Buffer data) {
    card::Transfer wanted;
    wanted.direction = direction;
    wanted.bounding = shot.blocks == 1 ? card::Bounding::single : card::Bounding::open_ended;
    wanted.blocks = shot.blocks;
    wanted.block_size = shot.block_size;
    wanted.buffers = {&data, 1};
    co_await bench.transfer(wanted);
    co_return {};
}

/// What a transfer wrote is there, and the background behind it.
Task<Result<bool>> was_written(Bench& bench, std::uint32_t bytes, std::uint32_t seed) {
    const host::Buffer sector = bench.memory().first(512);
    for (std::uint32_t n = 0; n <= bytes / 512; ++n) {
        blank(sector);
        co_await bench.read(n, sector);
        const std::uint32_t written = std::min(bytes - n * 512, 512u);
        Pattern fresh(seed, n);
        Pattern old(background, n);
        for (std::uint32_t i = 0; i < 512; ++i) {
            const std::byte was = old.next();
            const std::byte is = fresh.next();
            if (sector[i] != (i < written ? is : was)) co_return false;
        }
    }
    co_return true;
}

/// One transfer, verified.
Task<Result<bool>> holds(Bench& bench, Shot shot, Direction direction, std::uint32_t seed) {
    const host::Buffer data = bench.memory().subspan(shot.shift, shot.bytes());
    Pattern pattern(direction == Direction::write ? seed : background, 0);
    if (direction == Direction::write) {
        fill(data, pattern);
    } else {
        blank(data);
    }

    if (shot.block_size != 512) co_await bench.card().set_block_length(shot.block_size);
    co_await transfer(bench, shot, direction, data);
    if (direction == Direction::read) co_return matches(data, pattern);

    if (shot.block_size != 512) co_await bench.card().set_block_length(512);
    const bool written = co_await was_written(bench, shot.bytes(), seed);
    co_return written;
}

Task<Result<Outcome>> all_shots(Bench& bench, Shape shape, Direction direction) {
    co_await fill_card(bench, [](host::Buffer bytes, std::uint32_t sector) {
        Pattern pattern(background, sector);
        fill(bytes, pattern);
    });
    std::uint32_t n = 0;
    for (std::optional<Shot> next = shot(bench, shape, n); next; next = shot(bench, shape, ++n)) {
        const bool held = co_await holds(bench, *next, direction, n + 1);
        if (!held) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

/// Leaves blocks of 512 bytes, and zeros.
Task<Result<void>> clean_up(Bench& bench, Shape shape) {
    if (changes_length(shape)) co_await bench.card().set_block_length(512);
    co_await fill_card(bench, [](host::Buffer bytes, std::uint32_t) { std::ranges::fill(bytes, std::byte{0}); });
    co_return {};
}

} // namespace

Task<Result<Outcome>> basic(Bench& bench, Direction direction) {
    const host::Buffer sector = bench.memory().first(512);
    if (direction == Direction::write) {
        co_await bench.write(0, sector);
    } else {
        co_await bench.read(0, sector);
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> verified(Bench& bench, Shape shape, Direction direction) {
    const card::Properties& card = bench.properties();
    const bool partial = direction == Direction::read ? card.read_lengths.partial : card.write_lengths.partial;
    if (is_multi(shape) && multi_blocks(bench) < 2) co_return Outcome::unsupported_by_host;
    if (changes_length(shape) && !partial) co_return Outcome::unsupported_by_card;

    const Result<Outcome> tried = co_await outcome(all_shots(bench, shape, direction));
    const Result<void> cleaned = co_await outcome(clean_up(bench, shape));
    if (tried && !cleaned) co_return base::fail(cleaned.error());
    co_return tried;
}

Task<Result<Outcome>> high_memory(Bench&) { co_return Outcome::unsupported_by_host; }

} // namespace mmcpipe::trial
