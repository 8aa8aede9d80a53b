#include "mmcpipe/sim/machine.h"

#include "tests/sim/allocations.h"
#include "tests/sim/machine_parts.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace mmcpipe::sim {
namespace {

TEST(Machine, ReportsADeadlockWithTheThreadsName) {
    Engine engine;
    Machine machine(engine);
    Signal signal(machine);
    machine.start("executor", 0, 0, [&] { signal.wait(); });
    try {
        machine.run();
        FAIL() << "no deadlock";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "deadlock: thread 'executor' waits for ever");
    }
    EXPECT_THROW(machine.run(), std::logic_error) << "there is no way back";
}

TEST(Machine, CarriesAnExceptionOfAThreadToRun) {
    Engine engine;
    Machine machine(engine);
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(10));
        throw std::out_of_range("from a thread");
    });
    machine.start("b", 0, 0, [&] { machine.spend(ns(10)); });
    EXPECT_THROW(machine.run(), std::out_of_range);
}

TEST(Machine, CarriesAnExceptionOfAnEventToRun) {
    Engine engine;
    Machine machine(engine);
    At bad(engine, ns(5), [] { throw std::out_of_range("from a model"); });
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(1));
        machine.spend(ns(10));
    });
    EXPECT_THROW(machine.run(), std::out_of_range);
}

TEST(Machine, FatalEndsTheRunFromFramesThatCannotThrow) {
    Engine engine;
    Machine machine(engine, {}, 2);
    const auto no_exceptions = [&]() noexcept { machine.fatal("descriptor out of range"); };
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(1));
        no_exceptions();
    });
    machine.start("b", 1, 0, [&] { machine.spend(ns(10)); });
    try {
        machine.run();
        FAIL() << "not fatal";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "descriptor out of range");
    }
    EXPECT_EQ(machine.now(), ns(1));
}

TEST(Machine, AnEventHasNoProcessorToSpendOn) {
    Engine engine;
    Machine machine(engine);
    At bad(engine, ns(5), [&] { machine.spend(ns(1)); });
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    EXPECT_THROW(machine.run(), std::runtime_error);
    EXPECT_THROW(machine.spend(ns(1)), std::runtime_error);
}

TEST(Machine, ThreadsMayStartThreads) {
    Engine engine;
    Machine machine(engine);
    std::vector<std::string> log;
    machine.start("a", 0, 1, [&] {
        machine.start("low", 0, 0, [&] { log.push_back("low"); });
        machine.start("high", 0, 2, [&] { log.push_back("high"); });
        log.push_back("a");
    });
    machine.run();
    EXPECT_EQ(log, (std::vector<std::string>{"high", "a", "low"}));
}

TEST(Machine, RunsAgainWhenMoreThreadsHaveBeenStarted) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] { pin.set(false); };
    line.attach(handler);
    machine.run();
    for (int round = 0; round < 3; ++round) {
        machine.start("a", 0, 0, [&] {
            pin.set(true);
            machine.spend(ns(10));
        });
        machine.run();
    }
    EXPECT_EQ(machine.now(), ns(3 * 60));
    EXPECT_EQ(handler.began.size(), 3u);
}

TEST(Machine, DestroysWhatIsOnTheStacksOfThreadsThatEnd) {
    struct Counted {
        explicit Counted(int& its_count) : count(its_count) { ++count; }
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;
        ~Counted() { --count; }
        int& count;
    };
    int alive = 0;
    Engine engine;
    Machine machine(engine);
    for (const char* name : {"a", "b", "c"}) {
        machine.start(name, 0, 0, [&] {
            const Counted counted(alive);
            machine.spend(ns(10));
            EXPECT_GT(alive, 0);
        });
    }
    machine.run();
    EXPECT_EQ(alive, 0);
}

TEST(Machine, TracesInterruptsWakeUpsAndNamedSpends) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    Spans spans;
    machine.set_trace(&spans);
    InterruptLine line(machine);
    InterruptPin pin(line);
    Signal signal(machine);
    Handler handler(machine);
    handler.action = [&] {
        pin.set(false);
        signal.set();
    };
    line.attach(handler);
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(100), "clean", 4096);
        machine.spend(ns(5));
        machine.spend(ns(0), "nothing");
        signal.wait();
    });
    At up(engine, ns(200), [&] { pin.set(true); });
    machine.run();
    const decltype(spans.all) expected{{Lane::cpu, 0, "clean", ns(0), ns(100), 4096},
                                       {Lane::cpu, 0, "interrupt", ns(200), ns(250), 0},
                                       {Lane::cpu, 0, "wake-up", ns(250), ns(257), 0}};
    EXPECT_EQ(spans.all, expected);
}

/// Three processors, with interrupts, signals, time-outs and preemption.
struct Busy {
    explicit Busy(unsigned its_rounds, Trace* trace = nullptr) : rounds(its_rounds) {
        machine.set_trace(trace);
        line.attach(handler);
        machine.start("server", 0, 2, [this] { serve(); });
        machine.start("background", 0, 1, [this] {
            while (!done) machine.spend(ns(33), "compute");
        });
        for (unsigned cpu = 1; cpu < 3; ++cpu) {
            machine.start("client", cpu, 0, [this, cpu] {
                while (!done) {
                    machine.spend(ns(290 + 160 * cpu), "think");
                    work.set();
                }
            });
        }
        machine.run();
    }

    void serve() {
        for (unsigned i = 0; i < rounds; ++i) {
            if (i == rounds / 10) warm = allocations();
            if (!work.wait(machine.now() + ns(200))) ++timeouts;
            machine.spend(ns(50), "serve");
            engine.schedule(device, machine.now() + ns(70));
        }
        cold = allocations();
        done = true;
    }

    void raise() { pin.set(true); }

    struct Acknowledge final : port::InterruptHandler {
        explicit Acknowledge(Busy& owner) : busy(owner) {}
        bool interrupt() noexcept override {
            busy.machine.spend(ns(9));
            busy.pin.set(false);
            busy.work.set();
            return true;
        }
        Busy& busy;
    };

    Engine engine;
    Machine machine{engine, with_interrupts(), 3};
    InterruptLine line{machine};
    InterruptPin pin{line};
    Signal work{machine};
    Acknowledge handler{*this};
    MemberEvent<&Busy::raise> device{*this};
    const unsigned rounds;
    bool done = false;
    unsigned timeouts = 0;
    std::size_t warm = 0;
    std::size_t cold = 0;
};

TEST(Machine, RunsTheSameWayEveryTime) {
    Spans first, second;
    const Busy one(200, &first);
    const Busy other(200, &second);
    EXPECT_GT(first.all.size(), 500u);
    EXPECT_EQ(first.all, second.all);
}

TEST(Machine, AllocatesNothingInTheSteadyState) {
    const Busy busy(1000);
    EXPECT_GT(busy.line.taken(), 500u);
    EXPECT_EQ(busy.cold - busy.warm, 0u);
}

} // namespace
} // namespace mmcpipe::sim
