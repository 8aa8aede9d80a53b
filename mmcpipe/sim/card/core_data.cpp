// Core: blocks. JESD84-A441 7.6.5 to 7.6.7, SD Physical Layer 3.01 4.3.3 and 4.3.4.

#include "mmcpipe/sim/card/core.h"

#include <algorithm>
#include <array>

namespace mmcpipe::sim::card {

namespace {

using spec::State;
namespace r1_bits = spec::r1;

} // namespace

wire::Answer Core::set_block_length(std::uint32_t length) {
    const bool sectors = geometry_.addressing == spec::Addressing::sector;
    // 512 goes always; a card that counts in sectors has no other.
    const bool fits =
        length == 512 || (!sectors && (length == geometry_.read_block || length == geometry_.write_block ||
                                       (length != 0 && ((geometry_.read_partial && length < geometry_.read_block) ||
                                                        (geometry_.write_partial && length < geometry_.write_block)))));
    if (fits) {
        block_length_ = length;
    } else {
        set_error(r1_bits::BlockLenError::mask);
    }
    return r1();
}

wire::Answer Core::begin_transfer(std::uint8_t index, std::uint32_t argument, std::uint32_t count, Time now) {
    const bool writes = index >= 24;
    const bool single = index == 17 || index == 24;
    const std::uint64_t at = address_in(argument);
    const std::uint32_t length = both_edges_ ? 512 : block_length_;
    const std::uint32_t longest = writes ? geometry_.write_block : geometry_.read_block;
    const bool partial = writes ? geometry_.write_partial : geometry_.read_partial;
    const bool misalign = writes ? geometry_.write_misalign : geometry_.read_misalign;
    if (length > longest || (length != longest && length != 512 && !partial)) {
        set_error(r1_bits::BlockLenError::mask);
        return r1();
    }
    if (at % longest + length > longest && !misalign) {
        set_error(r1_bits::AddressMisalign::mask);
        return r1();
    }
    if (at + length > capacity()) {
        set_error(r1_bits::AddressOutOfRange::mask);
        return r1();
    }
    transfer_ = {.at = at,
                 .left = single       ? 1
                         : count != 0 ? count
                                      : Transfer::open_ended,
                 .length = length,
                 .ready = {},
                 .writes_flash = writes,
                 .single = single};
    if (writes) {
        flash_.begin_write(at);
        well_written_ = 0;
    } else {
        transfer_.ready = flash_.begin_read(at, now);
    }
    go(writes ? State::rcv : State::data);
    return r1();
}

wire::Answer Core::stop(Time now) {
    if (state_ == State::rcv) {
        end_write(now);
        return r1(spec::Response::r1b);
    }
    go(State::tran);
    return r1(family_ == spec::Family::sd ? spec::Response::r1b : spec::Response::r1);
}

void Core::end_write(Time now) { program_until(transfer_.writes_flash ? flash_.end_write(now) : now); }

wire::Flow Core::flow() const {
    if (state_ == State::data) return wire::Flow::sends;
    return state_ == State::rcv ? wire::Flow::takes : wire::Flow::none;
}

wire::Answer Core::send_register(std::span<const std::byte> content, Time now) {
    register_ = chunk_of(content);
    transfer_ = {.at = 0,
                 .left = 1,
                 .length = static_cast<std::uint32_t>(content.size()),
                 .ready = now,
                 .place = Place::own_register,
                 .single = true};
    go(State::data);
    return r1();
}

/// A transfer that runs over the end of the card stops there, and waits for CMD12.
bool Core::beyond_the_end() {
    if (transfer_.place != Place::flash) return false;
    if (transfer_.at + transfer_.length <= capacity()) return false;
    set_error(r1_bits::AddressOutOfRange::mask);
    transfer_.broken_off = true;
    return true;
}

/// Of the next blocks, those that lie on one page, and belong to one piece.
std::uint32_t Core::blocks_in_reach(std::uint32_t blocks) const {
    const std::uint64_t wanted = std::min<std::uint64_t>({blocks, transfer_.left, transfer_.piece});
    if (transfer_.place != Place::flash)
        return static_cast<std::uint32_t>(std::min(wanted, page_size / transfer_.length));
    const std::uint64_t in_page = page_size - transfer_.at % page_size;
    const std::uint64_t bytes = std::min(in_page, capacity() - transfer_.at);
    const std::uint64_t most = std::max<std::uint64_t>(1, bytes / transfer_.length);
    return static_cast<std::uint32_t>(std::min(wanted, most));
}

Chunk Core::read(std::uint32_t blocks) {
    const std::uint32_t size = blocks * transfer_.length;
    Chunk chunk = content().read(transfer_.at, size);
    if (chunk.length == size) return chunk;
    std::array<std::byte, page_size> across;
    content().read(transfer_.at, std::span(across).first(size));
    return chunk_of(std::span(across).first(size));
}

wire::Offer Core::offer(std::uint32_t blocks, Time now) {
    if (state_ != State::data || transfer_.broken_off) return {.ready = forever, .blocks = 0, .data = {}, .gap = {}};
    if (transfer_.place == Place::own_register)
        return {.ready = transfer_.ready, .blocks = 1, .data = register_, .gap = {}};
    if (beyond_the_end()) return {.ready = forever, .blocks = 0, .data = {}, .gap = {}};
    const std::uint32_t n = blocks_in_reach(blocks);
    return {
        .ready = std::max(transfer_.ready, now), .blocks = n, .data = read(n), .gap = flash_.timing().read_block_gap};
}

void Core::sent(std::uint32_t blocks, Time now) {
    if (transfer_.place == Place::own_register) {
        register_ = {};
        return go(State::tran);
    }
    flash_.was_read(blocks, transfer_.length, now);
    transfer_.at += std::uint64_t{blocks} * transfer_.length;
    transfer_.ready = {};
    if (transfer_.left == Transfer::open_ended) return;
    transfer_.left -= blocks;
    if (transfer_.piece != Transfer::open_ended) {
        transfer_.piece -= blocks;
        if (transfer_.piece == 0) next_piece(now);
    }
    if (transfer_.left == 0) go(State::tran);
}

wire::Acceptance Core::accept(std::uint32_t blocks, Time now) {
    if (state_ != State::rcv || transfer_.broken_off || beyond_the_end())
        return {.ready = forever, .blocks = 0, .busy = {}};
    const Flash::Room room =
        transfer_.place == Place::flash ? flash_.room(transfer_.length, now) : Flash::Room{now, UINT64_MAX};
    const std::uint64_t fit = std::max<std::uint64_t>(1, room.bytes / transfer_.length);
    return {.ready = std::max(room.ready, ready_at()),
            .blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks_in_reach(blocks), fit)),
            .busy = flash_.timing().write_block_busy};
}

void Core::received(const Chunk& data, Time now) {
    const std::uint32_t blocks = data.length / transfer_.length;
    switch (transfer_.place) {
    case Place::flash:
        busy_until_ = flash_.write(data, now);
        transfer_.at += data.length;
        well_written_ += blocks;
        break;
    case Place::header: take_header(data); break;
    case Place::own_register:
    case Place::nowhere: break;
    }
    if (transfer_.left == Transfer::open_ended) return;
    transfer_.left -= std::min<std::uint64_t>(blocks, transfer_.left);
    if (transfer_.piece != Transfer::open_ended) {
        transfer_.piece -= std::min<std::uint64_t>(blocks, transfer_.piece);
        if (transfer_.piece == 0) next_piece(now);
    }
    if (transfer_.left == 0) end_write(now);
}

/// A damaged block is not written, and of a write of more than one everything after it is ignored up to CMD12.
void Core::damaged(Time now) {
    transfer_.broken_off = true;
    if (transfer_.single) end_write(now);
}

} // namespace mmcpipe::sim::card
