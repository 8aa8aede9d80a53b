#include "mmcpipe/block/arbiter.h"

namespace mmcpipe::block {

base::Event::Awaiter Arbiter::claim(Claim& claim) {
    if (waiting_.empty() && holder_ == nullptr) lease_end_ = executor_.now() + lease_;
    waiting_.push_back(claim);
    if (under_way_ == 0) pipeline_.arrived(); // it sends, or has nothing to send
    return claim.granted_.wait();
}

void Arbiter::release(Claim& claim) {
    if (holder_ != &claim) return;
    holder_ = nullptr;
    lease_end_ = executor_.now() + lease_;
    pipeline_.arrived(); // it sends, or has nothing to send
}

bool Arbiter::may_send() {
    if (holder_ != nullptr) return false;
    if (waiting_.empty() || executor_.now() < lease_end_) return true;
    nothing_to_send();
    return false;
}

void Arbiter::over() {
    --under_way_;
    if (executor_.now() >= lease_end_) nothing_to_send();
}

void Arbiter::grant() {
    if (holder_ != nullptr) return;
    holder_ = waiting_.pop_front();
    holder_->granted_.set();
}

} // namespace mmcpipe::block
