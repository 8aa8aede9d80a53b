#pragma once
// The interrupt output of a controller, which a fault plan can swallow or hold back.

#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/interrupts.h"
#include "mmcpipe/sim/wire/faults.h"

namespace mmcpipe::sim::controller {

class InterruptOutput {
public:
    InterruptOutput(Engine& engine, InterruptLine& line, wire::Faults* faults)
        : engine_(engine), pin_(line), faults_(faults) {}

    /// The level as the controller's status and mask have it.
    void set(bool level) {
        if (level == level_) return;
        level_ = level;
        engine_.cancel(late_);
        Time delay{};
        if (level && faults_ != nullptr) delay = faults_->interrupt();
        if (delay == Time{}) {
            pin_.set(level);
        } else if (delay != forever) {
            engine_.schedule(late_, engine_.now() + delay);
        }
    }

private:
    void arrive() { pin_.set(level_); }

    Engine& engine_;
    InterruptPin pin_;
    wire::Faults* faults_;
    bool level_ = false;
    MemberEvent<&InterruptOutput::arrive> late_{*this};
};

} // namespace mmcpipe::sim::controller
