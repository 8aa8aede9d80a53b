#include "mmcpipe/block/turns.h"

#include <algorithm>

namespace mmcpipe::block {

using host::Direction;

void Turns::add(Request& request) noexcept {
    list(request.direction()).push_back(request);
    if (request.operation == Operation::read) ++reads_open_;
}

void Turns::ended(const Request& request, base::Instant now) noexcept {
    if (request.operation != Operation::read) return;
    --reads_open_;
    read_until_ = now + settings_.patience;
}

Request* Turns::next(base::Instant now) noexcept {
    waiting_until_ = base::never;
    base::List<Request>& reads = list(Direction::read);
    base::List<Request>& writes = list(Direction::write);

    // A turn of the writes ends with its time, if somebody reads, or with the last of them.
    if (writing_ && (writes.empty() || (now >= turn_end_ && !reads.empty()))) {
        writing_ = false;
        reads_since_ = now;
    }
    if (!writing_) {
        if (reads_keep_bus(now)) return reads.pop_front();
        if (writes.empty()) return nullptr;
        writing_ = true;
        turn_end_ = now + settings_.write_turn;
    }
    return writes.pop_front();
}

/// Gives nothing if it is better to wait for a read.
bool Turns::reads_keep_bus(base::Instant now) {
    const Request* const oldest = list(Direction::write).front();
    if (oldest == nullptr) return true;
    const base::Instant late = std::max(oldest->submitted, reads_since_) + settings_.write_within;
    if (now >= late) return false;
    if (reads_open_ != 0) return true; // the end of the one on the wire asks again
    waiting_until_ = std::min(read_until_, late);
    return now < waiting_until_;
}

base::Duration Turns::may_hold(Direction direction, base::Instant now) const noexcept {
    if (direction == Direction::read) return settings_.longest;
    const bool somebody_reads = reads_open_ != 0 || now < read_until_;
    if (!somebody_reads) return settings_.longest;
    return now < turn_end_ ? turn_end_ - now : base::Duration{};
}

} // namespace mmcpipe::block
