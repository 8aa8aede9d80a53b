#pragma once
// DAT0 as the sign of a busy card.

#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/wire/wires.h"

namespace mmcpipe::sim::wire {

class Dat0 {
public:
    explicit Dat0(Wires& wires) : wires_(wires) {}

    bool low() const { return released_at() > wires_.now(); }
    void when_released(Event& event);
    void forget();
    /// The card may have become ready early, or the clock runs again.
    void check() {
        if (waits_ != nullptr) arm();
    }
    /// The clock stops now. A busy card needs it to release the line (JESD84-B51 6.7).
    void clock_stops() { stopped_at_ = wires_.now(); }

private:
    Time released_at() const;
    void arm();
    void fire();

    Wires& wires_;
    Event* waits_ = nullptr;
    MemberEvent<&Dat0::fire> due_{*this};
    Time stopped_at_{};
};

} // namespace mmcpipe::sim::wire
