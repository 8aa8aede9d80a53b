#pragma once
// Interrupt lines: level-triggered, perhaps shared.

namespace mmcpipe::port {

/// The fast half of a driver. Called with interrupts masked, for as long as the line stays up: acknowledge, and read
/// back, so that the line is down on return.
class InterruptHandler {
public:
    /// True if the interrupt was this device's.
    virtual bool interrupt() noexcept = 0;

protected:
    ~InterruptHandler() = default;
};

class InterruptLine {
public:
    /// Calls `handler` from now on. Several handlers may share a line.
    virtual void attach(InterruptHandler& handler) = 0;
    /// After this returns the handler neither runs nor will run.
    virtual void detach(InterruptHandler& handler) = 0;

protected:
    ~InterruptLine() = default;
};

} // namespace mmcpipe::port
