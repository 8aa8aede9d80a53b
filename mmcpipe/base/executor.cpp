#include "mmcpipe/base/executor.h"

namespace mmcpipe::base {

void Executor::post(Work& work) {
    const CriticalSection guard(environment_);
    if (!work.linked()) mailbox_.push_back(work);
    environment_.notify();
}

void Executor::arm(Deadline& deadline, Instant when) {
    deadline.unlink();
    deadline.when_ = when;
    if (when == never) return;
    // Most waits are alike, so most deadlines are later than those armed before.
    Deadline* later = nullptr;
    for (Deadline* d = deadlines_.back(); d != nullptr && d->when_ > when; d = deadlines_.before(*d)) later = d;
    if (later != nullptr) {
        deadlines_.insert_before(*later, deadline);
    } else {
        deadlines_.push_back(deadline);
    }
}

bool Executor::drain() {
    bool anything = false;
    for (;;) {
        {
            const CriticalSection guard(environment_);
            ready_.take(mailbox_);
        }
        if (Work* work = ready_.pop_front()) {
            anything = true;
            work->run();
            continue;
        }
        Deadline* first = deadlines_.front();
        if (first == nullptr || first->when_ > now()) return anything;
        anything = true;
        first->unlink();
        first->expire_(*first);
    }
}

void Executor::wait() {
    const CriticalSection guard(environment_);
    if (!mailbox_.empty() || !ready_.empty()) return;
    Deadline* first = deadlines_.front();
    environment_.idle(first != nullptr ? first->when_ : never);
}

void Event::set() {
    if (waiting_) {
        resume(true);
    } else {
        set_ = true;
    }
}

bool Event::take() {
    if (!set_) return false;
    set_ = false;
    in_time_ = true;
    return true;
}

void Event::wait_for(std::coroutine_handle<> coroutine, Instant until) {
    waiter_ = coroutine;
    waiting_ = true;
    executor_.arm(timeout_, until);
}

void Event::resume(bool in_time) {
    waiting_ = false;
    in_time_ = in_time;
    timeout_.cancel();
    executor_.ready(resume_);
}

} // namespace mmcpipe::base
