#include "mmcpipe/trial/multiple.h"

#include "mmcpipe/trial/area.h"
#include "mmcpipe/trial/series.h"

#include <algorithm>
#include <array>
#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using block::Depth;
using host::Direction;

namespace {

constexpr std::uint32_t kibibyte = 1024;
constexpr std::uint32_t mebibyte = 1024 * kibibyte;
constexpr std::uint32_t total_bytes = 128 * mebibyte;

constexpr std::array<std::uint32_t, 10> sizes{4 * kibibyte,  8 * kibibyte,   16 * kibibyte,  32 * kibibyte,
                                              64 * kibibyte, 128 * kibibyte, 256 * kibibyte, 512 * kibibyte,
                                              1 * mebibyte,  4 * mebibyte};
constexpr std::array<std::uint32_t, 8> element_counts{1, 8, 16, 32, 64, 128, 256, 512};
constexpr std::uint32_t size_with_elements = 512 * kibibyte;

/// Equal transfers, each behind the one before.
class EqualTransfers final : public Series {
public:
    explicit EqualTransfers(const Transfers& transfers) : Series(transfers.requests), transfers_(transfers) {}

private:
    void begin(std::uint32_t n, block::Transfer& transfer) noexcept override {
        const std::uint32_t sectors = transfers_.request_bytes / 512;
        transfer.wanted.direction = transfers_.direction;
        transfer.wanted.bounding = card::Bounding::open_ended;
        transfer.wanted.sector = transfers_.first + n * sectors;
        transfer.wanted.blocks = sectors;
        transfer.wanted.buffers = transfers_.buffers;
        transfer.confirm = card::Confirm::status;
    }
    void end(std::uint32_t, const block::Transfer&) noexcept override {}

    Transfers transfers_;
};

/// Where and how much: a quarter of the card before it, at most half of the card.
std::optional<Area> sequential_area(const Bench& bench) {
    constexpr std::uint32_t coarse = 32 * mebibyte / 512;
    constexpr std::uint32_t fine = 1 * mebibyte / 512;
    const std::uint32_t quarter = bench.sectors() / 4;
    const std::uint32_t step = quarter >= coarse ? coarse : fine;
    const Area area{quarter / step * step, std::min(total_bytes / 512, bench.sectors() / 2)};
    if (area.first == 0) return std::nullopt;
    return area;
}

/// One row, in these buffers.
Task<Result<void>> timed_row(Bench& bench, Sink& sink, Area area, Transfers all, Depth depth) {
    all.first = area.first;
    all.requests = area.bytes() / all.request_bytes;
    if (all.requests == 0) co_return {};
    if (all.direction == Direction::write) co_await erase_if_possible(bench, area);

    EqualTransfers series(all);
    const base::Instant begin = bench.now();
    co_await run(bench, series, depth);
    const std::uint32_t elements = static_cast<std::uint32_t>(all.buffers.size());
    sink.transferred({all.requests, all.request_bytes, elements, bench.now() - begin});
    co_return {};
}

} // namespace

Task<Result<Outcome>> multiple_by_size(Bench& bench, Sink& sink, Direction direction, Depth depth) {
    const std::optional<Area> area = sequential_area(bench);
    const std::optional<Area> limit = test_area(bench);
    if (!area || !limit) co_return Outcome::unsupported_by_card;
    for (const std::uint32_t size : sizes) {
        Transfers all;
        all.direction = direction;
        all.request_bytes = std::min(size, largest_request(bench, *limit));
        all.buffers = in_one_piece(bench, all.request_bytes);
        co_await timed_row(bench, sink, *area, all, depth);
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> multiple_by_elements(Bench& bench, Sink& sink, Direction direction, Depth depth) {
    const std::optional<Area> area = sequential_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    for (const std::uint32_t count : element_counts) {
        Transfers all;
        all.direction = direction;
        all.request_bytes = std::min(size_with_elements, bench.largest_request());
        all.buffers = in_pieces(bench, all.request_bytes, std::min(count, bench.most_elements()));
        co_await timed_row(bench, sink, *area, all, depth);
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
