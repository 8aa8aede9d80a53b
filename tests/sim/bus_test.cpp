#include "mmcpipe/sim/wire/bus.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mmcpipe/sim/wire/timing.h"
#include "tests/sim/allocations.h"
#include "tests/sim/scripted_controller.h"

namespace mmcpipe::sim {
namespace {

using End = ScriptedController::End;
using Outcome = ScriptedController::Outcome;
using wire::Expect;

constexpr Time bits(std::int64_t n) { return fast_period * n; }

/// The end bit of a command and that of its R1, from the first bit of the command.
constexpr Time command_end = bits(48);
constexpr Time response_end = bits(48 + 8 + 48);

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
    EXPECT_EQ(reply.at, start + bits(48 + 8 + 136));
    EXPECT_EQ(reply.index, 63);
    EXPECT_EQ(reply.words[0], 0x1501004du);
}

TEST(Bus, NoResponseIsKnown64CyclesAfterTheCommand) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    const auto reply = on.controller.send(3, 0);
    EXPECT_EQ(reply.outcome, Outcome::no_response);
    EXPECT_EQ(reply.at, start + bits(48 + 64));
}

TEST(Bus, ACommandWithoutResponseEndsWithItsEndBit) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    const auto reply = on.controller.send(spec::go_idle_state());
    EXPECT_EQ(reply.outcome, Outcome::sent);
    EXPECT_EQ(reply.at, start + bits(48));
}

TEST(Bus, CommandsKeepTheirDistance) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.status();
    EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).at, start + response_end + bits(wire::n_rc) + response_end);
    const Time then = on.engine.now();
    on.controller.send(3, 0);
    const Time silent = on.engine.now();
    EXPECT_EQ(silent, then + bits(wire::n_rc + 48 + 64));
    on.status();
    EXPECT_EQ(on.engine.now(), silent + bits(wire::n_cc) + response_end);
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
    on.engine.run_until(start + bits(60));
    on.bus.set_period(Time{});
    on.engine.run_until(start + bits(1000));
    on.bus.set_period(fast_period * 2);
    while (!on.controller.answered && on.engine.step()) {}
    EXPECT_EQ(on.engine.now(), start + bits(1000) + bits(2 * (104 - 60)));
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
    EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::response) << "high speed reaches 52 MHz";
}

// --- reading ---

TEST(Bus, ASingleBlockIsReadInSoManyCycles) {
    for (const unsigned lines : {1u, 4u, 8u}) {
        EmmcOnBus on;
        on.set_bus(lines);
        on.emmc.content().write(512, pattern(512, 512));
        const Time start = on.engine.now();
        on.controller.receive(1);
        on.controller.start(17, 1);
        EXPECT_EQ(on.controller.finish_data(), End::complete);
        EXPECT_EQ(on.controller.ended_at, start + command_end + bits(2 + 1 + 4096 / lines + 16 + 1)) << lines;
        EXPECT_EQ(on.controller.data, pattern(512, 512));
    }
}

TEST(Bus, APageOfBlocksComesInOneSliceWithTheTimeOfEightBlocks) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.read_access = microseconds(300);
    profile.timing.read_block_gap = microseconds(3);
    EmmcOnBus on(profile);
    on.emmc.content().write(0, pattern(0, 8192));
    const Time start = on.engine.now();
    on.controller.receive(16);
    on.controller.send(spec::set_block_count(16));
    const Time command = on.engine.now() + bits(8);
    on.controller.start(18, 0);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    const Time block = bits(1 + 4096 + 17);
    const Time first = command + command_end + microseconds(300);
    EXPECT_EQ(on.controller.slices,
              (std::vector{first + block * 8 + microseconds(3) * 7, first + block * 16 + microseconds(3) * 15}));
    EXPECT_EQ(on.controller.data, pattern(0, 8192));
    EXPECT_GT(first, start);
}

TEST(Bus, ConsecutiveBlocksAreAtLeastTwoCyclesApart) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(2);
    on.controller.start(18, 0);
    on.controller.finish_data();
    EXPECT_EQ(on.controller.ended_at, start + command_end + bits(2 + 4114 + 2 + 4114));
}

TEST(Bus, ABlockInSlicesEndsWhenAWholeOneDoes) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 1024));
    on.controller.slice_limit = 32;
    const Time start = on.engine.now();
    on.controller.receive(2);
    on.controller.start(18, 0);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.slices.size(), 32u);
    EXPECT_EQ(on.controller.slices[0], start + command_end + bits(2 + 1 + 256));
    EXPECT_EQ(on.controller.slices[1], on.controller.slices[0] + bits(256));
    EXPECT_EQ(on.controller.ended_at, start + command_end + bits(2 + 4114 + 2 + 4114));
    EXPECT_EQ(on.controller.data, pattern(0, 1024));
}

TEST(Bus, FlowControlStopsTheClockForTheCommandLineToo) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 512));
    on.controller.flow_control = true;
    on.controller.room_left = 64;
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.controller.start(17, 0);
    const Time stall = start + command_end + bits(2 + 1 + 512);
    on.engine.run_until(stall);
    ASSERT_EQ(on.controller.data.size(), 64u);
    on.controller.start(13, emmc_rca << 16);
    on.engine.run_until(stall + microseconds(500));
    EXPECT_FALSE(on.controller.answered);
    on.controller.give_room(UINT32_MAX);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, stall + microseconds(500) + bits(4096 - 512 + 17));
    EXPECT_TRUE(on.controller.answered);
    EXPECT_EQ(on.controller.reply.at, stall + microseconds(500) + response_end);
    EXPECT_EQ(on.controller.data, pattern(0, 512));
}

TEST(Bus, AStallBetweenBlocksIsNoTimeOut) {
    EmmcOnBus on;
    on.controller.flow_control = true;
    on.controller.room_left = 512;
    on.controller.timeout = microseconds(300);
    on.controller.receive(2);
    on.controller.start(18, 0);
    on.engine.run_until(on.engine.now() + milliseconds(5));
    EXPECT_EQ(on.controller.blocks_done, 1u);
    EXPECT_EQ(on.controller.end, End::none);
    on.controller.give_room(512);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
}

TEST(Bus, WithoutFlowControlAFullFifoOverruns) {
    EmmcOnBus on;
    on.controller.room_left = 64;
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.controller.start(17, 0);
    EXPECT_EQ(on.controller.finish_data(), End::overrun);
    EXPECT_EQ(on.controller.ended_at, start + command_end + bits(2 + 1 + 512));
    on.engine.run_until(on.engine.now() + milliseconds(1));
    EXPECT_EQ(on.state(), spec::State::tran) << "the card has sent its block";
}

TEST(Bus, RoomThatComesBeforeTheStartBitIsInTime) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.read_access = microseconds(300);
    EmmcOnBus on(profile);
    on.controller.room_left = 0;
    on.controller.receive(1);
    on.controller.send(spec::read_single_block({0}));
    on.controller.give_room(512);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
}

TEST(Bus, BlocksThatNobodyListensToAreLost) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 8192));
    const Time start = on.engine.now();
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + bits(2 + 4114 + 100)); // within the second block
    on.controller.receive(2);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.data, pattern(1024, 1024)) << "the third and the fourth";
    EXPECT_EQ(on.controller.ended_at, start + command_end + bits(4 * (2 + 4114)));
}

TEST(Bus, AReadThatNobodyStopsCostsNoEvents) {
    EmmcOnBus on;
    on.controller.receive(1);
    on.controller.send(spec::read_multiple_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.engine.next(), forever);
    on.engine.run_until(on.engine.now() + milliseconds(10));
    EXPECT_EQ(on.state(), spec::State::data);
    EXPECT_EQ(on.controller.send(spec::stop_transmission(spec::Transfer::read)).state(), spec::State::data);
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(Bus, AStopWithinABlockDamagesIt) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 8192));
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + bits(2 + 4116 * 2 + 1000));
    on.controller.start(12, 0);
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 2u);
    EXPECT_EQ(on.controller.ended_at, start + command_end + bits(3 * 4116)) << "the controller waits for all of its bits";
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(Bus, AStopInSlicesDamagesTheBlockToo) {
    EmmcOnBus on;
    on.controller.slice_limit = 64;
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + bits(2 + 4116 + 1000));
    on.controller.start(12, 0);
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 1u);
}

TEST(Bus, TheTimeOutCountsFromWhereThereWasDataLast) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(3);
    const Time start = on.engine.now();
    on.controller.receive(1);
    EXPECT_EQ(on.controller.finish_data(), End::timeout) << "no command was sent at all";
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(3));

    on.controller.send(spec::set_block_count(2));
    on.controller.receive(3);
    on.controller.send(spec::read_multiple_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::timeout) << "the card sends two blocks";
    EXPECT_EQ(on.controller.blocks_done, 2u);
    EXPECT_EQ(on.controller.ended_at, on.controller.slices.back() + milliseconds(3));
}

TEST(Bus, ACardThatIsTooSlowTimesOutAndItsDataIsLost) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.read_access = milliseconds(5);
    EmmcOnBus on(profile);
    on.controller.timeout = milliseconds(1);
    on.controller.receive(1);
    on.controller.send(spec::read_single_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::timeout);
    on.engine.run_until(on.engine.now() + milliseconds(10));
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(Bus, AnotherWidthDamagesEveryBlock) {
    EmmcOnBus on;
    on.bus.set_width(4);
    on.controller.receive(2);
    on.controller.send(spec::read_multiple_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 0u);
}

TEST(Bus, AnotherBlockLengthDamagesTheBlock) {
    for (const std::uint32_t length : {64u, 1024u}) {
        EmmcOnBus on;
        on.controller.receive(1, length);
        on.controller.send(spec::read_single_block({0}));
        EXPECT_EQ(on.controller.finish_data(), End::bad_crc) << length;
    }
}

TEST(Bus, AClockThatChangesWithinABlockStretchesTheRest) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.controller.start(17, 0);
    const Time middle = start + command_end + bits(2 + 1000);
    on.engine.run_until(middle);
    on.bus.set_period(fast_period * 3);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, middle + bits(3 * (4114 - 1000)));
}

TEST(Bus, AStoppedClockHoldsDataAndItsTimeOut) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(1);
    const Time start = on.engine.now();
    on.controller.receive(2);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + bits(2 + 1000));
    on.bus.set_period(Time{});
    on.engine.run_until(start + milliseconds(50));
    EXPECT_EQ(on.controller.end, End::none);
    on.bus.set_period(fast_period);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(50) + bits(2 * 4114 + 2 - 1000));
}

TEST(Bus, StopDataSilencesTheReceiver) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + bits(1000));
    on.bus.stop_data();
    const int before = on.controller.callbacks;
    on.engine.run_until(on.engine.now() + milliseconds(10));
    EXPECT_EQ(on.controller.callbacks, before);
}

TEST(Bus, DataGoesByReference) {
    EmmcOnBus on;
    const PageRef page = PageRef::copy_of(pattern(4096, 4096).data());
    on.emmc.content().write(4096, Chunk{page, 0, 4096});
    struct Sink : wire::Receiver {
        std::uint32_t room() override { return page_size; }
        void received(const Chunk& slice) override { got = slice; }
        void blocks_received(std::uint32_t, bool) override {}
        void overrun() override {}
        void receive_timed_out() override {}
        Chunk got;
    } sink;
    on.bus.receive(sink, {512, 8, false, milliseconds(100)});
    on.controller.send(spec::read_multiple_block({8}));
    on.engine.run_until(on.engine.now() + milliseconds(2));
    EXPECT_EQ(sink.got.page, page);
}

// --- writing ---

/// A block, its CRC status, and what lies between.
constexpr std::int64_t write_cycles(unsigned lines) { return 1 + 4096 / lines + 16 + 1 + 2 + 5; }

TEST(Bus, ASingleBlockIsWrittenInSoManyCycles) {
    for (const unsigned lines : {1u, 4u, 8u}) {
        EmmcOnBus on;
        on.set_bus(lines);
        const Time start = on.engine.now();
        on.controller.send(spec::write_block({3}));
        on.controller.transmit(pattern(3 * 512, 512));
        EXPECT_EQ(on.controller.finish_data(), End::complete);
        EXPECT_EQ(on.controller.ended_at, start + response_end + bits(2 + write_cycles(lines)));
        std::vector<std::byte> content(512);
        on.emmc.content().read(3 * 512, content);
        EXPECT_EQ(content, pattern(3 * 512, 512));
    }
}

TEST(Bus, ARunOfBlocksIsWrittenWithBusyAfterEach) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.write_block_busy = microseconds(50);
    EmmcOnBus on(profile);
    on.controller.send(spec::set_block_count(16));
    const Time start = on.engine.now() + bits(8);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 8192));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    const Time block = bits(2 + write_cycles(1)) + microseconds(50);
    EXPECT_EQ(on.controller.ended_at, start + response_end + block * 16) << "the busy after the last included";
    EXPECT_EQ(on.controller.slices, (std::vector{start + response_end, start + response_end + block * 8}));
    std::vector<std::byte> content(8192);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, pattern(0, 8192));
}

TEST(Bus, ABlockTakenInSlicesIsPutTogether) {
    EmmcOnBus on;
    on.controller.slice_limit = 96;
    const Time start = on.engine.now();
    on.controller.send(spec::write_multiple_block({8}));
    on.controller.transmit(pattern(4096, 2048));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + response_end + bits(4 * (2 + write_cycles(1))));
    std::vector<std::byte> content(2048);
    on.emmc.content().read(4096, content);
    EXPECT_EQ(content, pattern(4096, 2048));
}

TEST(Bus, ASenderMayGiveBlocksAndAHalf) {
    EmmcOnBus on;
    on.controller.slice_limit = 768;
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 4096));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    std::vector<std::byte> content(4096);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, pattern(0, 4096));
}

TEST(Bus, AnEmptyFifoBetweenBlocksMakesTheLineWait) {
    EmmcOnBus on;
    on.controller.available = 512;
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 1024));
    on.engine.run_until(on.engine.now() + milliseconds(1));
    EXPECT_EQ(on.controller.blocks_done, 1u);
    EXPECT_EQ(on.state(), spec::State::rcv) << "and the clock runs";
    const Time start = on.engine.now();
    on.controller.give_data(512);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + bits(write_cycles(1)));
}

TEST(Bus, AnEmptyFifoWithinABlockRunsDryOrStopsTheClock) {
    {
        EmmcOnBus on;
        on.controller.available = 64;
        on.controller.send(spec::write_multiple_block({0}));
        on.controller.transmit(pattern(0, 1024));
        EXPECT_EQ(on.controller.finish_data(), End::underrun);
        on.controller.send(spec::stop_transmission(spec::Transfer::write));
        EXPECT_EQ(on.state(), spec::State::tran);
        std::vector<std::byte> content(512);
        on.emmc.content().read(0, content);
        EXPECT_EQ(content, std::vector<std::byte>(512)) << "half a block is not written";
    }
    {
        EmmcOnBus on;
        on.controller.flow_control = true;
        on.controller.available = 64;
        on.controller.send(spec::write_multiple_block({0}));
        const Time start = on.engine.now();
        on.controller.transmit(pattern(0, 512));
        on.engine.run_until(start + milliseconds(1));
        on.controller.start(13, emmc_rca << 16);
        on.engine.run_until(start + milliseconds(2));
        EXPECT_FALSE(on.controller.answered);
        on.controller.give_data(UINT32_MAX);
        EXPECT_EQ(on.controller.finish_data(), End::complete);
        EXPECT_EQ(on.controller.ended_at, start + milliseconds(2) + bits(write_cycles(1) - 1 - 512));
    }
}

TEST(Bus, DataSentBeforeTheResponseEndsWaitsForIt) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.start(24, 0);
    on.engine.run_until(start + command_end + bits(10));
    on.controller.transmit(pattern(0, 512));
    on.controller.finish_data();
    EXPECT_EQ(on.controller.ended_at, start + response_end + bits(2 + write_cycles(1)));
}

TEST(Bus, ACardThatIsNotToldToTakeDataGivesNoStatus) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(2);
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 512));
    EXPECT_EQ(on.controller.finish_data(), End::timeout);
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(2));
}

TEST(Bus, ABusyThatIsTooLongTimesOut) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.write_block_busy = milliseconds(20);
    EmmcOnBus on(profile);
    on.controller.timeout = milliseconds(2);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 1024));
    EXPECT_EQ(on.controller.finish_data(), End::timeout);
}

TEST(Bus, WritingWithAnotherWidthGetsANegativeStatus) {
    EmmcOnBus on;
    on.bus.set_width(8);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 1024));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(Bus, AStatusCommandWithinARunSeesTheBlocksThatAreOver) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.write_block_busy = microseconds(200);
    EmmcOnBus on(profile);
    on.controller.send(spec::write_multiple_block({0}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 4096));
    // after the status of the second block, in its busy
    on.engine.run_until(start + bits(2 * (2 + write_cycles(1))) + microseconds(250));
    const auto reply = on.controller.send(spec::send_status({emmc_rca}));
    EXPECT_EQ(reply.state(), spec::State::rcv);
    EXPECT_FALSE(spec::r1::ReadyForData::get(reply.r1()));
    std::vector<std::byte> content(1024);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, pattern(0, 1024));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.blocks_done, 8u);
    EXPECT_EQ(on.controller.ended_at, start + (bits(2 + write_cycles(1)) + microseconds(200)) * 8);
}

TEST(Bus, AStopWithinAWriteKeepsTheWholeBlocks) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(1);
    on.controller.send(spec::write_multiple_block({0}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 4096));
    on.engine.run_until(start + bits(3 * (2 + write_cycles(1)) + 100));
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_EQ(on.controller.finish_data(), End::timeout) << "the rest gets no CRC status";
    std::vector<std::byte> content(4096);
    on.emmc.content().read(0, content);
    std::vector<std::byte> expected = pattern(0, 4096);
    std::fill(expected.begin() + 3 * 512, expected.end(), std::byte{0});
    EXPECT_EQ(content, expected);
}

TEST(Bus, AStoppedClockHoldsAWrite) {
    EmmcOnBus on;
    on.controller.send(spec::write_multiple_block({0}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 1024));
    on.engine.run_until(start + bits(1000));
    on.bus.set_period(Time{});
    on.engine.run_until(start + milliseconds(10));
    on.bus.set_period(fast_period);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(10) + bits(2 * (2 + write_cycles(1)) - 1000));
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
    on.engine.run_until(start + command_end + bits(2 + 4116 + 7));
    on.bus.insert(nullptr);
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 1u);
    EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::no_response);
    on.bus.insert(&on.emmc);
    EXPECT_EQ(on.emmc.state(on.engine.now()), spec::State::idle);
    on.bring_up();
    EXPECT_EQ(on.state(), spec::State::tran);
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
    on.engine.run_until(on.engine.now() + bits(70));
    on.bus.insert(nullptr);
    while (!on.controller.answered && on.engine.step()) {}
    EXPECT_EQ(on.controller.reply.outcome, Outcome::bad_crc);
}

// --- traces, cost ---

struct TextTrace : Trace {
    void span(const Span& span) override {
        text += std::to_string(static_cast<int>(span.lane)) + ' ' + span.name + ' ' + std::to_string(span.from.ps) + ' ' +
                std::to_string(span.to.ps) + ' ' + std::to_string(span.argument) + '\n';
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
    const Time command = on.engine.now() + bits(8);
    on.controller.send(spec::read_multiple_block({40}));
    on.controller.finish_data();
    const Time first = command + command_end + microseconds(120);
    EXPECT_EQ(trace.text, "1 CMD23 " + ps(start) + ' ' + ps(start + response_end) + " 16\n" + //
                              "3 read access " + ps(command + command_end) + ' ' + ps(first) + " 0\n" +
                              "1 CMD18 " + ps(command) + ' ' + ps(command + response_end) + " 40\n" + //
                              "2 read " + ps(first) + ' ' + ps(first + bits(16 * 4116 - 2)) + " 8192\n");
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
