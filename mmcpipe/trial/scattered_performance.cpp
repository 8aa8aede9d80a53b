#include "mmcpipe/trial/scattered_performance.h"

#include "mmcpipe/trial/area.h"

#include <algorithm>
#include <array>
#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using host::Direction;

namespace {

struct Length {
    unsigned times;
    std::uint32_t bytes;
};
constexpr std::uint32_t mebibyte = 1024 * 1024;
constexpr std::uint32_t alignment = 32 * mebibyte / 512; ///< of the first sector
constexpr std::array<Length, 3> lengths{{{10, 10 * mebibyte}, {5, 100 * mebibyte}, {3, 1000 * mebibyte}}};

std::span<const host::Buffer> in_pages(Bench& bench, std::uint32_t bytes) {
    return in_pieces(bench, bytes, (bytes + page - 1) / page);
}

} // namespace

Task<Result<Outcome>> best_case_scattered(Bench& bench, Sink& sink, Direction direction) {
    const std::optional<Area> area = test_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    const std::uint32_t bytes = largest_of_pages(bench, largest_request(bench, *area));
    Transfers best{Direction::write, area->first, bytes, 1, in_pages(bench, bytes)};

    co_await erase_if_possible(bench, *area);
    if (direction == Direction::read) co_await transfer(bench, best);
    best.direction = direction;
    co_await timed_transfer(bench, sink, best);
    co_return Outcome::ok;
}

Task<Result<Outcome>> large_sequential(Bench& bench, Sink& sink, Direction direction) {
    const std::uint32_t bytes = largest_of_pages(bench, bench.largest_request());
    const std::uint32_t quarter = bench.sectors() / 4;
    const std::uint32_t first = quarter / alignment * alignment;
    for (const Length length : lengths) {
        const std::uint32_t requests = std::min(length.bytes / 512, quarter) / (bytes / 512);
        if (requests == 0) co_return Outcome::unsupported_by_card;
        const Transfers all{direction, first, bytes, requests, in_pages(bench, bytes)};
        for (unsigned n = 0; n < length.times; ++n) co_await timed_transfer(bench, sink, all);
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
