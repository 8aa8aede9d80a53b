#include "mmcpipe/sim/signal.h"

#include "mmcpipe/sim/machine.h"

#include <utility>

namespace mmcpipe::sim {

void Signal::set() {
    set_ = true;
    if (waiter_ != nullptr) machine_.wake(*waiter_);
}

bool Signal::wait(Time until) {
    if (!set_ && until > machine_.now()) {
        if (waiter_ != nullptr) machine_.fatal("two threads wait for the same signal");
        waiter_ = &machine_.calling_thread();
        machine_.block(*waiter_, until);
        waiter_ = nullptr;
    }
    return std::exchange(set_, false);
}

} // namespace mmcpipe::sim
