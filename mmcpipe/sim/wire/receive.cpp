// DataLine: blocks from the card to the controller.

#include "mmcpipe/sim/wire/data_line.h"
#include "mmcpipe/sim/wire/timing.h"

#include <algorithm>
#include <utility>

namespace mmcpipe::sim::wire {

namespace {

/// What the card is asked for while nobody listens: a page of blocks of the usual length.
constexpr std::uint32_t unheard_blocks = 8;

/// Damaged data does not look like the data.
Chunk spoiled(Chunk chunk) {
    if (chunk.empty()) return chunk;
    chunk.page.writable()[chunk.offset] ^= std::byte{0xff};
    return chunk;
}

} // namespace

void DataLine::receive(Receiver& receiver, const Transfer& transfer) {
    stop();
    receiver_ = &receiver;
    transfer_ = transfer;
    deadline_ = after(wires_.now(), transfer.timeout);
    if (!frozen_) listen();
}

/// Up to now nobody did.
void DataLine::listen() {
    const Time now = wires_.now();
    if (run_.blocks == 0 && flow_ == Flow::sends && !mute_) {
        plan_read(now);
    } else if (run_.blocks == 0) {
        wait_in_silence(deadline_);
    } else if (run_.begin < now) {
        // It missed the start bit of the block that is under way.
        run_.blocks = 1;
        wait(Phase::blocks, all_over());
    } else {
        hear();
    }
}

/// Asks the card what comes next. `at` is when the block before was over.
void DataLine::plan_read(Time at) {
    if (mute_) return nothing_comes();
    Offer offer = wires_.card->offer(receiving() ? transfer_.blocks : unheard_blocks, at);
    if (offer.ready == forever || offer.blocks == 0) return nothing_comes();
    run_.data = std::move(offer.data);
    run_.blocks = offer.blocks;
    run_.length = length_;
    run_.cycles = block_cycles(length_, lanes_);
    run_.begin = std::max(offer.ready, clear_from_);
    run_.busy = {};
    run_.pause = std::max(offer.gap, wires_.cycles(n_ac_min));
    run_.to_card = false;
    run_.heard = false;
    run_.sliced = false;
    run_.sound = true;
    run_.cut = false;
    hit_.reset();
    if (offer.ready > clear_from_) {
        flush();
        if (asked_at_ != forever) wires_.span(Lane::card, "read access", asked_at_, run_.begin, 0);
    }
    asked_at_ = forever;
    if (receiving()) hear();
}

void DataLine::nothing_comes() {
    if (receiving()) wait_in_silence(deadline_);
}

/// There is a run that has not begun, and the controller listens.
void DataLine::hear() {
    if (run_.begin > deadline_) return wait_in_silence(deadline_);
    if (!fits()) {
        run_.blocks = 1;
        run_.sound = false;
        run_.cycles = block_cycles(transfer_.block_length, wires_.lanes);
    }
    const std::uint32_t room = receiver_->room();
    if (room < transfer_.block_length) {
        // It may have more by the time that it needs it.
        if (run_.begin > wires_.now()) return wait(Phase::start, run_.begin);
        offset_ = 0;
        return next_receive_slice();
    }
    std::uint32_t blocks = std::min({run_.blocks, transfer_.blocks, room / transfer_.block_length});
    run_.heard = true;
    if (!apply_faults(blocks)) return;
    if (mute_) {
        run_ = {};
        return wait_in_silence(deadline_);
    }
    run_.blocks = blocks;
    wait(Phase::blocks, all_over());
}

void DataLine::next_receive_slice() {
    if (frozen_) return stall();
    slice_ = std::min(receiver_->room(), transfer_.block_length - offset_);
    if (slice_ == 0) {
        if (transfer_.flow_control) return stall();
        Receiver* const receiver = receiver_;
        stop();
        return receiver->overrun();
    }
    std::int64_t cycles = wires_.lanes.cycles(slice_);
    if (offset_ == 0) {
        run_.heard = true;
        run_.sliced = true;
        std::uint32_t blocks = 1;
        if (!apply_faults(blocks)) return;
        if (mute_) {
            run_ = {};
            return wait_in_silence(deadline_);
        }
        run_.blocks = 1;
        cycles += start_cycles;
    }
    if (offset_ + slice_ == transfer_.block_length) cycles += crc_cycles + end_cycles;
    wait(Phase::slice, wires_.now() + wires_.cycles(cycles));
}

void DataLine::receive_slice_over() {
    const std::uint32_t begin = std::min<std::uint32_t>(offset_, run_.data.length);
    const std::uint32_t size = std::min<std::uint32_t>(slice_, run_.data.length - begin);
    Chunk slice = size != 0 ? run_.data.after(begin).first(size)
                            : Chunk{.page = {}, .offset = 0, .length = static_cast<std::uint16_t>(slice_)};
    if (!run_.sound) slice = spoiled(slice);
    offset_ += slice_;
    const std::uint32_t serial = serial_;
    receiver_->received(slice);
    if (serial != serial_) return;
    if (offset_ != transfer_.block_length) return next_receive_slice();
    phase_ = Phase::blocks;
    run_.begin = wires_.now() - block_time();
    blocks_came(1);
}

/// So many blocks of the run are over.
void DataLine::blocks_came(std::uint32_t blocks) {
    const Time begin = run_.begin;
    const Time end = end_of(blocks);
    clear_from_ = end + run_.pause;
    Chunk data = advance(blocks);
    if (!run_.cut) {
        wires_.card->sent(blocks, end);
        flow_ = wires_.card->flow();
    }
    if (run_.heard) {
        const bool sound = run_.sound;
        const bool told = run_.sliced;
        show(begin, end, blocks * run_.length, "read");
        deadline_ = after(end, transfer_.timeout);
        transfer_.blocks -= blocks;
        Receiver& receiver = *receiver_;
        if (!sound || transfer_.blocks == 0) detach();
        const std::uint32_t serial = serial_;
        if (!told) receiver.received(sound ? data : spoiled(std::move(data)));
        if (serial == serial_) receiver.blocks_received(blocks, sound);
    }
    // The callbacks may have changed anything.
    if (run_.blocks != 0) return;
    if (frozen_) {
        phase_ = Phase::idle;
        return;
    }
    if (flow_ == Flow::sends) {
        plan_read(end);
    } else if (!event_.scheduled()) {
        nothing_comes();
    }
}

} // namespace mmcpipe::sim::wire
