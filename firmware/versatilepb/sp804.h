#pragma once
// ARM's dual timer SP804 as clock and alarm (DDI 0271).

#include "mmcpipe/port/bare/clock.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"

namespace firmware {

/// Timer 1 counts microseconds, timer 2 is the alarm. Both are clocked with 1 MHz; their interrupts share a line.
class Sp804 final : public mmcpipe::port::bare::Clock, public mmcpipe::port::InterruptHandler {
public:
    explicit Sp804(mmcpipe::port::Io& io) : io_(io) {}

    void start(mmcpipe::port::InterruptLine& line);

    mmcpipe::base::Instant now() override;
    void set_alarm(mmcpipe::base::Instant when) override;
    bool interrupt() noexcept override;

private:
    bool acknowledge(std::uint32_t timer);

    mmcpipe::port::Io& io_;
    mmcpipe::port::bare::Counter microseconds_;
};

} // namespace firmware
