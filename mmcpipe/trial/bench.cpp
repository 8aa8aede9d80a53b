#include "mmcpipe/trial/bench.h"

#include <algorithm>

namespace mmcpipe::trial {

using base::Result;
using base::Task;

Bench::Bench(card::Card& card, std::span<std::byte> memory, std::span<host::Buffer> elements, Slot* slot)
    : card_(card), memory_(memory), elements_(elements), slot_(slot), request_(card.executor()), settle_(card.host()) {}

Task<Result<void>> Bench::transfer(const card::Transfer& wanted) {
    co_await card_.fill(request_, wanted);
    co_await host().prepare(request_);
    host().start(request_);
    co_await request_.ended();
    host().finish(request_);

    Result<void> done = card::verdict(request_, properties());
    if (done) {
        settle_.start(card_.peer(), card::Confirm::status, properties().times.write);
        co_await settle_.over();
        const Result<std::uint32_t> settled = settle_.verdict();
        if (settled) co_return {};
        done = base::fail(settled.error());
    }
    const card::Verdict verdict = co_await card_.recover(request_, done.error(), 1);
    co_return base::fail(verdict.error);
}

Task<Result<void>> Bench::read(std::uint32_t sector, std::span<std::byte> into) {
    return whole_sectors(host::Direction::read, sector, into);
}

Task<Result<void>> Bench::write(std::uint32_t sector, std::span<std::byte> from) {
    return whole_sectors(host::Direction::write, sector, from);
}

Task<Result<void>> Bench::whole_sectors(host::Direction direction, std::uint32_t sector, host::Buffer buffer) {
    buffer_ = buffer;
    card::Transfer wanted;
    wanted.direction = direction;
    wanted.sector = sector;
    wanted.blocks = static_cast<std::uint32_t>(buffer.size()) / 512;
    wanted.bounding = wanted.blocks == 1 ? card::Bounding::single : card::Bounding::open_ended;
    wanted.buffers = {&buffer_, 1};
    co_await transfer(wanted);
    co_return {};
}

std::uint32_t Bench::largest_request() const {
    const host::Capabilities& can = host().capabilities();
    const std::uint64_t blocks =
        std::min({memory_.size() / 512, std::size_t{can.max_blocks}, std::size_t{can.max_bytes / 512}});
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, UINT32_MAX / 512)) * 512;
}

std::uint32_t Bench::most_elements() const {
    return std::min(static_cast<std::uint32_t>(elements_.size()), host().capabilities().max_elements);
}

std::uint32_t Bench::sectors() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(properties().capacity.sectors(), UINT32_MAX));
}

} // namespace mmcpipe::trial
