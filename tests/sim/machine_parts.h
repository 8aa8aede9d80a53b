#pragma once
// What the tests of machines are built from.

#include "mmcpipe/sim/interrupts.h"
#include "mmcpipe/sim/machine.h"
#include "mmcpipe/sim/signal.h"

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mmcpipe::sim {

using Times = std::vector<Time>;

constexpr Time ns(std::int64_t n) { return nanoseconds(n); }

inline Costs with_interrupts() {
    Costs costs;
    costs.interrupt_entry = ns(30);
    costs.interrupt_exit = ns(20);
    costs.wake = ns(7);
    return costs;
}

/// Calls something at a time.
struct At : Event {
    At(Engine& engine, Time when, std::function<void()> its_action) : Event(fire), action(std::move(its_action)) {
        engine.schedule(*this, when);
    }
    static void fire(Event& event) { static_cast<At&>(event).action(); }
    std::function<void()> action;
};

/// A handler that notes when it is called.
struct Handler final : port::InterruptHandler {
    explicit Handler(Machine& its_machine) : machine(its_machine) {}
    bool interrupt() noexcept override {
        began.push_back(machine.now());
        if (action) action();
        return claims;
    }
    Machine& machine;
    std::function<void()> action;
    bool claims = true;
    Times began;
};

/// Keeps the spans of a trace.
struct Spans final : Trace {
    void span(const Span& span) override {
        all.push_back({span.lane, span.unit, span.name, span.from, span.to, span.argument});
    }
    std::vector<std::tuple<Lane, unsigned, std::string, Time, Time, std::uint32_t>> all;
};

} // namespace mmcpipe::sim
