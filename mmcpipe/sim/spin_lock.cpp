#include "mmcpipe/sim/spin_lock.h"

#include "mmcpipe/sim/machine.h"

#include <utility>

namespace mmcpipe::sim {

void SpinLock::acquire() {
    Thread& self = machine_.calling_thread();
    if (holder_ == &self) machine_.fatal("thread '" + self.name + "' takes a lock that it has");
    const bool was_masked = machine_.mask();
    if (holder_ != nullptr) {
        if (&holder_->processor == &self.processor) {
            machine_.fatal("thread '" + self.name + "' spins for a lock of its own processor");
        }
        const Time from = machine_.now();
        Waiter waiter;
        waiter.context = &self;
        waiting_.push_back(waiter);
        machine_.suspend(self); // until `release` hands it over
        waited_.add(machine_.now() - from, self.name);
    }
    holder_ = &self;
    was_masked_ = was_masked;
    since_ = machine_.now();
}

void SpinLock::release() {
    Thread& self = machine_.calling_thread();
    if (holder_ != &self) machine_.fatal("thread '" + self.name + "' releases a lock that it has not");
    held_.add(machine_.now() - since_, self.name);
    const bool was_masked = was_masked_;
    const Waiter* const next = waiting_.pop_front();
    holder_ = next != nullptr ? next->context : nullptr;
    if (holder_ != nullptr) machine_.engine_.schedule(holder_->resume, machine_.now());
    machine_.restore(was_masked);
}

} // namespace mmcpipe::sim
