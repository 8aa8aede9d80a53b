#include "sp804.h"

#include "mmcpipe/port/bare/armv5.h"

#include <algorithm>

namespace firmware {

using namespace mmcpipe;
using port::bare::ArmV5;

namespace {

constexpr std::uint32_t clock_timer = 0x00;
constexpr std::uint32_t alarm_timer = 0x20;

// Registers of one timer.
constexpr std::uint32_t load = 0x00;
constexpr std::uint32_t value = 0x04;
constexpr std::uint32_t control = 0x08;
constexpr std::uint32_t clear_interrupt = 0x0c;
constexpr std::uint32_t masked_status = 0x14;
constexpr std::uint32_t background_load = 0x18; // what the next turn begins with

// control
constexpr std::uint32_t one_shot = 1u << 0;
constexpr std::uint32_t wide = 1u << 1;
constexpr std::uint32_t interrupt_enable = 1u << 5;
constexpr std::uint32_t periodic = 1u << 6;
constexpr std::uint32_t enable = 1u << 7;

// The first turn ends 2 ms after the start, so that every run of the image goes through the end of a turn, which else
// comes once in 71 minutes.
constexpr std::uint32_t first_turn = 2000;

} // namespace

void Sp804::start(port::InterruptLine& line) {
    io_.write(clock_timer + control, 0);
    io_.write(alarm_timer + control, 0);
    io_.write(clock_timer + clear_interrupt, 1);
    io_.write(alarm_timer + clear_interrupt, 1);

    microseconds_ = port::bare::Counter(first_turn);
    io_.write(clock_timer + load, first_turn);
    io_.write(clock_timer + control, wide | periodic | interrupt_enable | enable);
    io_.write(clock_timer + background_load, 0xffffffff);
    line.attach(*this);
}

base::Instant Sp804::now() {
    // An interrupt that asks for the time between reading and counting would make it go back.
    const unsigned state = ArmV5::mask_interrupts();
    const std::uint64_t microseconds = microseconds_.down(io_.read(clock_timer + value));
    ArmV5::restore_interrupts(state);
    return base::Instant{static_cast<std::int64_t>(microseconds) * 1000};
}

void Sp804::set_alarm(base::Instant when) {
    io_.write(alarm_timer + control, 0);
    io_.write(alarm_timer + clear_interrupt, 1);
    if (when == base::never) return;

    const base::Duration left = std::clamp(when - now(), base::nanoseconds(0), base::seconds(4)); // fits 32 bits
    const std::uint32_t microseconds = (static_cast<std::uint32_t>(left.ns) + 999) / 1000;
    io_.write(alarm_timer + load, std::max(microseconds, std::uint32_t{1}));
    io_.write(alarm_timer + control, wide | one_shot | interrupt_enable | enable);
}

bool Sp804::interrupt() noexcept {
    const bool turned = acknowledge(clock_timer);
    if (turned) now(); // the counter wants to be read once in each turn, even if nobody asks for the time
    return acknowledge(alarm_timer) || turned;
}

bool Sp804::acknowledge(std::uint32_t timer) {
    if (io_.read(timer + masked_status) == 0) return false;
    io_.write(timer + clear_interrupt, 1);
    io_.read(timer + masked_status);
    return true;
}

} // namespace firmware
