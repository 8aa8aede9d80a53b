#include "mmcpipe/sim/signal.h"

#include "tests/sim/machine_parts.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace mmcpipe::sim {
namespace {

TEST(Signal, ThatComesFirstIsKept) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    Signal signal(machine);
    machine.start("a", 0, 0, [&] {
        signal.set();
        EXPECT_TRUE(signal.wait());
        EXPECT_EQ(machine.now(), Time{}) << "nothing to pay: it did not sleep";
        EXPECT_FALSE(signal.wait(ns(50))) << "one signal ends one wait";
        EXPECT_EQ(machine.now(), ns(57)) << "the time-out, then the wake-up";
        EXPECT_FALSE(signal.wait(ns(57))) << "a time that is over: no sleep";
        EXPECT_EQ(machine.now(), ns(57));
    });
    machine.run();
}

TEST(Signal, CancelsTheTimeOut) {
    Engine engine;
    Machine machine(engine);
    Signal signal(machine);
    At early(engine, ns(10), [&] { signal.set(); });
    machine.start("a", 0, 0, [&] {
        EXPECT_TRUE(signal.wait(ns(50)));
        EXPECT_EQ(machine.now(), ns(10));
        EXPECT_EQ(engine.next(), forever);
        EXPECT_FALSE(signal.wait(ns(100)));
        EXPECT_EQ(machine.now(), ns(100)) << "the first time-out must not end the second wait";
    });
    machine.run();
}

TEST(Signal, OnlyOneThreadWaits) {
    Engine engine;
    Machine machine(engine);
    Signal signal(machine);
    for (const char* name : {"a", "b"}) machine.start(name, 0, 0, [&] { signal.wait(); });
    try {
        machine.run();
        FAIL() << "both wait";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "two threads wait for the same signal");
    }
}

TEST(Signal, AThreadThatWaitsMaskedWakesUpWithInterruptsEnabledAndGoesOnMasked) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] { pin.set(false); };
    line.attach(handler);
    Signal signal(machine);
    At wake(engine, ns(100), [&] { signal.set(); });
    At while_it_wakes_up(engine, ns(103), [&] { pin.set(true); });
    At when_it_is_awake(engine, ns(200), [&] { pin.set(true); });
    machine.start("a", 0, 0, [&] {
        machine.mask();
        EXPECT_TRUE(signal.wait());
        EXPECT_EQ(machine.now(), ns(107 + 50));
        machine.spend(ns(100));
        EXPECT_EQ(handler.began, (Times{ns(133)}));
        machine.restore(false);
        EXPECT_EQ(handler.began.size(), 2u);
    });
    machine.run();
}

TEST(Signal, AHandlerCannotWait) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line(machine);
    InterruptPin pin(line);
    Signal signal(machine);
    Handler handler(machine);
    handler.action = [&] { signal.wait(); };
    line.attach(handler);
    pin.set(true);
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    try {
        machine.run();
        FAIL() << "it waits";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "an interrupt handler waits");
    }
}

} // namespace
} // namespace mmcpipe::sim
