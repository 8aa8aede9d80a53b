#pragma once
// The simplest slot: 3.3 V that cannot be switched.

#include "mmcpipe/base/units.h"
#include "mmcpipe/port/board.h"

namespace mmcpipe::port::bare {

/// `Supply::off` is accepted, so that hosts may be set to it, and changes nothing: `has(off)` says so. A slot's
/// switches are read by functions of the board; nullptr where there is no switch (a soldered card: present, writable).
class FixedBoard final : public port::Board {
public:
    struct Wiring {
        base::Hertz base_clock;
        unsigned bus_width = 4;
        bool (*card_present)() = nullptr;
        bool (*write_protected)() = nullptr;
    };

    explicit FixedBoard(const Wiring& wiring) : wiring_(wiring) {}

    base::Result<void> set_supply(port::Supply supply) override {
        return possible(supply == port::Supply::off || has(supply));
    }
    base::Result<void> set_signal(port::Signal signal) override { return possible(signal == port::Signal::v3_3); }
    base::Result<void> hold_reset(bool) override { return possible(false); }
    unsigned bus_width() const override { return wiring_.bus_width; }
    base::Hertz base_clock() const override { return wiring_.base_clock; }
    bool has(port::Supply supply) const override { return supply == port::Supply::v3_3; }
    bool card_present() override { return wiring_.card_present == nullptr || wiring_.card_present(); }
    bool write_protected() override { return wiring_.write_protected != nullptr && wiring_.write_protected(); }

private:
    static base::Result<void> possible(bool yes) {
        if (!yes) return base::fail(base::Code::not_possible);
        return {};
    }

    Wiring wiring_;
};

} // namespace mmcpipe::port::bare
