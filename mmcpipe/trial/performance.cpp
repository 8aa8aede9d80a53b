#include "mmcpipe/trial/performance.h"

#include "mmcpipe/trial/area.h"

#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using host::Direction;

namespace {

/// Erases the area and, for what is to be read, writes its first part in one request.
Task<Result<void>> prepare(Bench& bench, Area area, Direction direction) {
    co_await erase_if_possible(bench, area);
    if (direction == Direction::write) co_return {};
    const std::uint32_t largest = largest_request(bench, area);
    const Transfers content{Direction::write, area.first, largest, 1, in_one_piece(bench, largest)};
    co_await transfer(bench, content);
    co_return {};
}

} // namespace

Task<Result<Outcome>> best_case(Bench& bench, Sink& sink, Direction direction) {
    const std::optional<Area> area = test_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    co_await prepare(bench, *area, direction);
    const std::uint32_t largest = largest_request(bench, *area);
    const Transfers best{direction, area->first, largest, 1, in_one_piece(bench, largest)};
    co_await timed_transfer(bench, sink, best);
    co_return Outcome::ok;
}

Task<Result<Outcome>> single_by_size(Bench& bench, Sink& sink, Direction direction) {
    const std::optional<Area> area = test_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    co_await prepare(bench, *area, direction);
    const std::uint32_t largest = largest_request(bench, *area);
    for (std::uint32_t bytes = 512; bytes < largest; bytes = next_size(bytes, largest)) {
        // Each behind the one before: nothing is written twice.
        const Transfers one{direction, area->first + bytes / 512, bytes, 1, in_one_piece(bench, bytes)};
        co_await timed_transfer(bench, sink, one);
    }
    if (direction == Direction::write) co_await erase_if_possible(bench, *area);
    const Transfers last{direction, area->first, largest, 1, in_one_piece(bench, largest)};
    co_await timed_transfer(bench, sink, last);
    co_return Outcome::ok;
}

Task<Result<Outcome>> consecutive_by_size(Bench& bench, Sink& sink, Direction direction) {
    const std::optional<Area> area = test_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    if (direction == Direction::read) co_await prepare(bench, *area, direction);
    const std::uint32_t largest = largest_request(bench, *area);
    for (std::uint32_t bytes = 512; bytes != 0; bytes = next_size(bytes, largest)) {
        if (direction == Direction::write) co_await erase_if_possible(bench, *area);
        const Transfers all{direction, area->first, bytes, area->bytes() / bytes, in_one_piece(bench, bytes)};
        co_await timed_transfer(bench, sink, all);
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
