#include "mmcpipe/sim/wire/data_line.h"

#include "mmcpipe/sim/wire/command_line.h"
#include "mmcpipe/sim/wire/timing.h"

#include <algorithm>
#include <utility>

namespace mmcpipe::sim::wire {

void DataLine::wait(Phase phase, Time until) {
    phase_ = phase;
    if (frozen_) {
        left_ = until == forever ? forever : until - frozen_at_;
    } else {
        wires_.engine.schedule(event_, until);
    }
}

void DataLine::wait_in_silence(Time until) {
    deadline_ = until;
    wait(Phase::silence, until);
}

void DataLine::detach() {
    flush();
    receiver_ = nullptr;
    sender_ = nullptr;
    ++serial_;
    rest_ = {};
    went_ = 0;
    phase_ = Phase::idle;
    wires_.engine.cancel(event_);
}

void DataLine::due() {
    switch (phase_) {
    case Phase::silence: {
        Receiver* const receiver = receiver_;
        Sender* const sender = sender_;
        detach();
        if (receiver != nullptr) receiver->receive_timed_out();
        if (sender != nullptr) sender->send_timed_out();
        break;
    }
    case Phase::start: hear(); break;
    case Phase::blocks: settle(); break;
    case Phase::slice:
        if (receiving()) {
            receive_slice_over();
        } else {
            send_slice_over();
        }
        break;
    case Phase::busy:
        if (went_ != 0) {
            release();
        } else {
            send_next();
        }
        break;
    case Phase::idle:
    case Phase::data:
    case Phase::stalled: break;
    }
}

void DataLine::stop() {
    settle();
    const Time now = wires_.now();
    const bool in_slices = phase_ == Phase::slice || phase_ == Phase::stalled;
    if (phase_ == Phase::stalled) resume_clock();
    if (run_.to_card) {
        const bool within_a_block = in_slices || (phase_ == Phase::blocks && run_.begin < now);
        run_ = {};
        if (within_a_block && flow_ == Flow::takes) {
            wires_.card->damaged(now);
            flow_ = wires_.card->flow();
        }
    } else if (receiving()) {
        // The card goes on, and what it sends passes unheard.
        if (in_slices) run_.begin = now - wires_.cycles(offset_ == 0 ? 0 : start_cycles + wires_.lanes.cycles(offset_));
        run_.heard = false;
    }
    detach();
}

void DataLine::go_on() {
    if (frozen_) return;
    if (phase_ == Phase::data) return send_next();
    if (phase_ != Phase::stalled) return;
    resume_clock();
    if (sending()) return next_send_slice();
    if (offset_ != 0) return next_receive_slice();
    run_.begin = std::max(run_.begin, wires_.now());
    hear();
}

void DataLine::stall() {
    flush();
    stalled_at_ = wires_.now();
    wait(Phase::stalled, forever);
    wires_.stalled = true;
    command_.freeze();
}

void DataLine::resume_clock() {
    deadline_ = after(deadline_, wires_.now() - stalled_at_);
    wires_.stalled = false;
    command_.thaw();
}

std::uint32_t DataLine::blocks_over() const {
    if (run_.blocks == 0 || frozen_ || phase_ == Phase::slice || phase_ == Phase::stalled) return 0;
    const Time now = wires_.now();
    if (now >= end_of(run_.blocks)) return run_.blocks;
    const Time beyond = now - run_.begin - block_time();
    return beyond < Time{} ? 0 : static_cast<std::uint32_t>(1 + beyond.ps / stride().ps);
}

void DataLine::hand_over() {
    while (const std::uint32_t blocks = blocks_over()) {
        if (run_.to_card) {
            blocks_went(blocks);
        } else {
            blocks_came(blocks);
        }
    }
}

void DataLine::card_changed() {
    const Flow flow = wires_.card != nullptr ? wires_.card->flow() : Flow::none;
    if (flow == flow_) return;
    if (flow_ != Flow::none) cut();
    flow_ = flow;
    if (flow == Flow::none) return;
    mute_ = false;
    length_ = wires_.card->block_length();
    lanes_ = {wires_.card->width(), wires_.card->both_edges()};
    shortest_period_ = wires_.card->shortest_period();
    if (wires_.faults != nullptr) wires_.faults->data_begins();
    if (flow != Flow::sends) return;
    asked_at_ = wires_.now();
    clear_from_ = asked_at_ + wires_.cycles(n_ac_min);
    plan_read(asked_at_);
}

/// The card does not go on with the block on the wire. A controller in the midst of one takes what the idle lines look
/// like for the rest of it, and finds the CRC16 wrong.
void DataLine::cut() {
    const bool began = run_.blocks != 0 && run_.heard && run_.begin < wires_.now();
    if (receiving() && began) {
        run_.blocks = 1;
        run_.sound = false;
        run_.cut = true;
        if (phase_ == Phase::blocks) wait(Phase::blocks, all_over());
        return;
    }
    if (phase_ == Phase::stalled) resume_clock();
    const bool busy = phase_ == Phase::busy;
    run_ = {};
    if (receiving()) {
        wait_in_silence(deadline_);
    } else if (sending() && busy) {
        wait(Phase::busy, wires_.now());
    } else if (sending() && phase_ != Phase::data) {
        wait_in_silence(after(wires_.now(), transfer_.timeout));
    }
}

void DataLine::lose_card() {
    if (wires_.card == nullptr) return;
    settle();
    wires_.card->power(false, wires_.now());
    wires_.card = nullptr;
    card_changed();
    command_.card_gone();
}

void DataLine::freeze() {
    if (frozen_) return;
    settle();
    frozen_ = true;
    frozen_at_ = wires_.now();
    frozen_period_ = wires_.period;
    left_ = event_.scheduled() ? event_.when() - frozen_at_ : forever;
    wires_.engine.cancel(event_);
}

void DataLine::thaw() {
    if (!frozen_ || wires_.period.ps == 0) return;
    frozen_ = false;
    const Time now = wires_.now();
    const auto rescaled = [this](Time t) { return Time{t.ps * wires_.period.ps / frozen_period_.ps}; };
    if (run_.blocks != 0) {
        run_.begin = run_.begin < frozen_at_ ? now - rescaled(frozen_at_ - run_.begin) : std::max(run_.begin, now);
    }
    clear_from_ = std::max(clear_from_, now);
    if (phase_ != Phase::stalled) deadline_ = after(deadline_, now - frozen_at_);
    switch (phase_) {
    case Phase::idle: // set up while the clock stood, or stopped by a callback
        if (receiving()) {
            listen();
        } else if (sending()) {
            send_next();
        } else if (flow_ == Flow::sends && run_.blocks == 0) {
            plan_read(now);
        }
        break;
    case Phase::silence: wait(Phase::silence, deadline_); break;
    case Phase::start: hear(); break;
    case Phase::blocks: wait(Phase::blocks, all_over()); break;
    case Phase::slice: wait(Phase::slice, now + rescaled(left_)); break;
    case Phase::busy: wait(Phase::busy, std::max(now, after(frozen_at_, left_))); break;
    case Phase::data:
    case Phase::stalled: go_on(); break;
    }
}

bool DataLine::strike(std::uint32_t& blocks) {
    const std::uint32_t sound = wires_.faults->sound_blocks(blocks);
    if (sound != 0) {
        blocks = sound;
        return true;
    }
    blocks = 1;
    hit_ = wires_.faults->block();
    run_.sound = run_.sound && !hit_->damaged;
    mute_ = hit_->lost;
    if (!hit_->removed) return true;
    lose_card();
    return false;
}

/// Takes `blocks` off the front of the run, and returns what was in them.
Chunk DataLine::advance(std::uint32_t blocks) {
    if (wires_.faults != nullptr && run_.heard && !hit_) wires_.faults->passed(blocks);
    const auto size = static_cast<std::uint16_t>(blocks * run_.length);
    run_.blocks -= blocks;
    run_.begin += stride() * blocks;
    if (run_.blocks != 0) {
        Chunk data = run_.data.first(size);
        run_.data = run_.data.after(size);
        return data;
    }
    Chunk data = std::exchange(run_.data, {});
    // There may be more in it: what the card offered, and the controller had no room for.
    data.length = std::min(data.length, size);
    return data;
}

void DataLine::show(Time from, Time to, std::uint32_t bytes, const char* name) {
    if (wires_.trace == nullptr) return;
    if (shown_bytes_ == 0) shown_from_ = from;
    shown_name_ = name;
    shown_to_ = to;
    shown_bytes_ += bytes;
}

void DataLine::flush() {
    if (shown_bytes_ != 0) wires_.span(Lane::data, shown_name_, shown_from_, shown_to_, shown_bytes_);
    shown_bytes_ = 0;
}

} // namespace mmcpipe::sim::wire
