#include "mmcpipe/sim/spin_lock.h"

#include "mmcpipe/sim/interval_timer.h"
#include "mmcpipe/sim/machine.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace mmcpipe::sim {
namespace {

TEST(SpinLock, WhoComesSecondSpinsUntilTheFirstLetsGo) {
    Engine engine;
    Machine machine(engine, {}, 2);
    SpinLock lock(machine);
    std::string order;
    machine.start("first", 0, 0, [&] {
        lock.acquire();
        machine.spend(microseconds(10));
        order += "a";
        lock.release();
    });
    machine.start("second", 1, 0, [&] {
        machine.spend(microseconds(1));
        lock.acquire();
        EXPECT_EQ(machine.now(), microseconds(10));
        order += "b";
        machine.spend(microseconds(5));
        lock.release();
    });
    machine.run();
    EXPECT_EQ(order, "ab");
    EXPECT_EQ(lock.held().nanoseconds.count(), 2u);
    EXPECT_EQ(lock.held().nanoseconds.max(), 10'000u);
    EXPECT_EQ(lock.held().longest_by, "first");
    EXPECT_EQ(lock.waited().nanoseconds.sum(), 9'000u);
    EXPECT_EQ(lock.waited().longest_by, "second");
    EXPECT_EQ(machine.processor(1).busy(), microseconds(15)) << "spinning keeps a processor busy";
}

TEST(SpinLock, KeepsInterruptsAndThreadsOfHigherPriorityOut) {
    Engine engine;
    Machine machine(engine);
    SpinLock lock(machine);
    HoldTimes off;
    machine.watch_interrupts_off(&off);
    IntervalTimer timer(machine, 0, microseconds(30));
    Signal wake(machine);
    Time urgent_ran;
    machine.start("urgent", 0, 1, [&] {
        wake.wait(microseconds(20));
        urgent_ran = machine.now();
    });
    machine.start("holder", 0, 0, [&] {
        machine.spend(microseconds(10));
        lock.acquire();
        machine.spend(microseconds(100));
        lock.release();
        timer.stop();
    });
    machine.run();
    EXPECT_EQ(urgent_ran, microseconds(110));
    EXPECT_EQ(timer.late().count(), 1u);
    EXPECT_EQ(timer.late().max(), 80'000u);
    EXPECT_EQ(off.nanoseconds.max(), 100'000u);
    EXPECT_EQ(off.longest_by, "holder");
}

TEST(SpinLock, ADeadlockWithOneselfIsNamed) {
    Engine engine;
    Machine machine(engine);
    SpinLock lock(machine);
    machine.start("greedy", 0, 0, [&] {
        lock.acquire();
        lock.acquire();
    });
    EXPECT_THROW(machine.run(), std::runtime_error);
}

TEST(InterruptsOff, AreCountedFromTheOuterMaskToItsRestore) {
    Engine engine;
    Machine machine(engine);
    HoldTimes off;
    machine.watch_interrupts_off(&off);
    machine.start("thread", 0, 0, [&] {
        const bool outer = machine.mask();
        machine.spend(microseconds(2));
        const bool inner = machine.mask();
        machine.spend(microseconds(3));
        machine.restore(inner);
        machine.restore(outer);
        machine.restore(machine.mask()); // takes no time: not counted
    });
    machine.run();
    EXPECT_EQ(off.nanoseconds.count(), 1u);
    EXPECT_EQ(off.nanoseconds.max(), 5'000u);
}

TEST(Processor, KnowsForHowLongItWasBusy) {
    Engine engine;
    Machine machine(engine, {}, 2);
    Signal never_set(machine);
    machine.start("thread", 0, 0, [&] {
        machine.spend(microseconds(4));
        never_set.wait(microseconds(50));
        machine.spend(microseconds(1));
        EXPECT_EQ(machine.processor(0).busy(), microseconds(5)) << "the time up to now counts";
    });
    machine.run();
    EXPECT_EQ(machine.processor(0).busy(), microseconds(5));
    EXPECT_EQ(machine.processor(1).busy(), Time{});
}

} // namespace
} // namespace mmcpipe::sim
