#include "mmcpipe/trial/trim_performance.h"

#include "mmcpipe/card/erase.h"
#include "mmcpipe/trial/area.h"

#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;

namespace {

/// Something to be trimmed: the area erased, its first part written.
Task<Result<void>> prepare(Bench& bench, Area area) {
    co_await erase_if_possible(bench, area);
    const std::uint32_t largest = largest_request(bench, area);
    const Transfers content{host::Direction::write, area.first, largest, 1, in_one_piece(bench, largest)};
    co_await transfer(bench, content);
    co_return {};
}

/// Trims `count` pieces of `bytes`, timed. `ok`, or unsupported_by_card.
Task<Result<Outcome>> timed_trim(Bench& bench, Sink& sink, std::uint32_t first, std::uint32_t bytes,
                                 std::uint32_t count) {
    const base::Instant begin = bench.now();
    card::Sectors piece{first, bytes / 512};
    for (std::uint32_t n = 0; n < count; ++n) {
        const Result<void> trimmed = co_await outcome(card::erase(bench.card(), piece, spec::Erase::trim));
        if (!trimmed && trimmed.error().code == base::Code::not_possible) co_return Outcome::unsupported_by_card;
        co_await trimmed;
        piece.first += piece.count;
    }
    sink.transferred({count, bytes, 0, bench.now() - begin});
    co_return Outcome::ok;
}

} // namespace

Task<Result<Outcome>> single_trim_by_size(Bench& bench, Sink& sink) {
    const std::optional<Area> area = test_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    co_await prepare(bench, *area);
    for (std::uint32_t bytes = 512; bytes != 0; bytes = next_size(bytes, area->bytes())) {
        const std::uint32_t shift = bytes < area->bytes() ? bytes / 512 : 0;
        const Outcome trimmed = co_await timed_trim(bench, sink, area->first + shift, bytes, 1);
        if (trimmed != Outcome::ok) co_return trimmed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> consecutive_trim_by_size(Bench& bench, Sink& sink) {
    const std::optional<Area> area = test_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    for (std::uint32_t bytes = 512; bytes != 0; bytes = next_size(bytes, area->bytes())) {
        co_await prepare(bench, *area);
        const Outcome trimmed = co_await timed_trim(bench, sink, area->first, bytes, area->bytes() / bytes);
        if (trimmed != Outcome::ok) co_return trimmed;
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
