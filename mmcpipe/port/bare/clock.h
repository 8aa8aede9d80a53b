#pragma once
// The board's clock and its alarm.

#include "mmcpipe/base/units.h"

#include <cstdint>

namespace mmcpipe::port::bare {

class Clock {
public:
    /// Never goes back. Also called from interrupts.
    virtual base::Instant now() = 0;
    /// Interrupts at `when`, at once if that is past. An alarm that reaches less far than `when` rings early. Replaces
    /// the alarm before it; `never` takes it back. Called with interrupts masked.
    virtual void set_alarm(base::Instant when) = 0;

protected:
    ~Clock() = default;
};

/// Makes the readings of a 32-bit counter a 64-bit count. Right as long as the counter is read at least once in every
/// turn.
class Counter {
public:
    explicit Counter(std::uint32_t reading = 0) : last_(reading) {}

    /// Ticks since construction, at the `reading` of a counter that counts up.
    std::uint64_t up(std::uint32_t reading) { return advance(reading, reading - last_); }
    /// The same for one that counts down.
    std::uint64_t down(std::uint32_t reading) { return advance(reading, last_ - reading); }

private:
    std::uint64_t advance(std::uint32_t reading, std::uint32_t ticks) {
        last_ = reading;
        return count_ += ticks;
    }

    std::uint32_t last_;
    std::uint64_t count_ = 0;
};

} // namespace mmcpipe::port::bare
