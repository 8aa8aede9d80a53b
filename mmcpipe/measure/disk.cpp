#include "mmcpipe/measure/disk.h"

namespace mmcpipe::measure {

namespace {

std::int64_t pages(const block::Request& request) {
    if (!request.moves_data()) return 0;
    return static_cast<std::int64_t>((std::uint64_t{request.sectors} * 512 + page_size - 1) / page_size);
}

} // namespace

Disk::Disk(System& system, base::Executor& executor, Completion completion)
    : system_(system), executor_(executor), lock_(completion == Completion::locked ? system.make_lock() : nullptr) {}

void Disk::complete(block::Request& request) noexcept {
    const base::Duration each = system_.costs().complete_page;
    if (lock_ != nullptr) {
        lock_->acquire();
        system_.spend(each * pages(request));
        lock_->release();
    } else {
        for (std::int64_t i = 0; i < pages(request); ++i) system_.spend_masked(each);
    }
    request.done(request);
}

// --- requests ---

void Disk::Request::submit(base::Work& work) noexcept {
    Request& self = *static_cast<Submission&>(work).request;
    self.client_->disk_.device_->submit(self);
}

void Disk::Request::over(block::Request& request) noexcept {
    Request& self = static_cast<Request&>(request);
    Client& client = *self.client_;
    // Inside: as soon as the client can see that it is over, both may be gone.
    const base::CriticalSection guard(client.disk_.executor_.environment());
    self.open_ = false;
    client.over_.push_back(self);
    client.signal_->set();
}

// --- clients ---

Disk::Client::Client(Disk& disk, std::uint16_t stream)
    : disk_(disk), stream_(stream), signal_(disk.system_.make_signal()) {}

void Disk::Client::submit(Request& request) {
    System& system = disk_.system_;
    const ClientCosts& costs = system.costs();
    request.client_ = this;
    request.submission_.request = &request;
    request.stream = stream_;
    request.done = Request::over;
    request.open_ = true;
    system.spend(costs.submit_page * pages(request));
    if (disk_.lock_ != nullptr) {
        disk_.lock_->acquire();
        system.spend(costs.submit);
        disk_.lock_->release();
    } else {
        system.spend(costs.submit);
    }
    disk_.executor_.post(request.submission_);
}

bool Disk::Client::over(Request& request) {
    const base::CriticalSection guard(disk_.executor_.environment());
    if (request.open_) return false;
    request.unlink();
    return true;
}

void Disk::Client::wait(Request& request) {
    while (!over(request)) signal_->wait();
}

Disk::Request* Disk::Client::take_over() {
    const base::CriticalSection guard(disk_.executor_.environment());
    return static_cast<Request*>(over_.pop_front());
}

} // namespace mmcpipe::measure
