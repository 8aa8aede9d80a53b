#include "mmcpipe/block/order.h"

namespace mmcpipe::block {

bool Order::enter(Request& request) {
    waiting_.push_back(request.order);
    request.holds = false;
    request.held = must_wait(request);
    return !request.held;
}

/// One that was submitted before it, and has not left, overlaps it. Those get to know that they hold it.
bool Order::must_wait(Request& request) {
    bool waits = false;
    for (Request::Order* at = waiting_.front(); at != &request.order; at = waiting_.after(*at)) {
        if (!conflict(at->request, request)) continue;
        at->request.holds = true;
        waits = true;
    }
    return waits;
}

Request* Order::following(const Request& like, std::uint64_t sector) {
    for (Request::Order* at = waiting_.front(); at != nullptr; at = waiting_.after(*at)) {
        Request& other = at->request;
        if (other.sector == sector && other.operation == like.operation && other.fua == like.fua && !other.held &&
            other.given == 0 && &other != &like) {
            return &other;
        }
    }
    return nullptr;
}

} // namespace mmcpipe::block
