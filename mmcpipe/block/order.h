#pragma once
// Order: which of the requests that wait may go, so that those that overlap keep their order (see request.h).

#include "mmcpipe/block/request.h"

namespace mmcpipe::block {

class Order {
public:
    /// `request` was submitted. True if it may go; otherwise it is held, and one call of `leave` will free it.
    bool enter(Request& request);

    /// `request`, the whole of it, goes to the card, behind all that left before it. Calls `free` with each request
    /// that may go now.
    template <class Free>
    void leave(Request& request, Free&& free) {
        request.order.unlink();
        if (!request.holds) return;
        for (Request::Order* at = waiting_.front(); at != nullptr; at = waiting_.after(*at)) {
            Request& other = at->request;
            if (!other.held || !conflict(request, other) || must_wait(other)) continue;
            other.held = false;
            free(other);
        }
    }

    /// The first request that may go, nothing of which has gone yet, and that continues at `sector` what `like` does;
    /// nullptr if there is none.
    Request* following(const Request& like, std::uint64_t sector);

    bool empty() const { return waiting_.empty(); }

private:
    static bool conflict(const Request& a, const Request& b) {
        if (a.operation == Operation::read && b.operation == Operation::read) return false;
        return a.sector < b.end() && b.sector < a.end();
    }
    bool must_wait(Request& request);

    base::List<Request::Order> waiting_; ///< in the order of submission
};

} // namespace mmcpipe::block
