#include "mmcpipe/sim/processor.h"

#include "tests/sim/machine_parts.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace mmcpipe::sim {
namespace {

TEST(Processor, SpendMovesTheClockOfItsThread) {
    Engine engine;
    Machine machine(engine);
    Times seen;
    machine.start("a", 0, 0, [&] {
        seen.push_back(machine.now());
        machine.spend(picoseconds(1));
        seen.push_back(machine.now());
        machine.spend(ns(5));
        seen.push_back(machine.now());
    });
    machine.run();
    EXPECT_EQ(seen, (Times{ns(0), picoseconds(1), picoseconds(5'001)}));
}

TEST(Processor, EventsFireDuringASpend) {
    Engine engine;
    Machine machine(engine);
    Times fired;
    At inside(engine, ns(3), [&] { fired.push_back(machine.now()); });
    At at_the_end(engine, ns(10), [&] { fired.push_back(machine.now()); });
    At after(engine, ns(11), [&] { fired.push_back(machine.now()); });
    std::size_t fired_by_the_end = 0;
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(10));
        fired_by_the_end = fired.size();
    });
    machine.run();
    EXPECT_EQ(fired, (Times{ns(3), ns(10)})) << "what was scheduled for the end before the spend began comes first";
    EXPECT_EQ(fired_by_the_end, 2u);
    EXPECT_EQ(machine.now(), ns(10));
}

TEST(Processor, ThreadsOfTwoProcessorsRunInParallel) {
    Engine engine;
    Machine machine(engine, {}, 2);
    std::vector<std::pair<std::string, Time>> log;
    for (unsigned cpu = 0; cpu < 2; ++cpu) {
        machine.start(cpu == 0 ? "a" : "b", cpu, 0, [&, cpu] {
            for (int i = 0; i < 3; ++i) {
                machine.spend(ns(cpu == 0 ? 10 : 15));
                EXPECT_EQ(machine.here(), cpu);
                log.emplace_back(cpu == 0 ? "a" : "b", machine.now());
            }
        });
    }
    machine.run();
    const std::vector<std::pair<std::string, Time>> expected{{"a", ns(10)}, {"b", ns(15)}, {"a", ns(20)},
                                                             {"b", ns(30)}, {"a", ns(30)}, {"b", ns(45)}};
    EXPECT_EQ(log, expected);
    EXPECT_EQ(machine.now(), ns(45));
}

TEST(Processor, ThreadsOfEqualPriorityOnOneProcessorRunOneAfterTheOther) {
    Engine engine;
    Machine machine(engine);
    Times ends;
    for (const char* name : {"a", "b"}) {
        machine.start(name, 0, 0, [&] {
            machine.spend(ns(10));
            machine.spend(ns(10));
            ends.push_back(machine.now());
        });
    }
    machine.run();
    EXPECT_EQ(ends, (Times{ns(20), ns(40)}));
}

TEST(Processor, AWokenThreadOfHigherPriorityPreemptsASpend) {
    Engine engine;
    Costs costs;
    costs.wake = ns(7);
    Machine machine(engine, costs);
    Signal signal(machine);
    Time high_went_on, low_ended;
    machine.start("high", 0, 2, [&] {
        EXPECT_TRUE(signal.wait());
        high_went_on = machine.now();
        machine.spend(ns(100));
    });
    machine.start("low", 0, 1, [&] {
        machine.spend(ns(50));
        low_ended = machine.now();
    });
    At wake(engine, ns(20), [&] { signal.set(); });
    machine.run();
    EXPECT_EQ(high_went_on, ns(27));
    EXPECT_EQ(low_ended, ns(50 + 7 + 100));
}

TEST(Processor, APreemptedSpendIsNotPaidTwice) {
    Engine engine;
    Machine machine(engine);
    Signal high_signal(machine), low_signal(machine);
    At wake_high(engine, ns(20), [&] { high_signal.set(); });
    At wake_low(engine, ns(100), [&] { low_signal.set(); });
    machine.start("high", 0, 2, [&] { high_signal.wait(); });
    machine.start("low", 0, 1, [&] {
        machine.spend(ns(50));
        low_signal.wait();
        EXPECT_EQ(machine.now(), ns(100));
    });
    machine.run();
}

TEST(Processor, AThreadThatWakesAHigherOneRunsBehindIt) {
    Engine engine;
    Machine machine(engine);
    Signal signal(machine);
    std::vector<std::string> log;
    machine.start("high", 0, 2, [&] {
        signal.wait();
        log.push_back("high");
    });
    machine.start("low", 0, 1, [&] {
        signal.set();
        log.push_back("low");
    });
    machine.run();
    EXPECT_EQ(log, (std::vector<std::string>{"high", "low"}));
}

TEST(Processor, AMaskedThreadIsNotPreempted) {
    Engine engine;
    Machine machine(engine);
    Signal signal(machine);
    std::vector<std::pair<std::string, Time>> log;
    machine.start("high", 0, 2, [&] {
        signal.wait();
        log.emplace_back("high", machine.now());
    });
    machine.start("low", 0, 1, [&] {
        const bool before = machine.mask();
        signal.set();
        machine.spend(ns(10));
        log.emplace_back("low", machine.now());
        machine.restore(before);
        log.emplace_back("low unmasked", machine.now());
    });
    machine.run();
    const std::vector<std::pair<std::string, Time>> expected{
        {"low", ns(10)}, {"high", ns(10)}, {"low unmasked", ns(10)}};
    EXPECT_EQ(log, expected);
}

TEST(Processor, APreemptedThreadGoesOnBeforeOthersOfItsPriority) {
    Engine engine;
    Machine machine(engine);
    Signal signal(machine);
    std::vector<std::string> ends;
    machine.start("high", 0, 2, [&] {
        signal.wait();
        machine.spend(ns(10));
        ends.push_back("high");
    });
    for (const char* name : {"first", "second"}) {
        machine.start(name, 0, 1, [&, name] {
            machine.spend(ns(10));
            ends.push_back(name);
        });
    }
    At wake(engine, ns(5), [&] { signal.set(); });
    machine.run();
    EXPECT_EQ(ends, (std::vector<std::string>{"high", "first", "second"}));
}

} // namespace
} // namespace mmcpipe::sim
