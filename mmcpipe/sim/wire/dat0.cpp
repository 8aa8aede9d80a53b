#include "mmcpipe/sim/wire/dat0.h"

#include <utility>

namespace mmcpipe::sim::wire {

Time Dat0::released_at() const {
    if (wires_.card == nullptr) return Time{};
    const Time until = wires_.card->busy_until();
    return wires_.period.ps == 0 && until > stopped_at_ ? forever : until;
}

void Dat0::when_released(Event& event) {
    waits_ = &event;
    arm();
}

void Dat0::forget() {
    waits_ = nullptr;
    wires_.engine.cancel(due_);
}

void Dat0::arm() {
    if (low()) {
        wires_.engine.schedule(due_, released_at());
    } else {
        wires_.engine.cancel(due_);
        wires_.engine.schedule(*std::exchange(waits_, nullptr), wires_.now());
    }
}

/// Busy may have been prolonged since this was armed.
void Dat0::fire() { arm(); }

} // namespace mmcpipe::sim::wire
