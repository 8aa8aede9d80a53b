#pragma once
// ByDeadline: reads before writes, in batches, with a time by which each should go. Within a batch requests go by
// ascending sectors. It is the classic for disks with one arm, and fair to nobody; what it has for a card is that reads
// do not wait for many writes.

#include "mmcpipe/block/scheduler.h"

#include <array>
#include <cstdint>

namespace mmcpipe::block {

struct DeadlineSettings {
    base::Duration read_within = base::milliseconds(500);
    base::Duration write_within = base::seconds(5);
    unsigned batch = 16;         ///< requests of one direction on end
    unsigned writes_starved = 2; ///< batches of reads that writes wait for at most
};

class ByDeadline final : public Scheduler {
public:
    explicit ByDeadline(const DeadlineSettings& settings = {}) : settings_(settings) {}

    void add(Request& request) noexcept override { list(request.direction()).push_back(request); }
    Request* next(base::Instant now) noexcept override;
    void put_back(Request& request) noexcept override { list(request.direction()).push_front(request); }

private:
    base::List<Request>& list(host::Direction direction) { return waiting_[static_cast<std::size_t>(direction)]; }
    bool late(host::Direction direction, base::Instant now);
    host::Direction choose();
    Request& ahead(base::List<Request>& waiting);

    DeadlineSettings settings_;
    std::array<base::List<Request>, 2> waiting_; ///< by direction, oldest first
    host::Direction direction_ = host::Direction::read;
    unsigned left_ = 0;          ///< of the batch
    unsigned passed_over_ = 0;   ///< batches of reads since a write went, while writes waited
    std::uint64_t position_ = 0; ///< the sector after the last request
};

} // namespace mmcpipe::block
