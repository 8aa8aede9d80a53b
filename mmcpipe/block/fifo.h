#pragma once
// Fifo: in the order in which requests came.

#include "mmcpipe/block/scheduler.h"

namespace mmcpipe::block {

class Fifo final : public Scheduler {
public:
    void add(Request& request) noexcept override { waiting_.push_back(request); }
    Request* next(base::Instant) noexcept override { return waiting_.pop_front(); }
    void put_back(Request& request) noexcept override { waiting_.push_front(request); }

private:
    base::List<Request> waiting_;
};

} // namespace mmcpipe::block
