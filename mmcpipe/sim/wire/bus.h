#pragma once
// The wires between a controller and a card: CMD and DAT with the bit times of the specification (timing.h). The
// controller model says what it wants sent and takes what comes; the bus knows how long it takes and what breaks.

#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/trace.h"
#include "mmcpipe/sim/wire/card.h"
#include "mmcpipe/sim/wire/command_line.h"
#include "mmcpipe/sim/wire/controller_end.h"
#include "mmcpipe/sim/wire/dat0.h"
#include "mmcpipe/sim/wire/data_line.h"
#include "mmcpipe/sim/wire/faults.h"
#include "mmcpipe/sim/wire/wires.h"

#include <cstdint>

namespace mmcpipe::sim::wire {

class Bus {
public:
    /// `trace` and `faults` may be null; `unit` is the number of the slot in traces.
    Bus(Engine& engine, Trace* trace, Faults* faults, std::uint8_t unit = 0);

    /// The card in the slot; nullptr: none. Whatever was on the wires is lost. The card has the supply of the slot; one
    /// that leaves it, be it by a fault, has none.
    void insert(Card* card);
    Card* card() const { return wires_.card; }
    /// Supply and RST_n of the slot; at first there is no supply.
    void power(bool on);
    void reset_pin(bool held);

    /// Length of a clock cycle; zero, as at first, stops the clock: nothing moves, and a card that is busy does not
    /// release DAT0 (JESD84-B51 6.7).
    void set_period(Time period);
    /// DAT lines in use, 1, 4 or 8. A card set to another width sends and sees damaged blocks.
    void set_width(unsigned lines) { wires_.lanes.lines = lines; }
    /// Data goes with both edges of the clock; a card that does otherwise sends and sees damaged blocks.
    void set_both_edges(bool on) { wires_.lanes.both_edges = on; }
    /// CMD is driven low only, and pulled up. It follows no clock above that of the identification then.
    void set_open_drain(bool on) { wires_.open_drain = on; }

    /// Sends a command. The listener hears of its end exactly once, unless `cancel_command` comes first.
    void send(std::uint8_t index, std::uint32_t argument, Expect expect, CommandListener& listener) {
        command_.send(index, argument, expect, listener);
    }
    /// The listener is forgotten; a command on its way still reaches the card.
    void cancel_command() { command_.cancel(); }

    /// Starts the controller's data path: it receives what the card sends from now on, whole blocks, or sends when the
    /// card takes it, N_WR after the response or now.
    void receive(Receiver& receiver, const Transfer& transfer) { data_.receive(receiver, transfer); }
    void transmit(Sender& sender, const Transfer& transfer) { data_.transmit(sender, transfer); }
    /// Stops the controller's data path at once; no callback comes any more.
    void stop_data() { data_.stop(); }
    /// There is room, or data, again.
    void go_on() { data_.go_on(); }

    /// DAT0 is low: the card is busy.
    bool busy() const { return dat0_.low(); }
    /// Schedules `event` when DAT0 is released (now if it is). One event at a time.
    void when_released(Event& event) { dat0_.when_released(event); }
    /// Nobody waits for DAT0 any more.
    void forget_release() { dat0_.forget(); }

private:
    Wires wires_;
    Dat0 dat0_;
    DataLine data_;
    CommandLine command_;
    bool powered_ = false;
};

} // namespace mmcpipe::sim::wire
