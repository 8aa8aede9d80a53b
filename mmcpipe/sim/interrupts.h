#pragma once
// Interrupt lines: level-triggered, shared by devices and by handlers.

#include "mmcpipe/base/list.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/sim/signal.h"

#include <cstdint>
#include <vector>

namespace mmcpipe::sim {

class Machine;
class Processor;

/// A line to one processor: up while one of its pins is. While it is up, has a handler, and the processor has
/// interrupts enabled, the processor is interrupted: `Costs::interrupt_entry`, all handlers, `interrupt_exit`; and
/// again if the line is still up then. So an acknowledge that was forgotten, or has not arrived yet, shows as one
/// interrupt too many. A line that never went down for `storm` interrupts is fatal.
class InterruptLine final : public port::InterruptLine, public base::ListNode {
public:
    static constexpr unsigned storm = 100'000;

    explicit InterruptLine(Machine& machine, unsigned processor = 0);
    ~InterruptLine();

    void attach(port::InterruptHandler& handler) override;
    /// If the handler is running on another processor, waits for its end.
    void detach(port::InterruptHandler& handler) override;

    bool up() const { return pins_up_ != 0; }
    /// Interrupts taken so far, and those among them that no handler claimed.
    std::uint64_t taken() const { return taken_; }
    std::uint64_t spurious() const { return spurious_; }

    /// From the processor: an interrupt.
    void serve();

private:
    friend class InterruptPin;
    void raise();
    void lower();
    void update();

    Machine& machine_;
    Processor& processor_;
    std::vector<port::InterruptHandler*> handlers_; ///< nullptr: detached
    unsigned attached_ = 0;
    port::InterruptHandler* serving_ = nullptr;
    Signal served_;
    bool awaited_ = false; ///< somebody waits for `served_`
    unsigned pins_up_ = 0;
    unsigned in_a_row_ = 0; ///< interrupts since the line was down
    std::uint64_t taken_ = 0;
    std::uint64_t spurious_ = 0;
};

/// The interrupt output of one device. A model sets it whenever its status or its mask changes.
class InterruptPin {
public:
    explicit InterruptPin(InterruptLine& line) : line_(line) {}
    InterruptPin(const InterruptPin&) = delete;
    InterruptPin& operator=(const InterruptPin&) = delete;

    bool level() const { return level_; }
    void set(bool level) {
        if (level == level_) return;
        level_ = level;
        if (level) {
            line_.raise();
        } else {
            line_.lower();
        }
    }

private:
    InterruptLine& line_;
    bool level_ = false;
};

} // namespace mmcpipe::sim
