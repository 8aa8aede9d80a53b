#include "mmcpipe/sim/wire/bus.h"

#include "mmcpipe/sim/wire/timing.h"
#include "tests/sim/allocations.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace mmcpipe::sim {
namespace {

using End = ScriptedController::End;
using Outcome = ScriptedController::Outcome;
using wire::Expect;

// --- CMD ---

TEST(Bus, AShortResponseEnds48CyclesAfterItsDelay) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    const auto reply = on.controller.send(spec::send_status({emmc_rca}));
    EXPECT_EQ(reply.outcome, Outcome::response);
    EXPECT_EQ(reply.index, 13);
    EXPECT_EQ(reply.at, start + response_end);
    EXPECT_EQ(reply.r1(), 0x900u);
}

TEST(Bus, ALongResponseTakes136Cycles) {
    EmmcOnBus on;
    on.controller.send(spec::deselect_card());
    on.engine.run_until(on.engine.now() + microseconds(100));
    const Time start = on.engine.now();
    const auto reply = on.controller.send(spec::send_cid({emmc_rca}));
    EXPECT_EQ(reply.at, start + cycles(48 + 8 + 136));
    EXPECT_EQ(reply.index, 63);
    EXPECT_EQ(reply.words[0], 0x1501004du);
}

TEST(Bus, NoResponseIsKnown64CyclesAfterTheCommand) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    const auto reply = on.controller.send(3, 0);
    EXPECT_EQ(reply.outcome, Outcome::no_response);
    EXPECT_EQ(reply.at, start + cycles(48 + 64));
}

TEST(Bus, ACommandWithoutResponseEndsWithItsEndBit) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    const auto reply = on.controller.send(spec::go_idle_state());
    EXPECT_EQ(reply.outcome, Outcome::sent);
    EXPECT_EQ(reply.at, start + cycles(48));
}

TEST(Bus, CommandsKeepTheirDistance) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.status();
    EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).at,
              start + response_end + cycles(wire::n_rc) + response_end);
    const Time then = on.engine.now();
    on.controller.send(3, 0);
    const Time silent = on.engine.now();
    EXPECT_EQ(silent, then + cycles(wire::n_rc + 48 + 64));
    on.status();
    EXPECT_EQ(on.engine.now(), silent + cycles(wire::n_cc) + response_end);
}

TEST(Bus, R3HasNoCrcToBeRight) {
    EmmcOnBus on;
    on.bus.set_period(identification_period);
    on.controller.send(spec::go_idle_state());
    const auto reply = on.controller.send(spec::mmc::send_op_cond(0));
    EXPECT_EQ(reply.outcome, Outcome::bad_crc);
    EXPECT_EQ(reply.index, 63);
    EXPECT_EQ(reply.r1(), 0x00ff8080u);
}

TEST(Bus, AResponseOfTheWrongLengthIsDamaged) {
    EmmcOnBus on;
    EXPECT_EQ(on.controller.send(13, emmc_rca << 16, Expect::long_response).outcome, Outcome::bad_crc);
}

TEST(Bus, WithoutACardNothingAnswers) {
    Engine engine;
    wire::Bus bus(engine, nullptr, nullptr);
    ScriptedController controller(engine, bus);
    bus.set_period(fast_period);
    EXPECT_EQ(controller.send(13, 0).outcome, Outcome::no_response);
    EXPECT_FALSE(bus.busy());
}

TEST(Bus, ACancelledCommandStillReachesTheCard) {
    EmmcOnBus on;
    on.controller.start(7, 0, Expect::nothing);
    on.bus.cancel_command();
    on.engine.run_until(on.engine.now() + microseconds(10));
    EXPECT_FALSE(on.controller.answered);
    EXPECT_EQ(on.emmc.state(on.engine.now()), spec::State::stby);
}

TEST(Bus, AnAnswerThatNobodyReadsKeepsTheLine) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.send(13, emmc_rca << 16, Expect::nothing);
    on.status();
    EXPECT_EQ(on.engine.now(), start + response_end + cycles(wire::n_rc) + response_end);
}

// --- the clock ---

TEST(Bus, ACommandSentWithTheClockStoppedNeverEnds) {
    EmmcOnBus on;
    on.bus.set_period(Time{});
    on.controller.start(13, emmc_rca << 16);
    on.engine.run_until(on.engine.now() + milliseconds(1000));
    EXPECT_FALSE(on.controller.answered);
    const Time start = on.engine.now();
    on.bus.set_period(fast_period);
    while (!on.controller.answered && on.engine.step()) {}
    EXPECT_EQ(on.engine.now(), start + response_end) << "it begins when the clock does";
}

TEST(Bus, ACommandGoesOnWhereTheClockStopped) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.start(13, emmc_rca << 16);
    on.engine.run_until(start + cycles(60));
    on.bus.set_period(Time{});
    on.engine.run_until(start + cycles(1000));
    on.bus.set_period(fast_period * 2);
    while (!on.controller.answered && on.engine.step()) {}
    EXPECT_EQ(on.engine.now(), start + cycles(1000) + cycles(2 * (104 - 60)));
}

TEST(Bus, AClockTooFastForTheCardDamagesResponsesAndData) {
    EmmcOnBus on;
    on.bus.set_period(nanoseconds(20));
    EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::bad_crc);
    on.controller.receive(1);
    on.controller.send(spec::read_single_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    on.controller.send(spec::mmc::switch_mode({.index = 185, .value = 1}));
    on.controller.wait_while_busy();
    EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::response)
        << "high speed reaches 52 MHz";
}

// --- DAT0 ---

TEST(Bus, ReleaseOfDat0IsTold) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.send(spec::mmc::switch_mode({.index = 183, .value = 2}));
    EXPECT_TRUE(on.bus.busy());
    on.controller.wait_while_busy();
    EXPECT_EQ(on.engine.now(), start + command_end + microseconds(500));
    EXPECT_FALSE(on.bus.busy());
    on.controller.wait_while_busy();
    EXPECT_EQ(on.engine.now(), start + command_end + microseconds(500)) << "at once";
}

TEST(Bus, ABusyCardNeedsTheClockToReleaseDat0) {
    EmmcOnBus on;
    on.controller.send(spec::mmc::switch_mode({.index = 183, .value = 2}));
    on.bus.set_period(Time{});
    on.engine.run_until(on.engine.now() + milliseconds(100));
    EXPECT_TRUE(on.bus.busy());
    on.bus.set_period(fast_period);
    EXPECT_FALSE(on.bus.busy());
}

TEST(Bus, AStoppedClockDoesNotMakeACardBusy) {
    EmmcOnBus on;
    on.set_bus(4);
    on.bus.set_period(Time{});
    EXPECT_FALSE(on.bus.busy());
}

TEST(Bus, ACardThatIsResetReleasesDat0Early) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.switch_time = milliseconds(300);
    EmmcOnBus on(profile);
    on.controller.send(spec::mmc::switch_mode({.index = 183, .value = 2}));
    MemberEvent<&wire::Bus::forget_release> event(on.bus); // any event
    on.bus.when_released(event);
    on.controller.send(spec::go_idle_state());
    EXPECT_TRUE(event.scheduled());
    EXPECT_EQ(event.when(), on.engine.now());
}

// --- cards that come and go ---

TEST(Bus, ACardPulledOutWithinABlockLeavesItDamaged) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + cycles(2 + 4116 + 7));
    on.bus.insert(nullptr);
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 1u);
    EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::no_response);
    on.bus.insert(&on.emmc);
    EXPECT_EQ(on.emmc.state(on.engine.now()), spec::State::idle);
    on.bring_up();
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(Bus, ASupplySwitchedOffWithinAReadEndsIt) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + cycles(2 + 2 * 4116 + 7));
    on.bus.power(false);
    EXPECT_EQ(on.controller.blocks_done, 2u);
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
}

TEST(Bus, ACardPulledOutOfAWriteConfirmsNothing) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(1);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 4096));
    on.engine.run_until(on.engine.now() + microseconds(100));
    on.bus.insert(nullptr);
    EXPECT_EQ(on.controller.finish_data(), End::timeout);
    EXPECT_FALSE(on.bus.busy());
}

TEST(Bus, AResponseBreaksOffWhenTheCardIsPulledOut) {
    EmmcOnBus on;
    on.controller.start(13, emmc_rca << 16);
    on.engine.run_until(on.engine.now() + cycles(70));
    on.bus.insert(nullptr);
    while (!on.controller.answered && on.engine.step()) {}
    EXPECT_EQ(on.controller.reply.outcome, Outcome::bad_crc);
}

// --- traces, cost ---

struct TextTrace final : Trace {
    void span(const Span& span) override {
        text += std::to_string(static_cast<int>(span.lane)) + ' ' + span.name + ' ' + std::to_string(span.from.ps) +
                ' ' + std::to_string(span.to.ps) + ' ' + std::to_string(span.argument) + '\n';
    }
    std::string text;
};

std::string traced_run() {
    TextTrace trace;
    card::EmmcProfile profile = emmc_profile();
    profile.timing.read_access = microseconds(120);
    profile.timing.partial_program = microseconds(700);
    EmmcOnBus on(profile, nullptr, &trace);
    on.controller.receive(16);
    on.controller.send(spec::read_multiple_block({0}));
    on.controller.finish_data();
    on.controller.send(spec::stop_transmission(spec::Transfer::read));
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 512));
    on.controller.finish_data();
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    on.controller.wait_while_busy();
    return trace.text;
}

TEST(Bus, EqualRunsGiveEqualTraces) {
    const std::string first = traced_run();
    EXPECT_EQ(first, traced_run());
}

TEST(Bus, TracesTellCommandsDataAccessAndBusy) {
    TextTrace trace;
    card::EmmcProfile profile = emmc_profile();
    profile.timing.read_access = microseconds(120);
    EmmcOnBus on(profile, nullptr, &trace);
    trace.text.clear();
    const auto ps = [&](Time t) { return std::to_string(t.ps); };
    const Time start = on.engine.now();
    on.controller.receive(16);
    on.controller.send(spec::set_block_count(16));
    const Time command = on.engine.now() + cycles(8);
    on.controller.send(spec::read_multiple_block({40}));
    on.controller.finish_data();
    const Time first = command + command_end + microseconds(120);
    EXPECT_EQ(trace.text, "1 CMD23 " + ps(start) + ' ' + ps(start + response_end) + " 16\n" + //
                              "3 read access " + ps(command + command_end) + ' ' + ps(first) + " 0\n" + "1 CMD18 " +
                              ps(command) + ' ' + ps(command + response_end) + " 40\n" + //
                              "2 read " + ps(first) + ' ' + ps(first + cycles(16 * 4116 - 2)) + " 8192\n");
}

TEST(Bus, AThousandRequestsAllocateNothing) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.program_page = microseconds(20);
    EmmcOnBus on(profile);
    on.set_bus(8);
    on.controller.keep_data = false;
    on.controller.slices.reserve(64);
    on.controller.sizes.reserve(64);
    const std::vector<std::byte> content = pattern(0, 8192);
    const auto request = [&](std::uint32_t number) {
        const std::uint32_t sector = number % 100 * 16;
        on.controller.send(spec::set_block_count(16));
        if (number % 2 == 0) {
            on.controller.send(spec::write_multiple_block({sector}));
            on.controller.transmit(content);
        } else {
            on.controller.receive(16);
            on.controller.send(spec::read_multiple_block({sector}));
        }
        ASSERT_EQ(on.controller.finish_data(), End::complete);
        on.status();
    };
    for (std::uint32_t i = 0; i < 200; ++i) request(i);
    const std::size_t before = allocations();
    for (std::uint32_t i = 0; i < 1000; ++i) request(i);
    EXPECT_EQ(allocations() - before, 0u);
}

} // namespace
} // namespace mmcpipe::sim
