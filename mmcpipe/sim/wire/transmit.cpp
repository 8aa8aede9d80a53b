// DataLine: blocks from the controller to the card.

#include "mmcpipe/sim/wire/command_line.h"
#include "mmcpipe/sim/wire/data_line.h"
#include "mmcpipe/sim/wire/timing.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mmcpipe::sim::wire {

namespace {

constexpr std::int64_t status_cycles = n_crc + crc_status_cycles;

} // namespace

void DataLine::transmit(Sender& sender, const Transfer& transfer) {
    stop();
    sender_ = &sender;
    transfer_ = transfer;
    clear_from_ = std::max(wires_.now(), command_.answered_at()) + wires_.cycles(n_wr);
    if (!frozen_) send_next();
}

/// At the beginning of a block, and the block before is done with.
void DataLine::send_next() {
    const Time now = wires_.now();
    Acceptance acceptance{.ready = {}, .blocks = 0, .busy = {}};
    if (flow_ == Flow::takes && !mute_) acceptance = wires_.card->accept(transfer_.blocks, now);
    // Sent to a card that does not take it, a block gets no CRC status.
    if (acceptance.blocks == 0) return wait_in_silence(after(now, transfer_.timeout));
    if (acceptance.ready <= now) return plan_write(acceptance);
    const Time deadline = after(now, transfer_.timeout);
    if (acceptance.ready > deadline) return wait_in_silence(deadline);
    wires_.show_busy(now, acceptance.ready);
    clear_from_ = after(acceptance.ready, wires_.cycles(n_wr));
    wait(Phase::busy, acceptance.ready);
}

void DataLine::plan_write(const Acceptance& acceptance) {
    const std::uint32_t length = transfer_.block_length;
    Chunk chunk = take(std::min<std::uint32_t>(acceptance.blocks * length, page_size));
    if (chunk.empty()) return wait(Phase::data, forever);
    run_ = Run{.data = {},
               .blocks = 1,
               .length = length,
               .cycles = block_cycles(length, wires_.lanes) + status_cycles,
               .begin = std::max(clear_from_, wires_.now()),
               .busy = acceptance.busy,
               .pause = acceptance.busy + wires_.cycles(n_wr),
               .to_card = true,
               .heard = true,
               .sound = fits()};
    std::uint32_t blocks = run_.sound ? chunk.length / length : 1;
    const bool whole = blocks != 0 && chunk.length >= length;
    blocks = std::max(blocks, 1u);
    if (run_.busy > transfer_.timeout) { // the time-out will cut it short
        blocks = 1;
        run_.busy = {};
    }
    hit_.reset();
    if (!apply_faults(blocks)) return;
    if (!whole) {
        rest_ = std::move(chunk);
        offset_ = 0;
        assembly_ = PageRef::make();
        return next_send_slice();
    }
    run_.blocks = blocks;
    const std::uint32_t size = blocks * length;
    if (chunk.length > size) rest_ = chunk.after(size);
    run_.data = chunk.length > size ? chunk.first(size) : std::move(chunk);
    wait(Phase::blocks, all_over());
}

Chunk DataLine::take(std::uint32_t most) {
    if (rest_.empty()) return sender_->take(most);
    Chunk chunk = std::exchange(rest_, {});
    if (chunk.length <= most) return chunk;
    rest_ = chunk.after(most);
    return chunk.first(most);
}

void DataLine::next_send_slice() {
    const std::uint32_t length = transfer_.block_length;
    const Chunk chunk = take(std::min<std::uint32_t>(length - offset_, page_size));
    if (chunk.empty()) {
        if (transfer_.flow_control) return stall();
        Sender* const sender = sender_;
        phase_ = Phase::slice;
        stop();
        return sender->underrun();
    }
    slice_ = chunk.length;
    if (offset_ + slice_ <= page_size) std::memcpy(assembly_.writable() + offset_, bytes(chunk).data(), slice_);
    std::int64_t cycles = wires_.lanes.cycles(slice_);
    if (offset_ == 0) cycles += start_cycles;
    if (offset_ + slice_ == length) cycles += crc_cycles + end_cycles + status_cycles;
    const Time from = offset_ == 0 ? run_.begin : wires_.now();
    wait(Phase::slice, from + wires_.cycles(cycles));
}

void DataLine::send_slice_over() {
    offset_ += slice_;
    if (offset_ != transfer_.block_length) return next_send_slice();
    run_.data = {.page = std::move(assembly_), .offset = 0, .length = static_cast<std::uint16_t>(run_.length)};
    phase_ = Phase::blocks;
    run_.begin = wires_.now() - block_time();
    blocks_went(1);
}

/// CRC status of so many blocks of the run came, or should have.
void DataLine::blocks_went(std::uint32_t blocks) {
    const Time end = end_of(blocks);
    show(run_.begin, end, blocks * run_.length, "write");
    const Chunk data = advance(blocks);
    if (mute_) return wait_in_silence(after(end, transfer_.timeout));
    Card& card = *wires_.card;
    if (run_.sound) {
        card.received(data, end);
    } else {
        card.damaged(end);
    }
    if (hit_ && hit_->busy) card.hang(after(end, *hit_->busy));
    flow_ = card.flow();
    transfer_.blocks -= blocks;
    went_ += blocks;
    went_well_ = run_.sound;
    status_end_ = end;
    if (run_.blocks == 0) release();
}

/// After the last CRC status: the sender hears of it when the card is ready for more, or done.
void DataLine::release() {
    const Time now = wires_.now();
    const bool last = transfer_.blocks == 0 || !went_well_;
    const bool more = !last && flow_ == Flow::takes;
    Acceptance acceptance{.ready = now, .blocks = 0, .busy = {}};
    if (more) {
        acceptance = wires_.card->accept(transfer_.blocks, now);
    } else if (wires_.card != nullptr && went_well_) {
        acceptance.ready = wires_.card->busy_until();
    }
    if (acceptance.ready > now) {
        flush();
        wires_.show_busy(status_end_, acceptance.ready);
        const Time deadline = after(status_end_, transfer_.timeout);
        if (acceptance.ready > deadline) return wait_in_silence(std::max(deadline, now));
        return wait(Phase::busy, acceptance.ready);
    }
    clear_from_ = now + wires_.cycles(n_wr);
    const std::uint32_t blocks = std::exchange(went_, 0);
    Sender& sender = *sender_;
    if (last) detach();
    const std::uint32_t serial = serial_;
    sender.blocks_sent(blocks, went_well_);
    if (serial != serial_ || last) return;
    if (frozen_) return wait(Phase::data, forever);
    if (acceptance.blocks != 0 && flow_ == Flow::takes) {
        plan_write(acceptance);
    } else {
        send_next();
    }
}

} // namespace mmcpipe::sim::wire
