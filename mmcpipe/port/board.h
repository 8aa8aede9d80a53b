#pragma once
// What stands around a card on a board: supplies, pads, the controller's base clock, the slot's switches.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/units.h"

#include <cstdint>

namespace mmcpipe::port {

/// Supply of the card (VCC, VDD).
enum class Supply : std::uint8_t { off, v1_8, v3_3 };
/// Voltage of CMD, CLK and DAT (VCCQ).
enum class Signal : std::uint8_t { v3_3, v1_8, v1_2 };

class Board {
public:
    /// Switches the card's supply; returns when the switch is set, the caller waits for the ramp.
    virtual base::Result<void> set_supply(Supply supply) = 0;
    virtual base::Result<void> set_signal(Signal signal) = 0;
    /// RST_n of an eMMC (JESD84 6.15): true holds the card in reset. not_possible where the pin is not connected.
    virtual base::Result<void> hold_reset(bool held) = 0;
    /// DAT lines that are wired: 1, 4 or 8.
    virtual unsigned bus_width() const = 0;
    /// Clock that feeds the controller.
    virtual base::Hertz base_clock() const = 0;
    /// Supplies the board can give, highest first in use.
    virtual bool has(Supply supply) const = 0;
    /// A card is in the slot; always true for a soldered one.
    virtual bool card_present() = 0;
    /// The slot's write-protect switch.
    virtual bool write_protected() = 0;

protected:
    ~Board() = default;
};

} // namespace mmcpipe::port
