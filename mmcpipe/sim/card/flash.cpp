#include "mmcpipe/sim/card/flash.h"

#include <algorithm>
#include <stdexcept>

namespace mmcpipe::sim::card {

Flash::Flash(std::uint64_t size, std::byte erased, const FlashTiming& timing)
    : timing_(timing), content_(size, erased), erased_(erased), ring_(16) {
    if (timing.page == 0 || timing.page % 512 != 0)
        throw std::invalid_argument("the page of a flash is a multiple of 512 bytes");
    if (timing.buffer < timing.page) throw std::invalid_argument("the buffer of a flash holds at least a page");
}

Time Flash::begin_read(std::uint64_t address, Time now) {
    Time ready = now + timing_.read_access;
    // A host that stops an open-ended read late got some blocks more than it wanted, and continues before the end of
    // what was sent.
    if (address > read_.begin && address <= read_.end) {
        const std::uint64_t unwanted = (read_.end - address) / read_.length;
        const Time ended = read_.last - read_.step * static_cast<std::int64_t>(unwanted);
        const bool streams = address - read_.begin >= timing_.read_stream_after;
        ready = streams ? now : std::max(now, ended + timing_.read_gap);
    }
    read_ = {.begin = address, .end = address, .last = now, .step = {}, .length = 512};
    return ready;
}

void Flash::was_read(std::uint32_t blocks, std::uint32_t length, Time now) {
    read_.step = Time{(now - read_.last).ps / blocks};
    read_.last = now;
    read_.length = length;
    read_.end += std::uint64_t{blocks} * length;
}

void Flash::begin_write(std::uint64_t address) {
    write_at_ = address;
    fill_begin_ = address;
    fill_at_ = address;
    held_ = 0;
    read_ = {}; // the buffers serve the write now
}

void Flash::begin_write(std::uint64_t address, InPack place) {
    if (place == InPack::first) begin_write(0);
    write_at_ = address;
}

Flash::Room Flash::room(std::uint32_t block, Time now) const {
    if (timing_.program_page == Time{}) return {now, UINT64_MAX};
    const std::uint32_t needed = held_ + block;
    const std::int64_t pages_allowed = needed < timing_.buffer ? (timing_.buffer - needed) / timing_.page : 0;
    const Time ready = std::max(now, drained_ - timing_.program_page * pages_allowed);
    const std::int64_t program = timing_.program_page.ps;
    const std::int64_t pages = ready < drained_ ? ((drained_ - ready).ps + program - 1) / program : 0;
    const std::uint64_t used = static_cast<std::uint64_t>(pages) * timing_.page + held_;
    return {ready, std::max<std::uint64_t>(block, timing_.buffer > used ? timing_.buffer - used : 0)};
}

Time Flash::write(const Chunk& data, Time now) {
    const std::uint64_t from = write_at_;
    for (std::uint64_t number = from / page_size; number <= (from + data.length - 1) / page_size; ++number)
        save(number, now);
    content_.write(from, data);
    write_at_ += data.length;
    for (std::uint64_t number = from / page_size; number != write_at_ / page_size; ++number) content_.share(number);
    held_ += data.length;
    const std::uint64_t pages = (fill_at_ + data.length) / timing_.page - fill_at_ / timing_.page;
    fill_at_ += data.length;
    if (pages != 0) {
        drained_ = std::max(drained_, now) + timing_.program_page * static_cast<std::int64_t>(pages);
        held_ = static_cast<std::uint32_t>(fill_at_ % timing_.page);
        programmed_at(drained_);
    }
    return now + timing_.write_block_busy;
}

Time Flash::end_write(Time now) {
    held_ = 0;
    if (fill_at_ == fill_begin_ || fill_at_ % timing_.page == 0) return now;
    if (timing_.partial_program == Time{}) {
        programmed_at(std::max(now, drained_));
        return now;
    }
    drained_ = std::max(now, drained_) + timing_.partial_program;
    programmed_at(drained_);
    return drained_;
}

void Flash::erase(std::uint64_t address, std::uint64_t size) {
    count_ = 0;
    open_ = 0;
    read_ = {};
    content_.discard(address, size, erased_);
}

void Flash::lose_power(Time now) {
    while (count_ != 0) {
        Saved& newest = saved(--count_);
        if (newest.programmed > now) content_.replace(newest.number, std::move(newest.page));
        newest.page = {};
    }
    open_ = 0;
    drained_ = now;
    read_ = {};
}

void Flash::save(std::uint64_t number, Time now) {
    while (count_ != open_ && saved(0).programmed <= now) {
        saved(0).page = {};
        first_ = (first_ + 1) % ring_.size();
        --count_;
    }
    if (open_ != 0 && saved(count_ - 1).number == number) return;
    if (count_ == ring_.size()) {
        std::vector<Saved> larger(count_ * 2);
        for (std::size_t i = 0; i < count_; ++i) larger[i] = std::move(saved(i));
        ring_ = std::move(larger);
        first_ = 0;
    }
    saved(count_) = {number, content_.page(number), forever};
    ++count_;
    ++open_;
}

void Flash::programmed_at(Time when) {
    for (; open_ != 0; --open_) saved(count_ - open_).programmed = when;
}

} // namespace mmcpipe::sim::card
