#include "mmcpipe/sim/wire/bus.h"

namespace mmcpipe::sim::wire {

Bus::Bus(Engine& engine, Trace* trace, Faults* faults, std::uint8_t unit)
    : wires_{.engine = engine, .trace = trace, .faults = faults, .unit = unit},
      dat0_(wires_),
      data_(wires_, command_),
      command_(wires_, data_, dat0_) {}

void Bus::insert(Card* card) {
    data_.lose_card();
    wires_.card = card;
    if (card != nullptr) card->power(powered_, wires_.now());
    dat0_.check();
}

void Bus::power(bool on) {
    powered_ = on;
    if (wires_.card == nullptr) return;
    data_.settle();
    wires_.card->power(on, wires_.now());
    data_.card_changed();
    dat0_.check();
}

void Bus::reset_pin(bool held) {
    if (wires_.card == nullptr) return;
    data_.settle();
    wires_.card->reset_pin(held, wires_.now());
    data_.card_changed();
    dat0_.check();
}

void Bus::set_period(Time period) {
    if (period == wires_.period) return;
    if (wires_.period.ps != 0) {
        command_.freeze();
        data_.freeze();
        if (period.ps == 0) dat0_.clock_stops();
    }
    wires_.period = period;
    command_.thaw();
    data_.thaw();
    dat0_.check();
}

} // namespace mmcpipe::sim::wire
