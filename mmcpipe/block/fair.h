#pragma once
// Fair: the bus is shared between streams by time. One stream at a time has it, for a slice; a stream that reads one
// request after another keeps it for a moment when it has nothing waiting, since its next request mostly comes at once
// and follows on the last (anticipation).
//
// Nobody is waited for where the device is seen to hold many requests at once: that one is thought to be better at
// putting them into order. Until enough has been seen it is taken for such a one, which lets it show. A device that
// packs whatever it gets looks like that, though it sends one command after another; and then little is left of the
// slices.

#include "mmcpipe/block/scheduler.h"

#include <array>
#include <cstddef>

namespace mmcpipe::block {

struct FairSettings {
    base::Duration read_slice = base::milliseconds(100); ///< a stream has the bus, counted from a read at its beginning
    base::Duration write_slice = base::milliseconds(40); ///< the same of a write
    base::Duration patience = base::milliseconds(8);     ///< how long a reader that has nothing waiting is waited for
    unsigned samples = 50; ///< ends of requests while enough were there, before it is known what the device holds
};

class Fair final : public Scheduler {
public:
    /// Streams with equal numbers modulo this share a turn.
    static constexpr std::size_t streams = 64;
    /// As many requests at once make a device one that holds many.
    static constexpr unsigned many = 5;

    explicit Fair(const FairSettings& settings = {}) : settings_(settings) {}

    void add(Request& request) noexcept override;
    Request* next(base::Instant now) noexcept override;
    void take(Request& request) noexcept override;
    void put_back(Request& request) noexcept override;
    void ended(const Request& request, base::Instant now) noexcept override;
    base::Instant ask_again() const noexcept override { return waiting_until_; }

private:
    struct Stream : base::ListNode { // in turns_, if it has something waiting and it is not its turn
        base::List<Request> waiting;
        unsigned under_way = 0;
    };

    Stream& stream(const Request& request) { return streams_[request.stream % streams]; }
    Request* first();
    bool keeps_turn(base::Instant now);
    void taken(Stream& its);

    FairSettings settings_;
    std::array<Stream, streams> streams_;
    base::List<Stream> turns_;
    unsigned waiting_ = 0;   ///< requests of all
    unsigned under_way_ = 0; ///< of all
    unsigned deepest_ = 0;   ///< the most that were under way
    unsigned seen_ = 0;      ///< samples
    bool holds_many_ = false;
    Stream* active_ = nullptr; ///< whose turn it is
    bool reader_ = false;      ///< what it sent last was a read
    base::Instant slice_end_{};
    base::Instant patience_end_ = base::never; ///< `never`: something of it is under way
    base::Instant waiting_until_ = base::never;
};

} // namespace mmcpipe::block
