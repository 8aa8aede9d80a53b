#include "board.h"

namespace firmware {

namespace {

bare::InterruptController* root = nullptr;

// System controller SP810 (DDI 0254): timers 1 and 2 count at 1 MHz instead of 32 kHz.
constexpr std::uintptr_t system_controller = 0x101e0000;
constexpr std::uint32_t timers_at_1_mhz = 1u << 15 | 1u << 17;

constexpr std::uint32_t primary_select = 0x0c; // ones: FIQ
constexpr std::uint32_t secondary_pass_through =
    0x24; // ones: the input no longer goes to the primary controller by itself
constexpr std::uint32_t all = 0xffffffff;

} // namespace

Board::Board() {
    primary_io.write(0x14, all);
    primary_io.write(primary_select, 0);
    secondary_io.write(0x0c, all);
    secondary_io.write(secondary_pass_through, all);
    secondary_line.attach(secondary);
    root = &primary;

    bare::Mmio system(system_controller);
    system.write(0, system.read(0) | timers_at_1_mhz);
    clock.start(timer_line);

    bare::ArmV5::unmask_interrupts();
}

} // namespace firmware

/// From the IRQ vector.
extern "C" void interrupt() { firmware::root->interrupt(); }
