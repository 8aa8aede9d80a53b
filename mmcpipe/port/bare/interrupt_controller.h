#pragma once
// Interrupt controllers with up to 32 inputs and one enable bit for each (PL190 and its like), alone or cascaded.

#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::port::bare {

class InterruptLine;

/// Hands each pending input to the line that stands for it. Itself a handler: the core's interrupt vector calls it, or
/// the line of the controller that it is cascaded into.
class InterruptController final : public port::InterruptHandler {
public:
    struct Registers {
        std::uint32_t pending; ///< read: inputs that are up and enabled
        std::uint32_t enable;  ///< write: ones enable
        std::uint32_t disable; ///< write: ones disable
    };

    InterruptController(port::Io& io, Registers registers) : io_(io), registers_(registers) {}

    /// True if an input was pending.
    bool interrupt() noexcept override;

private:
    friend InterruptLine;

    void enable(unsigned input) { io_.write(registers_.enable, 1u << input); }
    /// The input is off when this returns: the read waits for the write.
    void disable(unsigned input) {
        io_.write(registers_.disable, 1u << input);
        io_.read(registers_.pending);
    }

    port::Io& io_;
    Registers registers_;
    std::array<InterruptLine*, 32> lines_{};
};

/// One input of a controller, enabled while it has handlers. Lives as long as its controller.
class InterruptLine final : public port::InterruptLine {
public:
    /// Handlers that can share a line; one more is a defect of the board's code and traps.
    static constexpr std::size_t max_handlers = 4;
    /// A line that stays up although no handler owns to it would keep the core for ever. After so many calls in vain it
    /// is switched off, and the drivers' own time-outs report what is wrong.
    static constexpr unsigned max_unclaimed = 1000;

    /// `input`: 0..31.
    InterruptLine(InterruptController& controller, unsigned input) : controller_(controller), input_(input) {
        controller.lines_[input] = this;
    }
    InterruptLine(const InterruptLine&) = delete;
    InterruptLine& operator=(const InterruptLine&) = delete;

    void attach(port::InterruptHandler& handler) override {
        controller_.disable(input_);
        if (count_ == max_handlers) __builtin_trap();
        handlers_[count_++] = &handler;
        unclaimed_ = 0;
        controller_.enable(input_);
    }

    void detach(port::InterruptHandler& handler) override {
        controller_.disable(input_);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            if (handlers_[i] != &handler) handlers_[kept++] = handlers_[i];
        }
        count_ = kept;
        if (count_ != 0) controller_.enable(input_);
    }

private:
    friend InterruptController;

    void dispatch() noexcept {
        bool claimed = false;
        for (std::size_t i = 0; i < count_; ++i) claimed |= handlers_[i]->interrupt();
        unclaimed_ = claimed ? 0 : unclaimed_ + 1;
        if (unclaimed_ == max_unclaimed) controller_.disable(input_);
    }

    InterruptController& controller_;
    unsigned input_;
    std::array<port::InterruptHandler*, max_handlers> handlers_{};
    std::size_t count_ = 0;
    unsigned unclaimed_ = 0;
};

inline bool InterruptController::interrupt() noexcept {
    const std::uint32_t pending = io_.read(registers_.pending);
    for (std::uint32_t rest = pending; rest != 0; rest &= rest - 1) {
        if (InterruptLine* line = lines_[static_cast<unsigned>(std::countr_zero(rest))]) line->dispatch();
    }
    return pending != 0;
}

} // namespace mmcpipe::port::bare
