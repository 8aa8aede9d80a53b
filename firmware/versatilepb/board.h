#pragma once
// ARM Versatile/PB926EJ-S (DUI 0225): what is where, and which interrupt goes where.

#include "mmcpipe/port/bare/armv5.h"
#include "mmcpipe/port/bare/board.h"
#include "mmcpipe/port/bare/environment.h"
#include "mmcpipe/port/bare/interrupt_controller.h"
#include "mmcpipe/port/bare/mmio.h"
#include "sp804.h"

namespace firmware {

namespace bare = mmcpipe::port::bare;

/// A PL181 with a card slot, and the first of its two lines: the one that mask 0 is for.
struct Slot {
    bare::Mmio io;
    bare::InterruptLine line;
    bare::FixedBoard board;
};

/// The board, ready: clock running, interrupts open, nobody attached but the clock.
struct Board {
    Board();
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;

    // The primary controller (PL190, DDI 0181) drives the core's IRQ; the secondary one hangs on its input 31.
    bare::Mmio primary_io{0x10140000};
    bare::Mmio secondary_io{0x10003000};
    bare::InterruptController primary{primary_io, {.pending = 0x00, .enable = 0x10, .disable = 0x14}};
    bare::InterruptController secondary{secondary_io, {.pending = 0x00, .enable = 0x08, .disable = 0x0c}};
    bare::InterruptLine secondary_line{primary, 31};

    bare::Mmio timer_io{0x101e2000};
    bare::InterruptLine timer_line{primary, 4};
    Sp804 clock{timer_io};
    bare::Environment<bare::ArmV5> environment{clock};

    static constexpr bare::FixedBoard::Wiring slot_wiring{.base_clock = mmcpipe::base::megahertz(24)};
    Slot slot_0{bare::Mmio(0x10005000), {secondary, 22}, bare::FixedBoard(slot_wiring)};
    Slot slot_1{bare::Mmio(0x1000b000), {secondary, 23}, bare::FixedBoard(slot_wiring)};
};

} // namespace firmware
