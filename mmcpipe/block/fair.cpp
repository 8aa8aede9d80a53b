#include "mmcpipe/block/fair.h"

#include <algorithm>

namespace mmcpipe::block {

void Fair::add(Request& request) noexcept {
    Stream& its = stream(request);
    its.waiting.push_back(request);
    ++waiting_;
    if (&its != active_ && !its.linked()) turns_.push_back(its);
}

void Fair::take(Request& request) noexcept {
    request.unlink();
    taken(stream(request));
}

void Fair::taken(Stream& its) {
    ++its.under_way;
    --waiting_;
    deepest_ = std::max(deepest_, ++under_way_);
}

void Fair::put_back(Request& request) noexcept {
    Stream& its = stream(request);
    its.waiting.push_front(request);
    --its.under_way;
    --under_way_;
    ++waiting_;
    if (&its != active_ && !its.linked()) turns_.push_front(its);
}

void Fair::ended(const Request& request, base::Instant now) noexcept {
    Stream& its = stream(request);
    if (waiting_ + under_way_ >= many && seen_ < settings_.samples) ++seen_;
    holds_many_ |= seen_ == settings_.samples && deepest_ >= many;
    --under_way_;
    if (--its.under_way == 0 && &its == active_) patience_end_ = now + settings_.patience;
}

Request* Fair::next(base::Instant now) noexcept {
    waiting_until_ = base::never;
    if (active_ != nullptr) {
        if (now < slice_end_ && !active_->waiting.empty()) return first();
        if (keeps_turn(now)) return nullptr;
        if (!active_->waiting.empty()) turns_.push_back(*active_);
        active_ = nullptr;
    }
    for (;;) {
        active_ = turns_.pop_front();
        if (active_ == nullptr) return nullptr;
        if (!active_->waiting.empty()) break; // else what it had was merged into something else
    }
    const bool reads = active_->waiting.front()->operation == Operation::read;
    slice_end_ = now + (reads ? settings_.read_slice : settings_.write_slice);
    return first();
}

/// A reader's next request is waited for while one of its own is on the wire, and a moment longer.
bool Fair::keeps_turn(base::Instant now) {
    if (holds_many_ || seen_ < settings_.samples) return false;
    if (!reader_ || !active_->waiting.empty() || turns_.empty() || now >= slice_end_) return false;
    if (active_->under_way != 0) return true; // its end asks again
    if (now >= patience_end_) return false;
    waiting_until_ = std::min(patience_end_, slice_end_);
    return true;
}

Request* Fair::first() {
    Request* const request = active_->waiting.pop_front();
    taken(*active_);
    reader_ = request->operation == Operation::read;
    patience_end_ = base::never;
    return request;
}

} // namespace mmcpipe::block
