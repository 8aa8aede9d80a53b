#include "mmcpipe/card/transfer.h"

#include "mmcpipe/host/transaction.h"

namespace mmcpipe::card {

using base::Code;
using base::Result;

namespace {

constexpr std::uint32_t most_predefined = 0xffff; // MMC has 16 bits for it

spec::Command data_command(const Transfer& transfer, spec::DataAddress address) {
    const bool single = transfer.bounding == Bounding::single;
    if (transfer.direction == host::Direction::read) {
        return single ? spec::read_single_block(address) : spec::read_multiple_block(address);
    }
    return single ? spec::write_block(address) : spec::write_multiple_block(address);
}

host::CommandPhase stop_of(host::Direction direction, const Properties& card, const host::Capabilities& host) {
    host::CommandPhase stop;
    if (direction == host::Direction::read) {
        stop.command = spec::stop_transmission(spec::Transfer::read);
        return stop;
    }
    stop.command = spec::stop_transmission(spec::Transfer::write);
    stop.busy_timeout = card.times.write;
    // Where the host cannot wait so long, nobody waits here, and `Settle` does.
    if (!host.detects_busy || host.longest_busy < stop.busy_timeout) stop.command.response = spec::Response::r1;
    return stop;
}

/// Reading up to its last sector a card may report OUT_OF_RANGE for the sector after it, which it was not asked for
/// (SD 4.3.3).
bool ends_at_last_sector(const host::Request& request, const Properties& card) {
    if (!request.data || request.data->direction != host::Direction::read) return false;
    const std::uint32_t first = spec::sector_of({request.command.command.argument}, card.addressing);
    return first + (std::uint64_t{request.data->bytes()} >> 9) == card.capacity.sectors();
}

} // namespace

Result<void> fill(host::Request& request, const Transfer& transfer, const Properties& card,
                  const host::Capabilities& host) {
    const bool read = transfer.direction == host::Direction::read;
    if (!spec::supports(card.ccc, read ? spec::CommandClass::block_read : spec::CommandClass::block_write)) {
        return base::fail(Code::not_possible);
    }
    const BlockLengths& lengths = read ? card.read_lengths : card.write_lengths;
    if (!lengths.allow(transfer.block_size)) return base::fail(Code::not_possible);
    if (card.mode.timing == host::Timing::ddr52 && transfer.block_size != 512) return base::fail(Code::not_possible);

    if (transfer.blocks == 0) return base::fail(Code::out_of_range);
    if (transfer.bounding == Bounding::single && transfer.blocks != 1) return base::fail(Code::out_of_range);
    const std::uint64_t bytes = std::uint64_t{transfer.blocks} * transfer.block_size;
    const std::uint64_t sectors = card.capacity.sectors();
    if (transfer.sector >= sectors || (bytes + 511) >> 9 > sectors - transfer.sector)
        return base::fail(Code::out_of_range);
    if (transfer.sector > UINT32_MAX || bytes > UINT32_MAX) return base::fail(Code::out_of_range);

    request.set_block_count.reset();
    request.stop.reset();
    if (transfer.bounding == Bounding::predefined) {
        if (!card.set_block_count) return base::fail(Code::not_possible);
        if (transfer.blocks > most_predefined) return base::fail(Code::out_of_range);
        request.set_block_count.emplace();
        request.set_block_count->command = spec::set_block_count(static_cast<std::uint16_t>(transfer.blocks));
    }
    if (transfer.bounding == Bounding::open_ended) request.stop = stop_of(transfer.direction, card, host);

    request.command = {};
    request.command.command =
        data_command(transfer, spec::address_of(static_cast<std::uint32_t>(transfer.sector), card.addressing));
    request.data.emplace();
    request.data->direction = transfer.direction;
    request.data->block_size = transfer.block_size;
    request.data->blocks = transfer.blocks;
    request.data->buffers = transfer.buffers;
    request.data->timeout = read ? card.times.read : card.times.write;
    request.clear_outcome();
    return {};
}

Result<void> verdict(const host::Request& request, const Properties& card) {
    const spec::Family family = card.peer.family;
    // A phase that was not answered holds 0, which has no error bits.
    if (request.set_block_count && !request.set_block_count->error) {
        const Result<void> counted = judge(family, request.set_block_count->response[0]);
        if (!counted) return counted;
    }
    if (!request.command.error) {
        const Result<void> commanded = judge(family, request.command.response[0]);
        if (!commanded) return commanded;
    }
    if (const std::optional<base::Error> error = host::first_error(request)) return base::fail(*error);
    if (request.stop) {
        std::uint32_t r1 = request.stop->response[0];
        if (ends_at_last_sector(request, card)) r1 &= ~spec::r1::AddressOutOfRange::mask;
        const Result<void> stopped = judge(family, r1);
        if (!stopped) return stopped;
    }
    if (request.data && request.bytes_done != request.data->bytes())
        return base::fail(Code::dma_error, request.host_status);
    return {};
}

} // namespace mmcpipe::card
