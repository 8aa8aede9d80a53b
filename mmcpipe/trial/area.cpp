#include "mmcpipe/trial/area.h"

#include "mmcpipe/card/erase.h"

#include <algorithm>

namespace mmcpipe::trial {

using base::Result;
using base::Task;

namespace {

constexpr std::uint32_t least_sectors = 4 * 1024 * 2;
constexpr std::uint32_t most_sectors = 128 * 1024 * 2;

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }
std::uint32_t round_down(std::uint32_t value, std::uint32_t unit) { return value / unit * unit; }

} // namespace

std::uint32_t preferred_unit(const Bench& bench) {
    const card::Properties& card = bench.properties();
    return std::max(card.erase_unit, card.sd_status.au_sectors());
}

std::optional<Area> test_area(const Bench& bench) {
    const std::uint32_t unit = preferred_unit(bench);
    const std::uint32_t sectors =
        std::max(std::min(round_up(least_sectors, unit), round_down(most_sectors, unit)), unit);
    const Area area{round_down(bench.sectors() / 2, sectors), sectors};
    if (bench.sectors() - area.first < sectors) return std::nullopt;
    return area;
}

std::uint32_t largest_request(const Bench& bench, Area area) { return std::min(bench.largest_request(), area.bytes()); }

Task<Result<void>> erase_if_possible(Bench& bench, Area area) {
    const std::uint32_t unit = bench.properties().erase_unit;
    const std::uint32_t first = round_up(area.first, unit);
    const std::uint32_t end = round_down(area.first + area.sectors, unit);
    if (first >= end) co_return {};
    const card::Sectors range{first, end - first};
    const Result<void> erased = co_await outcome(card::erase(bench.card(), range));
    if (!erased && erased.error().code == base::Code::not_possible) co_return {};
    co_return erased;
}

std::span<const host::Buffer> in_one_piece(Bench& bench, std::uint32_t bytes) {
    bench.elements()[0] = bench.memory().first(bytes);
    return bench.elements().first(1);
}

std::span<const host::Buffer> in_pieces(Bench& bench, std::uint32_t bytes, std::uint32_t elements) {
    const std::uint32_t size = round_up((bytes + elements - 1) / elements, 512);
    const std::uint32_t pieces = (bytes + size - 1) / size;
    for (std::uint32_t i = 0; i < pieces; ++i) {
        // The last piece may be a short one, and lies first.
        const std::uint32_t end = bytes - i * size;
        const std::uint32_t length = std::min(size, end);
        bench.elements()[i] = bench.memory().subspan(end - length, length);
    }
    return bench.elements().first(pieces);
}

std::uint32_t largest_of_pages(const Bench& bench, std::uint32_t most_bytes) {
    const std::uint32_t pages = std::min(bench.most_elements(), UINT32_MAX / page);
    return std::min(most_bytes, pages * page);
}

Task<Result<void>> transfer(Bench& bench, const Transfers& transfers) {
    card::Transfer wanted;
    wanted.direction = transfers.direction;
    wanted.sector = transfers.first;
    wanted.blocks = transfers.request_bytes / 512;
    wanted.bounding = wanted.blocks == 1 ? card::Bounding::single : card::Bounding::open_ended;
    wanted.buffers = transfers.buffers;
    for (std::uint32_t n = 0; n < transfers.requests; ++n) {
        co_await bench.transfer(wanted);
        wanted.sector += wanted.blocks;
    }
    co_return {};
}

Task<Result<void>> timed_transfer(Bench& bench, Sink& sink, const Transfers& transfers) {
    const base::Instant begin = bench.now();
    co_await transfer(bench, transfers);
    const std::uint32_t elements = static_cast<std::uint32_t>(transfers.buffers.size());
    sink.transferred({transfers.requests, transfers.request_bytes, elements, bench.now() - begin});
    co_return {};
}

} // namespace mmcpipe::trial
