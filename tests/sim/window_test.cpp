#include "mmcpipe/sim/window.h"

#include "tests/sim/allocations.h"
#include "tests/sim/machine_parts.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mmcpipe::sim {
namespace {

Costs with_registers() {
    Costs costs;
    costs.register_read = ns(50);
    costs.register_write = ns(20);
    costs.register_write_relaxed = ns(5);
    costs.fifo_word_read = ns(40);
    costs.fifo_word_write = ns(10);
    costs.posted_delay = ns(100);
    return costs;
}

/// One access as a device sees it.
struct Seen {
    char device;
    char access;
    std::uint32_t offset;
    std::uint32_t value;
    Time when;
    bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << seen.device << seen.access << ' ' << seen.offset << '=' << seen.value << " at " << seen.when.ps
               << " ps";
}

struct Recorder final : Device {
    Recorder(char its_name, Machine& its_machine, std::vector<Seen>& its_log)
        : name(its_name), machine(its_machine), log(its_log) {}
    std::uint32_t read(std::uint32_t offset) override {
        log.push_back({name, 'r', offset, ++answer, machine.now()});
        return answer;
    }
    void write(std::uint32_t offset, std::uint32_t value) override {
        log.push_back({name, 'w', offset, value, machine.now()});
    }
    char name;
    Machine& machine;
    std::vector<Seen>& log;
    std::uint32_t answer = 0;
};

/// A machine with two devices on its bus.
struct WindowTest : testing::Test {
    void on_a_thread(std::function<void()> body) {
        machine.start("driver", 0, 0, std::move(body));
        machine.run();
    }

    std::vector<Seen> log;
    Engine engine;
    Machine machine{engine, with_registers(), 2};
    Bus bus{machine};
    Recorder device_a{'a', machine, log}, device_b{'b', machine, log};
    Window a{bus, device_a}, b{bus, device_b};
};

TEST_F(WindowTest, AReadTakesPlaceAtTheEndOfItsCost) {
    on_a_thread([&] {
        EXPECT_EQ(a.read(4), 1u);
        EXPECT_EQ(machine.now(), ns(50));
    });
    EXPECT_EQ(log, (std::vector<Seen>{{'a', 'r', 4, 1, ns(50)}}));
}

TEST_F(WindowTest, AWriteArrivesLaterThanTheProcessorHasMadeIt) {
    on_a_thread([&] {
        a.write(4, 7);
        EXPECT_EQ(machine.now(), ns(20));
        EXPECT_TRUE(log.empty());
        machine.spend(ns(1000));
    });
    EXPECT_EQ(log, (std::vector<Seen>{{'a', 'w', 4, 7, ns(120)}}));
}

TEST_F(WindowTest, WritesThatFollowCloselyArriveTogetherWithTheLast) {
    on_a_thread([&] {
        a.write(4, 7);
        a.write_relaxed(8, 9);
        machine.spend(ns(95));
        EXPECT_TRUE(log.empty());
        machine.spend(ns(1000));
    });
    EXPECT_EQ(log, (std::vector<Seen>{{'a', 'w', 4, 7, ns(125)}, {'a', 'w', 8, 9, ns(125)}}));
}

TEST_F(WindowTest, AReadPushesTheWritesOfItsDeviceAheadOfIt) {
    on_a_thread([&] {
        a.write_relaxed(4, 7);
        b.write_relaxed(4, 8);
        a.read(0);
        machine.spend(ns(1000));
    });
    EXPECT_EQ(log, (std::vector<Seen>{{'a', 'w', 4, 7, ns(60)}, {'a', 'r', 0, 1, ns(60)}, {'b', 'w', 4, 8, ns(110)}}));
}

TEST_F(WindowTest, AnOrderedWriteDoesNotOvertakeThoseToOtherDevices) {
    on_a_thread([&] {
        a.write_relaxed(4, 7);
        b.write(4, 8);
        a.write_relaxed(8, 9);
        b.read(0);
        machine.spend(ns(1000));
    });
    EXPECT_EQ(
        log,
        (std::vector<Seen>{
            {'a', 'w', 4, 7, ns(80)}, {'b', 'w', 4, 8, ns(80)}, {'b', 'r', 0, 1, ns(80)}, {'a', 'w', 8, 9, ns(130)}}));
}

TEST_F(WindowTest, AReadPushesNoOrderedWritesOfOtherDevices) {
    on_a_thread([&] {
        b.write(4, 8);
        b.write(8, 9);
        a.write_relaxed(4, 7);
        a.read(0);
        machine.spend(ns(1000));
    });
    EXPECT_EQ(
        log,
        (std::vector<Seen>{
            {'a', 'w', 4, 7, ns(95)}, {'a', 'r', 0, 1, ns(95)}, {'b', 'w', 4, 8, ns(140)}, {'b', 'w', 8, 9, ns(140)}}));
}

TEST_F(WindowTest, ARelaxedWriteMayOvertakeThoseToOtherDevices) {
    on_a_thread([&] {
        a.write_relaxed(4, 7);
        b.write_relaxed(4, 8);
        b.read(0);
        machine.spend(ns(1000));
    });
    EXPECT_EQ(log, (std::vector<Seen>{{'b', 'w', 4, 8, ns(60)}, {'b', 'r', 0, 1, ns(60)}, {'a', 'w', 4, 7, ns(105)}}));
}

TEST_F(WindowTest, FifoWordsGoOneByOneBehindThePostedWrites) {
    on_a_thread([&] {
        a.write(4, 7);
        const std::array<std::uint32_t, 2> out{1, 2};
        a.write_fifo(0x80, out);
        EXPECT_EQ(engine.next(), forever) << "nothing is under way any more";
        a.write_relaxed(8, 9);
        std::array<std::uint32_t, 2> in{};
        a.read_fifo(0x80, in);
        EXPECT_EQ(in, (std::array<std::uint32_t, 2>{1, 2}));
        EXPECT_EQ(machine.now(), ns(20 + 2 * 10 + 5 + 2 * 40));
    });
    EXPECT_EQ(log, (std::vector<Seen>{{'a', 'w', 4, 7, ns(30)},
                                      {'a', 'w', 0x80, 1, ns(30)},
                                      {'a', 'w', 0x80, 2, ns(40)},
                                      {'a', 'w', 8, 9, ns(85)},
                                      {'a', 'r', 0x80, 1, ns(85)},
                                      {'a', 'r', 0x80, 2, ns(125)}}));
}

TEST_F(WindowTest, ManyWritesArriveInOrderNoneBeforeItsDelay) {
    on_a_thread([&] {
        for (std::size_t i = 0; i < 2 * Bus::depth; ++i) a.write_relaxed(static_cast<std::uint32_t>(i), 0);
        machine.spend(ns(1000));
    });
    ASSERT_EQ(log.size(), 2 * Bus::depth);
    for (std::size_t i = 0; i < log.size(); ++i) {
        EXPECT_EQ(log[i].offset, i);
        EXPECT_GE(log[i].when, ns(100 + 5 * static_cast<std::int64_t>(i + 1)));
    }
}

TEST(Window, AFullQueueStallsTheProcessorUntilTheOldestWriteHasArrived) {
    Engine engine;
    Machine machine(engine);
    Bus bus(machine);
    std::vector<Seen> log;
    Recorder device('a', machine, log);
    Window window(bus, device);
    machine.start("driver", 0, 0, [&] {
        for (std::uint32_t i = 0; i < Bus::depth; ++i) window.write(i, i);
        EXPECT_EQ(machine.now(), Time{});
        window.write(1000, 0);
        EXPECT_EQ(machine.now(), ns(100));
        machine.spend(ns(1000));
    });
    machine.run();
    ASSERT_EQ(log.size(), Bus::depth + 1);
    EXPECT_EQ(log.front().when, ns(100));
    EXPECT_EQ(log.back(), (Seen{'a', 'w', 1000, 0, ns(200)}));
}

TEST_F(WindowTest, EachProcessorPaysForItsOwnAccesses) {
    Time end_0, end_1;
    machine.start("0", 0, 0, [&] {
        for (int i = 0; i < 4; ++i) a.read(0);
        end_0 = machine.now();
    });
    machine.start("1", 1, 0, [&] {
        for (int i = 0; i < 4; ++i) b.write(0, 0);
        end_1 = machine.now();
    });
    machine.run();
    EXPECT_EQ(end_0, ns(200));
    EXPECT_EQ(end_1, ns(80));
}

TEST_F(WindowTest, WhatAModelThrowsInAnAccessIsCarriedToRunAndPassesNoFrameOfTheDriver) {
    struct Strict final : Device {
        std::uint32_t read(std::uint32_t) override { throw std::out_of_range("no such register"); }
        void write(std::uint32_t, std::uint32_t) override { throw std::domain_error("a reserved bit was written"); }
    } strict;
    const auto driver = [&]() noexcept {
        Window window(bus, strict);
        window.read(0);
    };
    EXPECT_THROW(on_a_thread(driver), std::out_of_range);
}

TEST_F(WindowTest, WhatAModelThrowsWhenAWriteArrivesIsCarriedToRun) {
    struct Strict final : Device {
        std::uint32_t read(std::uint32_t) override { return 0; }
        void write(std::uint32_t, std::uint32_t) override { throw std::domain_error("a reserved bit was written"); }
    } strict;
    const auto driver = [&]() noexcept {
        Window window(bus, strict);
        window.write(0, 0);
        machine.spend(ns(1000));
    };
    EXPECT_THROW(on_a_thread(driver), std::domain_error);
}

TEST_F(WindowTest, AnAccessOutsideOfThreadsIsRefused) { EXPECT_THROW(a.read(0), std::runtime_error); }

/// A device with a status register that is cleared by writing ones, and an interrupt for it.
struct Status final : Device {
    explicit Status(InterruptLine& line) : pin(line) {}
    std::uint32_t read(std::uint32_t) override { return status; }
    void write(std::uint32_t, std::uint32_t value) override {
        status &= ~value;
        pin.set(status != 0);
    }
    void raise() {
        status |= 1;
        pin.set(true);
    }
    std::uint32_t status = 0;
    InterruptPin pin;
};

struct StatusHandler final : port::InterruptHandler {
    StatusHandler(Window& its_window, bool reads_back) : window(its_window), read_back(reads_back) {}
    bool interrupt() noexcept override {
        const std::uint32_t status = window.read(0);
        if (status == 0) return false;
        ++handled;
        window.write(0, status);
        if (read_back) window.read(0);
        return true;
    }
    Window& window;
    bool read_back;
    unsigned handled = 0;
};

struct Outcome {
    std::uint64_t taken;
    std::uint64_t spurious;
    unsigned handled;
    bool operator==(const Outcome&) const = default;
};

/// One interrupt of such a device.
Outcome acknowledge(bool read_back) {
    Engine engine;
    Costs costs = with_registers();
    costs.interrupt_entry = ns(60);
    costs.interrupt_exit = ns(10);
    Machine machine(engine, costs);
    Bus bus(machine);
    InterruptLine line(machine);
    Status device(line);
    Window window(bus, device);
    StatusHandler handler(window, read_back);
    line.attach(handler);
    MemberEvent<&Status::raise> raise(device);
    engine.schedule(raise, ns(500));
    machine.start("driver", 0, 0, [&] { machine.spend(ns(1000)); });
    machine.run();
    return {line.taken(), line.spurious(), handler.handled};
}

TEST(Window, AnAcknowledgeThatIsReadBackEndsTheInterrupt) {
    EXPECT_EQ(acknowledge(true), (Outcome{.taken = 1, .spurious = 0, .handled = 1}));
}

TEST(Window, AnAcknowledgeThatIsNotReadBackGivesOneMoreInterrupt) {
    EXPECT_EQ(acknowledge(false), (Outcome{.taken = 2, .spurious = 1, .handled = 1}));
}

TEST_F(WindowTest, AByteOfAFifoCostsWhatAWordDoesAndGoesOneByOne) {
    std::array<std::byte, 2> bytes{};
    on_a_thread([&] {
        a.read_fifo_bytes(0x40, bytes);
        a.write_fifo_bytes(0x44, std::array{std::byte{0xfe}});
    });
    EXPECT_EQ(log, (std::vector<Seen>{
                       {'a', 'r', 0x40, 1, ns(40)}, {'a', 'r', 0x40, 2, ns(80)}, {'a', 'w', 0x44, 0xfe, ns(90)}}));
    EXPECT_EQ(bytes, (std::array{std::byte{1}, std::byte{2}}));
}

TEST_F(WindowTest, AccessesAllocateNothing) {
    log.reserve(100'000);
    std::size_t before = 0;
    std::size_t after = 0;
    on_a_thread([&] {
        std::array<std::uint32_t, 8> words{};
        for (int i = 0; i < 200; ++i) {
            if (i == 10) before = allocations();
            for (std::uint32_t j = 0; j < 40; ++j) {
                a.write(j, j);
                b.write_relaxed(j, j);
            }
            b.read(0);
            a.read_fifo(0, words);
            a.write_fifo(0, words);
        }
        after = allocations();
    });
    EXPECT_EQ(after - before, 0u);
}

} // namespace
} // namespace mmcpipe::sim
