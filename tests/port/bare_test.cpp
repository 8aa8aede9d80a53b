// The parts of the bare-metal port that are plain C++. What needs a real core is proved by the images under QEMU.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/port/bare/board.h"
#include "mmcpipe/port/bare/clock.h"
#include "mmcpipe/port/bare/environment.h"
#include "mmcpipe/port/bare/interrupt_controller.h"
#include "mmcpipe/port/bare/memory.h"
#include "mmcpipe/port/bare/mmio.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace mmcpipe::port::bare {
namespace {

/// A core in a test: an interrupt is a function that runs when it is pending and not masked.
struct TestCore {
    static inline bool masked = false;
    static inline std::function<void()> pending;
    static inline std::vector<std::string> log;

    static void reset() {
        masked = false;
        pending = nullptr;
        log.clear();
    }
    static void take() {
        if (masked || !pending) return;
        const std::function<void()> handler = std::exchange(pending, nullptr);
        masked = true;
        handler();
        masked = false;
    }

    static unsigned mask_interrupts() noexcept { return std::exchange(masked, true); }
    static void restore_interrupts(unsigned state) noexcept {
        masked = state != 0;
        take();
    }
    static void unmask_interrupts() noexcept { restore_interrupts(0); }
    static void wait_for_interrupt() noexcept {
        log.push_back(!masked ? "sleep, unmasked" : pending ? "no sleep" : "sleep");
    }
    static void barrier() noexcept { log.push_back("barrier"); }
};
static_assert(Cpu<TestCore>);

class TestClock final : public Clock {
public:
    base::Instant now() override { return time; }
    void set_alarm(base::Instant when) override { alarms.push_back(when); }

    base::Instant time;
    std::vector<base::Instant> alarms;
};

class BareEnvironment : public testing::Test {
protected:
    void SetUp() override { TestCore::reset(); }

    TestClock clock;
    Environment<TestCore> environment{clock};
    std::vector<std::string>& log = TestCore::log;
};

TEST_F(BareEnvironment, IdleSleepsMaskedWithTheAlarmSetAndTakesTheAlarmBack) {
    environment.enter_critical();
    environment.idle(base::Instant{5000});
    EXPECT_EQ(log, std::vector<std::string>{"sleep"});
    EXPECT_EQ(clock.alarms, (std::vector{base::Instant{5000}, base::never}));
    EXPECT_TRUE(TestCore::masked);
}

TEST_F(BareEnvironment, AnInterruptThatCameWhileMaskedEndsTheSleepAndHasRunAfterIdle) {
    environment.enter_critical();
    bool ran = false;
    TestCore::pending = [&] { ran = true; };
    environment.idle(base::never);
    EXPECT_EQ(log, std::vector<std::string>{"no sleep"});
    EXPECT_TRUE(ran);
    EXPECT_TRUE(TestCore::masked);
}

TEST_F(BareEnvironment, ANotifyBeforeIdleKeepsItFromSleepingOnce) {
    environment.enter_critical();
    environment.notify();
    environment.idle(base::never);
    EXPECT_TRUE(log.empty());
    environment.idle(base::never);
    EXPECT_EQ(log.size(), 1u);
}

TEST_F(BareEnvironment, ANotifyFromTheInterruptThatEndedIdleDoesNotEndTheNextOne) {
    environment.enter_critical();
    TestCore::pending = [&] { environment.notify(); };
    environment.idle(base::never);
    environment.idle(base::never);
    EXPECT_EQ(log, (std::vector<std::string>{"no sleep", "sleep"}));
}

TEST_F(BareEnvironment, CriticalSectionsNest) {
    {
        const base::CriticalSection outer(environment);
        { const base::CriticalSection inner(environment); }
        EXPECT_TRUE(TestCore::masked);
    }
    EXPECT_FALSE(TestCore::masked);
}

TEST_F(BareEnvironment, WorkPostedByAnInterruptRunsInTheMainLoop) {
    struct Finish : base::Work {
        Finish() : Work([](base::Work& work) noexcept { static_cast<Finish&>(work).done = !TestCore::masked; }) {}
        bool done = false;
    } finish;
    base::Executor executor(environment);
    TestCore::masked = true; // pending before the executor looks, taken while it idles
    TestCore::pending = [&] { executor.post(finish); };
    executor.wait();
    TestCore::masked = false;
    executor.run_until([&] { return finish.done; });
    EXPECT_TRUE(finish.done);
}

TEST(BareCounter, CountsOnWhenTheReadingsTurnAround) {
    Counter up(0xffffff00);
    EXPECT_EQ(up.up(0xffffff10), 0x10u);
    EXPECT_EQ(up.up(0x20), 0x120u);
    EXPECT_EQ(up.up(0x20), 0x120u);

    Counter down(0x100);
    EXPECT_EQ(down.down(0xf0), 0x10u);
    EXPECT_EQ(down.down(0xfffffff0), 0x110u);
}

TEST(BareCounter, CountsBeyond32Bits) {
    Counter counter;
    std::uint64_t ticks = 0;
    for (std::uint32_t turn = 0; turn < 6; ++turn) ticks = counter.up((turn + 1) * 0xc0000000u);
    EXPECT_EQ(ticks, 6ull * 0xc0000000u);
}

TEST(BareMmio, ReadsAndWritesTheRegisterAtItsOffset) {
    std::array<std::uint32_t, 4> registers{};
    Mmio io(reinterpret_cast<std::uintptr_t>(registers.data()));
    io.write(4, 0x11111111);
    io.write_relaxed(8, 0x22222222);
    EXPECT_EQ(registers, (std::array<std::uint32_t, 4>{0, 0x11111111, 0x22222222, 0}));
    EXPECT_EQ(io.read(8), 0x22222222u);
}

TEST(BareMmio, AFifoIsOneRegisterForAllWords) {
    std::array<std::uint32_t, 4> registers{7, 8, 9, 10};
    Mmio io(reinterpret_cast<std::uintptr_t>(registers.data()));
    std::array<std::uint32_t, 3> words{};
    io.read_fifo(4, words);
    EXPECT_EQ(words, (std::array<std::uint32_t, 3>{8, 8, 8}));
    io.write_fifo(8, std::array<std::uint32_t, 3>{1, 2, 3});
    EXPECT_EQ(registers, (std::array<std::uint32_t, 4>{7, 8, 3, 10}));
}

TEST(BareMmio, AByteWideFifoIsAccessedByteByByte) {
    std::array<std::uint32_t, 4> registers{7, 0x44332211, 9, 10};
    Mmio io(reinterpret_cast<std::uintptr_t>(registers.data()));
    std::array<std::byte, 2> bytes{};
    io.read_fifo_bytes(4, bytes);
    EXPECT_EQ(bytes, (std::array{std::byte{0x11}, std::byte{0x11}}));
    io.write_fifo_bytes(4, std::array{std::byte{0x55}, std::byte{0x66}});
    EXPECT_EQ(registers, (std::array<std::uint32_t, 4>{7, 0x44332266, 9, 10}));
}

/// The registers of a controller whose inputs are the test's.
class TestController final : public port::Io {
public:
    static constexpr InterruptController::Registers registers{.pending = 0x0, .enable = 0x10, .disable = 0x14};

    std::uint32_t read(std::uint32_t offset) override {
        EXPECT_EQ(offset, registers.pending);
        return inputs & enabled;
    }
    void write(std::uint32_t offset, std::uint32_t value) override {
        if (offset == registers.enable) enabled |= value;
        if (offset == registers.disable) enabled &= ~value;
    }
    void write_relaxed(std::uint32_t, std::uint32_t) override { FAIL(); }
    void read_fifo(std::uint32_t, std::span<std::uint32_t>) override { FAIL(); }
    void write_fifo(std::uint32_t, std::span<const std::uint32_t>) override { FAIL(); }
    void read_fifo_bytes(std::uint32_t, std::span<std::byte>) override { FAIL(); }
    void write_fifo_bytes(std::uint32_t, std::span<const std::byte>) override { FAIL(); }

    std::uint32_t inputs = 0;
    std::uint32_t enabled = 0;
};

struct CountingHandler final : port::InterruptHandler {
    explicit CountingHandler(bool mine) : claims(mine) {}
    bool interrupt() noexcept override {
        ++calls;
        return claims;
    }
    bool claims;
    int calls = 0;
};

class BareInterrupts : public testing::Test {
protected:
    TestController io;
    InterruptController controller{io, TestController::registers};
    InterruptLine line{controller, 22};
};

TEST_F(BareInterrupts, AnInputIsEnabledWhileItHasHandlers) {
    CountingHandler first(true), second(true);
    EXPECT_EQ(io.enabled, 0u);
    line.attach(first);
    line.attach(second);
    EXPECT_EQ(io.enabled, 1u << 22);
    line.detach(first);
    EXPECT_EQ(io.enabled, 1u << 22);
    line.detach(second);
    EXPECT_EQ(io.enabled, 0u);
}

TEST_F(BareInterrupts, AllHandlersOfASharedLineAreCalled) {
    CountingHandler first(true), second(true);
    line.attach(first);
    line.attach(second);
    io.inputs = 1u << 22;
    EXPECT_TRUE(controller.interrupt());
    EXPECT_EQ(first.calls, 1);
    EXPECT_EQ(second.calls, 1);
}

TEST_F(BareInterrupts, ADetachedHandlerIsNotCalledAndTheOthersStillAre) {
    CountingHandler first(true), second(true);
    line.attach(first);
    line.attach(second);
    line.detach(first);
    io.inputs = 1u << 22;
    controller.interrupt();
    EXPECT_EQ(first.calls, 0);
    EXPECT_EQ(second.calls, 1);
}

TEST_F(BareInterrupts, EveryPendingInputIsServedInOneGo) {
    InterruptLine lowest(controller, 0), highest(controller, 31);
    CountingHandler low(true), middle(true), high(true);
    lowest.attach(low);
    line.attach(middle);
    highest.attach(high);
    io.inputs = 1u << 31 | 1u;
    EXPECT_TRUE(controller.interrupt());
    EXPECT_EQ(low.calls, 1);
    EXPECT_EQ(middle.calls, 0);
    EXPECT_EQ(high.calls, 1);
    io.inputs = 0;
    EXPECT_FALSE(controller.interrupt());
}

TEST_F(BareInterrupts, ACascadedControllerIsAHandlerOfAnother) {
    TestController outer_io;
    InterruptController outer(outer_io, TestController::registers);
    InterruptLine cascade(outer, 31);
    cascade.attach(controller);
    CountingHandler handler(true);
    line.attach(handler);
    io.inputs = 1u << 22;
    outer_io.inputs = 1u << 31;
    EXPECT_TRUE(outer.interrupt());
    EXPECT_EQ(handler.calls, 1);
}

TEST_F(BareInterrupts, ALineThatNobodyClaimsIsSwitchedOffInTheEnd) {
    CountingHandler handler(false);
    line.attach(handler);
    io.inputs = 1u << 22;
    for (unsigned i = 1; i < InterruptLine::max_unclaimed; ++i) controller.interrupt();
    EXPECT_EQ(io.enabled, 1u << 22);
    controller.interrupt();
    EXPECT_EQ(io.enabled, 0u);
}

TEST_F(BareInterrupts, AClaimForgivesTheUnclaimedCallsBeforeIt) {
    CountingHandler handler(false);
    line.attach(handler);
    io.inputs = 1u << 22;
    for (unsigned i = 1; i < InterruptLine::max_unclaimed; ++i) controller.interrupt();
    handler.claims = true;
    controller.interrupt();
    handler.claims = false;
    controller.interrupt();
    EXPECT_EQ(io.enabled, 1u << 22);
}

TEST(BareMemory, GivesAlignedPiecesUntilNoneIsLeft) {
    alignas(128) std::array<std::byte, 256> pool{};
    CoherentMemory<TestCore> memory(pool);
    EXPECT_EQ(memory.allocate_coherent(10, 4).data(), pool.data());
    EXPECT_EQ(memory.allocate_coherent(64, 64).data(), pool.data() + 64);
    EXPECT_EQ(memory.allocate_coherent(129, 1).data(), nullptr);
    EXPECT_EQ(memory.allocate_coherent(128, 128).data(), pool.data() + 128);
    EXPECT_TRUE(memory.allocate_coherent(1, 1).empty());
    EXPECT_TRUE(memory.allocate_coherent(1, 4096).empty());
}

TEST(BareMemory, PublishIsABarrier) {
    TestCore::reset();
    CoherentMemory<TestCore> memory({});
    memory.publish({});
    EXPECT_EQ(TestCore::log, std::vector<std::string>{"barrier"});
}

TEST(BareBoard, HasOneVoltageAndNoReset) {
    FixedBoard board({.base_clock = base::megahertz(24)});
    EXPECT_TRUE(board.set_supply(port::Supply::v3_3).has_value());
    EXPECT_EQ(board.set_supply(port::Supply::v1_8).error().code, base::Code::not_possible);
    EXPECT_TRUE(board.set_signal(port::Signal::v3_3).has_value());
    EXPECT_EQ(board.set_signal(port::Signal::v1_8).error().code, base::Code::not_possible);
    EXPECT_EQ(board.hold_reset(true).error().code, base::Code::not_possible);
    EXPECT_TRUE(board.card_present());
    EXPECT_FALSE(board.write_protected());
}

TEST(BareBoard, AcceptsOffThoughItCannotSwitchAndSaysSo) {
    FixedBoard board({.base_clock = base::megahertz(24)});
    EXPECT_TRUE(board.set_supply(port::Supply::off).has_value());
    EXPECT_FALSE(board.has(port::Supply::off));
    EXPECT_TRUE(board.has(port::Supply::v3_3));
}

TEST(BareBoard, AsksTheSlotsSwitches) {
    FixedBoard board({.base_clock = base::megahertz(24),
                      .card_present = [] { return false; },
                      .write_protected = [] { return true; }});
    EXPECT_FALSE(board.card_present());
    EXPECT_TRUE(board.write_protected());
}

} // namespace
} // namespace mmcpipe::port::bare
