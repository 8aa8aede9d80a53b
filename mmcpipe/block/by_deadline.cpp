#include "mmcpipe/block/by_deadline.h"

namespace mmcpipe::block {

using host::Direction;

Request* ByDeadline::next(base::Instant now) noexcept {
    const bool reads = !list(Direction::read).empty();
    const bool writes = !list(Direction::write).empty();
    if (!reads && !writes) return nullptr;

    // A batch goes on while there are more of its direction.
    if (left_ != 0 && !list(direction_).empty()) {
        --left_;
    } else {
        direction_ = choose();
        left_ = settings_.batch - 1;
        // It begins with the oldest if that is late.
        if (late(direction_, now)) position_ = list(direction_).front()->sector;
    }
    Request& chosen = ahead(list(direction_));
    chosen.unlink();
    position_ = chosen.end();
    return &chosen;
}

bool ByDeadline::late(Direction direction, base::Instant now) {
    const Request* const oldest = list(direction).front();
    const base::Duration within = direction == Direction::read ? settings_.read_within : settings_.write_within;
    return oldest != nullptr && oldest->submitted + within <= now;
}

/// The direction of the next batch.
Direction ByDeadline::choose() {
    const bool writes = !list(Direction::write).empty();
    if (!list(Direction::read).empty() && (!writes || passed_over_ < settings_.writes_starved)) {
        passed_over_ = writes ? passed_over_ + 1 : 0;
        return Direction::read;
    }
    passed_over_ = 0;
    return Direction::write;
}

/// The nearest at or after the position; if there is none, the oldest.
Request& ByDeadline::ahead(base::List<Request>& waiting) {
    Request* nearest = nullptr;
    for (Request* at = waiting.front(); at != nullptr; at = waiting.after(*at)) {
        if (at->sector >= position_ && (nearest == nullptr || at->sector < nearest->sector)) nearest = at;
    }
    return nearest != nullptr ? *nearest : *waiting.front();
}

} // namespace mmcpipe::block
