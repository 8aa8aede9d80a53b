#pragma once
// Turns: reads and writes have the bus by turns that are measured in time. Reads go first and keep the bus, through the
// moments in which a reader thinks, until a write has waited for its deadline; then writes have it for a short while,
// in which as many as fit into that time go, packed or not. So writes cost readers the same however well they are
// packed, and what packing saves is theirs alone. While nobody reads, writes have the bus for as long as they like.

#include "mmcpipe/block/scheduler.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::block {

struct TurnsSettings {
    base::Duration write_within = base::milliseconds(60); ///< reads give way to writes that waited for so long
    base::Duration write_turn = base::milliseconds(15);   ///< for so long, if there are reads
    base::Duration patience = base::milliseconds(2);      ///< how long the next read of a reader is waited for
    base::Duration longest = base::milliseconds(50);      ///< of one transfer, if there are no reads
};

class Turns final : public Scheduler {
public:
    explicit Turns(const TurnsSettings& settings = {}) : settings_(settings) {}

    void add(Request& request) noexcept override;
    Request* next(base::Instant now) noexcept override;
    void put_back(Request& request) noexcept override { list(request.direction()).push_front(request); }
    void ended(const Request& request, base::Instant now) noexcept override;
    base::Instant ask_again() const noexcept override { return waiting_until_; }
    base::Duration may_hold(host::Direction direction, base::Instant now) const noexcept override;

private:
    base::List<Request>& list(host::Direction direction) { return waiting_[static_cast<std::size_t>(direction)]; }
    bool reads_keep_bus(base::Instant now);

    TurnsSettings settings_;
    std::array<base::List<Request>, 2> waiting_; ///< by direction, oldest first
    bool writing_ = false;                       ///< whose turn it is
    base::Instant turn_end_{};                   ///< of the writes
    base::Instant reads_since_{};                ///< the last turn of the writes ended
    unsigned reads_open_ = 0;                    ///< that have not ended
    base::Instant read_until_{};                 ///< until then a reader is expected to come again
    base::Instant waiting_until_ = base::never;
};

} // namespace mmcpipe::block
