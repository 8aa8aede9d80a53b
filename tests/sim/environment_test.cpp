#include "mmcpipe/sim/environment.h"

#include "mmcpipe/base/executor.h"
#include "tests/sim/machine_parts.h"

#include <functional>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace mmcpipe::sim {
namespace {

Costs with_wake() {
    Costs costs = with_interrupts();
    costs.wake = ns(400);
    return costs;
}

/// A machine with one executor on it, and a device that interrupts.
struct EnvironmentTest : testing::Test, port::InterruptHandler {
    EnvironmentTest() { line.attach(*this); }

    bool interrupt() noexcept override {
        ++interrupts;
        pin.set(false);
        if (work != nullptr) executor.post(*work);
        return true;
    }
    void raise() { pin.set(true); }

    void on_a_thread(std::function<void()> body) {
        machine.start("executor", 0, 1, std::move(body));
        machine.run();
    }

    Engine engine;
    Machine machine{engine, with_wake(), 2};
    InterruptLine line{machine};
    InterruptPin pin{line};
    Environment environment{machine};
    base::Executor executor{environment};
    MemberEvent<&EnvironmentTest::raise> device{*this};
    base::Work* work = nullptr; ///< for the handler to post
    unsigned interrupts = 0;
};

/// Work that notes when it ran.
struct Note : base::Work {
    explicit Note(Machine& its_machine) : Work(run_it), machine(its_machine) {}
    static void run_it(base::Work& work) noexcept {
        Note& self = static_cast<Note&>(work);
        self.ran.push_back(self.machine.now());
    }
    Machine& machine;
    std::vector<Time> ran;
};

TEST_F(EnvironmentTest, ShowsTheTimeInWholeNanoseconds) {
    on_a_thread([&] {
        machine.spend(picoseconds(2'999));
        EXPECT_EQ(environment.now(), base::Instant{2});
    });
}

TEST_F(EnvironmentTest, IdleEndsAtItsTimeAndPaysTheWakeUp) {
    on_a_thread([&] {
        const base::CriticalSection guard(environment);
        environment.idle(base::Instant{1000});
        EXPECT_EQ(machine.now(), ns(1400));
    });
}

TEST_F(EnvironmentTest, IdleUntilATimeThatIsOverDoesNotSleep) {
    on_a_thread([&] {
        machine.spend(ns(10));
        const base::CriticalSection guard(environment);
        environment.idle(base::Instant{10});
        EXPECT_EQ(machine.now(), ns(10));
    });
}

TEST_F(EnvironmentTest, ANotifyBeforeIdleIsNotLostAndCostsNoWakeUp) {
    on_a_thread([&] {
        const base::CriticalSection guard(environment);
        environment.notify();
        environment.idle(base::never);
        EXPECT_EQ(machine.now(), ns(0));
    });
}

TEST_F(EnvironmentTest, ANotifyFromAnInterruptEndsIdle) {
    Note note(machine);
    work = &note;
    engine.schedule(device, ns(1000));
    on_a_thread([&] { executor.run_until([&] { return !note.ran.empty(); }); });
    EXPECT_EQ(note.ran, (std::vector{ns(1000 + 30 + 20 + 400)}));
}

TEST_F(EnvironmentTest, AnInterruptThatPostsNothingDoesNotEndIdle) {
    engine.schedule(device, ns(1000));
    on_a_thread([&] {
        const base::CriticalSection guard(environment);
        environment.idle(base::Instant{5000});
        EXPECT_EQ(interrupts, 1u);
        EXPECT_EQ(machine.now(), ns(5400));
    });
}

// The interrupt comes while the executor looks at its mailbox, that is, while interrupts are masked: it is taken as
// soon as idle enables them, and idle ends.
TEST_F(EnvironmentTest, AnInterruptBetweenTheLastLookAndIdleIsNotLost) {
    Note note(machine);
    work = &note;
    on_a_thread([&] {
        {
            const base::CriticalSection guard(environment);
            engine.schedule(device, machine.now() + ns(10));
            machine.spend(ns(100));
            EXPECT_EQ(interrupts, 0u);
            environment.idle(base::Instant{1'000'000});
            EXPECT_EQ(interrupts, 1u);
            EXPECT_EQ(machine.now(), ns(100 + 30 + 20 + 400));
        }
        executor.drain();
    });
    EXPECT_EQ(note.ran.size(), 1u);
}

TEST_F(EnvironmentTest, IdleReturnsInsideTheCriticalSection) {
    on_a_thread([&] {
        {
            const base::CriticalSection guard(environment);
            environment.idle(base::Instant{100});
            pin.set(true);
            machine.spend(ns(100));
            EXPECT_EQ(interrupts, 0u);
        }
        EXPECT_EQ(interrupts, 1u);
    });
}

TEST_F(EnvironmentTest, CriticalSectionsNest) {
    on_a_thread([&] {
        const unsigned outer = environment.enter_critical();
        const unsigned inner = environment.enter_critical();
        pin.set(true);
        environment.leave_critical(inner);
        machine.spend(ns(1));
        EXPECT_EQ(interrupts, 0u);
        environment.leave_critical(outer);
        EXPECT_EQ(interrupts, 1u);
    });
}

TEST_F(EnvironmentTest, AThreadOfAnotherProcessorPostsWork) {
    Note note(machine);
    machine.start("client", 1, 0, [&] {
        machine.spend(ns(700));
        executor.post(note);
        EXPECT_EQ(machine.now(), ns(700)) << "the executor pays for its wake-up, not the client";
    });
    on_a_thread([&] { executor.run_until([&] { return !note.ran.empty(); }); });
    EXPECT_EQ(note.ran, (std::vector{ns(1100)}));
}

TEST_F(EnvironmentTest, WorkPostedBeforeTheThreadsRunIsDone) {
    Note note(machine);
    executor.post(note);
    on_a_thread([&] { executor.run_until([&] { return !note.ran.empty(); }); });
    EXPECT_EQ(note.ran, (std::vector{ns(0)}));
}

TEST_F(EnvironmentTest, DeadlinesOfAnExecutorAreMet) {
    struct Late : base::Deadline {
        explicit Late(Machine& its_machine) : Deadline(expire), machine(its_machine) {}
        static void expire(base::Deadline& deadline) noexcept {
            Late& self = static_cast<Late&>(deadline);
            self.expired = self.machine.now();
        }
        Machine& machine;
        Time expired;
    };
    Late late(machine);
    on_a_thread([&] {
        machine.spend(picoseconds(500));
        executor.arm(late, base::nanoseconds(2000));
        executor.run_until([&] { return late.expired != Time{}; });
    });
    EXPECT_EQ(late.expired, ns(2400));
}

} // namespace
} // namespace mmcpipe::sim
