#include "mmcpipe/sim/interrupts.h"

#include "tests/sim/machine_parts.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace mmcpipe::sim {
namespace {

TEST(InterruptLine, AnInterruptDuringSpendRunsOnTopAndDelaysTheSpender) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] {
        machine.spend(picoseconds(5'500));
        pin.set(false);
    };
    Time ended;
    machine.start("a", 0, 0, [&] {
        line.attach(handler);
        machine.spend(ns(100));
        ended = machine.now();
        line.detach(handler);
    });
    At up(engine, ns(40), [&] { pin.set(true); });
    machine.run();
    EXPECT_EQ(handler.began, (Times{ns(70)}));
    EXPECT_EQ(ended, ns(100) + ns(30) + picoseconds(5'500) + ns(20));
    EXPECT_EQ(line.taken(), 1u);
    EXPECT_EQ(line.spurious(), 0u);
}

TEST(InterruptLine, AnInterruptOfAnIdleProcessorWakesItsThread) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    InterruptLine line(machine);
    InterruptPin pin(line);
    Signal signal(machine);
    Handler handler(machine);
    handler.action = [&] {
        pin.set(false);
        signal.set();
        machine.spend(ns(3));
    };
    Time woke;
    machine.start("a", 0, 0, [&] {
        line.attach(handler);
        EXPECT_TRUE(signal.wait());
        woke = machine.now();
    });
    At up(engine, ns(1000), [&] { pin.set(true); });
    machine.run();
    EXPECT_EQ(handler.began, (Times{ns(1030)}));
    EXPECT_EQ(woke, ns(1000 + 30 + 3 + 20 + 7)) << "entry, handler, exit, then the wake-up";
}

TEST(InterruptLine, AnInterruptRunsOnItsOwnProcessorBesideTheThreadsOfOthers) {
    Engine engine;
    Machine machine(engine, with_interrupts(), 2);
    InterruptLine line(machine, 1);
    InterruptPin pin(line);
    Handler handler(machine);
    unsigned handled_on = 99;
    handler.action = [&] {
        handled_on = machine.here();
        machine.spend(ns(500));
        pin.set(false);
    };
    line.attach(handler);
    Times steps;
    machine.start("a", 0, 0, [&] {
        for (int i = 0; i < 4; ++i) {
            machine.spend(ns(100));
            steps.push_back(machine.now());
        }
    });
    At up(engine, ns(50), [&] { pin.set(true); });
    machine.run();
    EXPECT_EQ(handled_on, 1u);
    EXPECT_EQ(steps, (Times{ns(100), ns(200), ns(300), ns(400)})) << "a handler elsewhere holds nobody up";
    EXPECT_EQ(machine.now(), ns(50 + 30 + 500 + 20)) << "run() waits for the handler";
}

TEST(InterruptLine, AMaskedInterruptIsTakenWhenItIsUnmasked) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] { pin.set(false); };
    line.attach(handler);
    Time masked_end, after_restore;
    machine.start("a", 0, 0, [&] {
        const bool outer = machine.mask();
        const bool inner = machine.mask();
        machine.spend(ns(100));
        masked_end = machine.now();
        machine.restore(inner);
        EXPECT_TRUE(handler.began.empty()) << "still masked by the outer one";
        machine.restore(outer);
        after_restore = machine.now();
    });
    At up(engine, ns(40), [&] { pin.set(true); });
    machine.run();
    EXPECT_EQ(masked_end, ns(100));
    EXPECT_EQ(handler.began, (Times{ns(130)}));
    EXPECT_EQ(after_restore, ns(150));
}

TEST(InterruptLine, ALineThatStaysUpInterruptsAgain) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] {
        if (handler.began.size() == 3) pin.set(false);
    };
    line.attach(handler);
    Time ended;
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(10));
        ended = machine.now();
    });
    At up(engine, ns(5), [&] { pin.set(true); });
    machine.run();
    EXPECT_EQ(handler.began, (Times{ns(35), ns(85), ns(135)}));
    EXPECT_EQ(ended, ns(10 + 3 * 50)) << "the thread gets nothing done in between";
}

TEST(InterruptLine, ALineIsUpWhileOneOfItsPinsIs) {
    Engine engine;
    Machine machine(engine, with_interrupts());
    InterruptLine line(machine);
    InterruptPin pin_a(line), pin_b(line);
    Handler a(machine), b(machine);
    a.action = [&] {
        a.claims = pin_a.level();
        pin_a.set(false);
    };
    b.action = [&] {
        b.claims = pin_b.level();
        if (b.began.size() == 2) pin_b.set(false);
    };
    line.attach(b);
    line.attach(a);
    machine.start("a", 0, 0, [&] { machine.spend(ns(1000)); });
    At up(engine, ns(5), [&] {
        pin_a.set(true);
        pin_b.set(true);
        pin_b.set(true);
    });
    machine.run();
    EXPECT_EQ(a.began.size(), 2u) << "all handlers are asked each time";
    EXPECT_EQ(b.began.size(), 2u);
    EXPECT_EQ(line.taken(), 2u);
    EXPECT_EQ(line.spurious(), 0u) << "one that claims is enough";
    EXPECT_FALSE(line.up());
}

TEST(InterruptLine, AnInterruptThatNobodyClaimsIsSpurious) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.claims = false;
    handler.action = [&] { pin.set(false); };
    line.attach(handler);
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    At up(engine, ns(5), [&] { pin.set(true); });
    machine.run();
    EXPECT_EQ(line.taken(), 1u);
    EXPECT_EQ(line.spurious(), 1u);
}

TEST(InterruptLine, LinesThatStayUpTakeTurns) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line_a(machine), line_b(machine);
    InterruptPin pin_a(line_a), pin_b(line_b);
    Handler a(machine), b(machine);
    std::string order;
    a.action = [&] {
        order += 'a';
        if (a.began.size() == 3) pin_a.set(false);
    };
    b.action = [&] {
        order += 'b';
        if (b.began.size() == 2) pin_b.set(false);
    };
    line_a.attach(a);
    line_b.attach(b);
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    At up(engine, ns(5), [&] {
        pin_a.set(true);
        pin_b.set(true);
    });
    machine.run();
    EXPECT_EQ(order, "ababa");
}

TEST(InterruptLine, ALineWithoutHandlersWaitsForOne) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] { pin.set(false); };
    pin.set(true);
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(10));
        line.attach(handler);
        machine.spend(ns(10));
        line.detach(handler);
        pin.set(true);
        machine.spend(ns(10));
    });
    machine.run();
    EXPECT_EQ(handler.began, (Times{ns(10)}));
}

TEST(InterruptLine, DetachWaitsForAHandlerThatRunsOnAnotherProcessor) {
    Engine engine;
    Machine machine(engine, with_interrupts(), 2);
    InterruptLine line(machine, 1);
    InterruptPin pin(line);
    Handler handler(machine);
    Time handler_end, detached;
    handler.action = [&] {
        machine.spend(ns(1000));
        pin.set(false);
        handler_end = machine.now();
    };
    line.attach(handler);
    machine.start("a", 0, 0, [&] {
        machine.spend(ns(100));
        line.detach(handler);
        detached = machine.now();
    });
    At up(engine, ns(10), [&] { pin.set(true); });
    machine.run();
    EXPECT_EQ(handler_end, ns(1040));
    EXPECT_EQ(detached, ns(1047));
}

TEST(InterruptLine, AHandlerMayDetachItself) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] { line.detach(handler); };
    line.attach(handler);
    pin.set(true);
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    machine.run();
    EXPECT_EQ(line.taken(), 1u);
}

TEST(InterruptLine, AStuckLineIsReportedAsAStorm) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    line.attach(handler);
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    pin.set(true);
    try {
        machine.run();
        FAIL() << "no storm";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("interrupt storm"), std::string::npos) << error.what();
    }
    EXPECT_EQ(handler.began.size(), InterruptLine::storm);
}

TEST(InterruptLine, APinThatMovesHidesNoStormOfAnother) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line(machine);
    InterruptPin moves(line), stuck(line);
    Handler handler(machine);
    handler.action = [&] {
        moves.set(false);
        moves.set(handler.began.size() < 2 * InterruptLine::storm);
    };
    line.attach(handler);
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    stuck.set(true);
    EXPECT_THROW(machine.run(), std::runtime_error);
    EXPECT_EQ(handler.began.size(), InterruptLine::storm);
}

TEST(InterruptLine, ManyInterruptsAreNoStormIfTheLineGoesDownInBetween) {
    Engine engine;
    Machine machine(engine);
    InterruptLine line(machine);
    InterruptPin pin(line);
    Handler handler(machine);
    handler.action = [&] {
        pin.set(false);
        if (handler.began.size() <= InterruptLine::storm) pin.set(true);
    };
    line.attach(handler);
    machine.start("a", 0, 0, [&] { machine.spend(ns(10)); });
    pin.set(true);
    EXPECT_NO_THROW(machine.run());
    EXPECT_EQ(line.taken(), InterruptLine::storm + 1);
}

} // namespace
} // namespace mmcpipe::sim
