// The bus: blocks from the card to the controller.

#include "mmcpipe/sim/wire/bus.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <vector>

namespace mmcpipe::sim {
namespace {

using End = ScriptedController::End;

TEST(BusRead, ASingleBlockIsReadInSoManyCycles) {
    for (const unsigned lines : {1u, 4u, 8u}) {
        EmmcOnBus on;
        on.set_bus(lines);
        on.emmc.content().write(512, pattern(512, 512));
        const Time start = on.engine.now();
        on.controller.receive(1);
        on.controller.start(17, 1);
        EXPECT_EQ(on.controller.finish_data(), End::complete);
        EXPECT_EQ(on.controller.ended_at, start + command_end + cycles(2 + 1 + 4096 / lines + 16 + 1)) << lines;
        EXPECT_EQ(on.controller.data, pattern(512, 512));
    }
}

TEST(BusRead, APageOfBlocksComesInOneSliceWithTheTimeOfEightBlocks) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.read_access = microseconds(300);
    profile.timing.read_block_gap = microseconds(3);
    EmmcOnBus on(profile);
    on.emmc.content().write(0, pattern(0, 8192));
    const Time start = on.engine.now();
    on.controller.receive(16);
    on.controller.send(spec::set_block_count(16));
    const Time command = on.engine.now() + cycles(8);
    on.controller.start(18, 0);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    const Time block = cycles(1 + 4096 + 17);
    const Time first = command + command_end + microseconds(300);
    EXPECT_EQ(on.controller.slices,
              (std::vector{first + block * 8 + microseconds(3) * 7, first + block * 16 + microseconds(3) * 15}));
    EXPECT_EQ(on.controller.data, pattern(0, 8192));
    EXPECT_GT(first, start);
}

TEST(BusRead, ConsecutiveBlocksAreAtLeastTwoCyclesApart) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(2);
    on.controller.start(18, 0);
    on.controller.finish_data();
    EXPECT_EQ(on.controller.ended_at, start + command_end + cycles(2 + 4114 + 2 + 4114));
}

TEST(BusRead, ABlockInSlicesEndsWhenAWholeOneDoes) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 1024));
    on.controller.slice_limit = 32;
    const Time start = on.engine.now();
    on.controller.receive(2);
    on.controller.start(18, 0);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.slices.size(), 32u);
    EXPECT_EQ(on.controller.slices[0], start + command_end + cycles(2 + 1 + 256));
    EXPECT_EQ(on.controller.slices[1], on.controller.slices[0] + cycles(256));
    EXPECT_EQ(on.controller.ended_at, start + command_end + cycles(2 + 4114 + 2 + 4114));
    EXPECT_EQ(on.controller.data, pattern(0, 1024));
}

TEST(BusRead, FlowControlStopsTheClockForTheCommandLineToo) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 512));
    on.controller.flow_control = true;
    on.controller.room_left = 64;
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.controller.start(17, 0);
    const Time stall = start + command_end + cycles(2 + 1 + 512);
    on.engine.run_until(stall);
    ASSERT_EQ(on.controller.data.size(), 64u);
    on.controller.start(13, emmc_rca << 16);
    on.engine.run_until(stall + microseconds(500));
    EXPECT_FALSE(on.controller.answered);
    on.controller.give_room(UINT32_MAX);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, stall + microseconds(500) + cycles(4096 - 512 + 17));
    EXPECT_TRUE(on.controller.answered);
    EXPECT_EQ(on.controller.reply.at, stall + microseconds(500) + response_end);
    EXPECT_EQ(on.controller.data, pattern(0, 512));
}

TEST(BusRead, FlowControlHoldsACommandOnItsWay) {
    EmmcOnBus on;
    on.controller.flow_control = true;
    on.controller.room_left = 64;
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.controller.start(17, 0);
    const Time stall = start + command_end + cycles(2 + 1 + 512);
    on.engine.run_until(stall - cycles(70));
    on.controller.start(13, emmc_rca << 16);
    on.engine.run_until(stall + microseconds(500));
    EXPECT_FALSE(on.controller.answered);
    on.controller.give_room(UINT32_MAX);
    while (!on.controller.answered && on.engine.step()) {}
    EXPECT_EQ(on.controller.reply.at, stall + microseconds(500) + response_end - cycles(70));
}

TEST(BusRead, AStallBetweenBlocksIsNoTimeOut) {
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

TEST(BusRead, WithoutFlowControlAFullFifoOverruns) {
    EmmcOnBus on;
    on.controller.room_left = 64;
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.controller.start(17, 0);
    EXPECT_EQ(on.controller.finish_data(), End::overrun);
    EXPECT_EQ(on.controller.ended_at, start + command_end + cycles(2 + 1 + 512));
    on.engine.run_until(on.engine.now() + milliseconds(1));
    EXPECT_EQ(on.state(), spec::State::tran) << "the card has sent its block";
}

TEST(BusRead, RoomThatComesBeforeTheStartBitIsInTime) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.read_access = microseconds(300);
    EmmcOnBus on(profile);
    on.controller.room_left = 0;
    on.controller.receive(1);
    on.controller.send(spec::read_single_block({0}));
    on.controller.give_room(512);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
}

TEST(BusRead, BlocksThatNobodyListensToAreLost) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 8192));
    const Time start = on.engine.now();
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + cycles(2 + 4114 + 100)); // within the second block
    on.controller.receive(2);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.data, pattern(1024, 1024)) << "the third and the fourth";
    EXPECT_EQ(on.controller.ended_at, start + command_end + cycles(4 * (2 + 4114)));
}

TEST(BusRead, AReadThatNobodyStopsCostsNoEvents) {
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

TEST(BusRead, AStopWithinABlockDamagesIt) {
    EmmcOnBus on;
    on.emmc.content().write(0, pattern(0, 8192));
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + cycles(2 + 4116 * 2 + 1000));
    on.controller.start(12, 0);
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 2u);
    EXPECT_EQ(on.controller.ended_at, start + command_end + cycles(3 * 4116))
        << "the controller waits for all of its bits";
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(BusRead, AStopInSlicesDamagesTheBlockToo) {
    EmmcOnBus on;
    on.controller.slice_limit = 64;
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + cycles(2 + 4116 + 1000));
    on.controller.start(12, 0);
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 1u);
}

TEST(BusRead, ACardPulledOutWhileTheClockIsStalledLetsItGo) {
    for (const std::uint32_t room : {512u, 576u}) { // between two blocks, and within the second
        EmmcOnBus on;
        on.controller.flow_control = true;
        on.controller.slice_limit = room == 512 ? 4096 : 64;
        on.controller.room_left = room;
        on.controller.timeout = milliseconds(1);
        on.controller.receive(2);
        on.controller.start(18, 0);
        on.engine.run_until(on.engine.now() + milliseconds(5));
        EXPECT_EQ(on.controller.data.size(), room);
        on.bus.insert(nullptr);
        if (room != 512) on.controller.give_room(UINT32_MAX);
        EXPECT_EQ(on.controller.finish_data(), room == 512 ? End::timeout : End::bad_crc);
        EXPECT_EQ(on.controller.send(spec::send_status({emmc_rca})).outcome, ScriptedController::Outcome::no_response);
    }
}

TEST(BusRead, ADamagedBlockIsTheLastThatTheControllerHears) {
    EmmcOnBus on;
    on.bus.set_width(4);
    on.controller.receive(8);
    on.controller.send(spec::read_multiple_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    const int before = on.controller.callbacks;
    on.engine.run_until(on.engine.now() + milliseconds(200));
    EXPECT_EQ(on.controller.callbacks, before);
}

TEST(BusRead, TheTimeOutCountsFromWhereThereWasDataLast) {
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

TEST(BusRead, ACardThatIsTooSlowTimesOutAndItsDataIsLost) {
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

TEST(BusRead, AnotherWidthDamagesEveryBlock) {
    EmmcOnBus on;
    on.bus.set_width(4);
    on.controller.receive(2);
    on.controller.send(spec::read_multiple_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    EXPECT_EQ(on.controller.blocks_done, 0u);
}

TEST(BusRead, AnotherBlockLengthDamagesTheBlock) {
    for (const std::uint32_t length : {64u, 1024u}) {
        EmmcOnBus on;
        on.controller.receive(1, length);
        on.controller.send(spec::read_single_block({0}));
        EXPECT_EQ(on.controller.finish_data(), End::bad_crc) << length;
    }
}

TEST(BusRead, AClockThatChangesWithinABlockStretchesTheRest) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.controller.start(17, 0);
    const Time middle = start + command_end + cycles(2 + 1000);
    on.engine.run_until(middle);
    on.bus.set_period(fast_period * 3);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, middle + cycles(3 * (4114 - 1000)));
}

TEST(BusRead, AStoppedClockHoldsDataAndItsTimeOut) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(1);
    const Time start = on.engine.now();
    on.controller.receive(2);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + cycles(2 + 1000));
    on.bus.set_period(Time{});
    on.engine.run_until(start + milliseconds(50));
    EXPECT_EQ(on.controller.end, End::none);
    on.bus.set_period(fast_period);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(50) + cycles(2 * 4114 + 2 - 1000));
}

TEST(BusRead, AStoppedClockHoldsATimeOutToo) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(3);
    const Time start = on.engine.now();
    on.controller.receive(1);
    on.engine.run_until(start + milliseconds(1));
    on.bus.set_period(Time{});
    on.engine.run_until(start + milliseconds(50));
    on.bus.set_period(fast_period);
    EXPECT_EQ(on.controller.finish_data(), End::timeout);
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(52));
}

TEST(BusRead, StopDataSilencesTheReceiver) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.receive(8);
    on.controller.start(18, 0);
    on.engine.run_until(start + command_end + cycles(1000));
    on.bus.stop_data();
    const int before = on.controller.callbacks;
    on.engine.run_until(on.engine.now() + milliseconds(10));
    EXPECT_EQ(on.controller.callbacks, before);
}

TEST(BusRead, DataGoesByReference) {
    EmmcOnBus on;
    const PageRef page = PageRef::copy_of(pattern(4096, 4096).data());
    on.emmc.content().write(4096, Chunk{page, 0, 4096});
    struct Sink final : wire::Receiver {
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

TEST(BusRead, AClockStoppedFromACallbackHoldsWhatFollows) {
    for (const std::uint32_t slice : {512u, 64u}) {
        EmmcOnBus on;
        on.emmc.content().write(0, pattern(0, 2048));
        on.controller.slice_limit = slice;
        on.controller.stop_clock_after = 2;
        on.controller.receive(4);
        on.controller.start(18, 0);
        on.engine.run_until(milliseconds(200));
        EXPECT_EQ(on.controller.data.size(), 2 * slice);
        on.bus.set_period(fast_period);
        EXPECT_EQ(on.controller.finish_data(), End::complete);
        const std::int64_t left = slice == 512 ? 2 * 4114 + 2 : 4114 - 1 - 1024 + 3 * 4116;
        EXPECT_EQ(on.controller.ended_at, milliseconds(200) + cycles(left));
        EXPECT_EQ(on.controller.data, pattern(0, 2048));
    }
}

TEST(BusRead, ACardThatNobodyListensToGoesOnAfterTheClockStopped) {
    EmmcOnBus on;
    on.controller.stop_clock_after = 1;
    on.controller.receive(1);
    on.controller.start(18, 131064); // eight blocks before the end
    on.engine.run_until(on.engine.now() + milliseconds(5));
    on.bus.set_period(fast_period);
    on.engine.run_until(on.engine.now() + milliseconds(5));
    EXPECT_TRUE(spec::r1::AddressOutOfRange::get(on.status())) << "it has come to the end by now";
}

} // namespace
} // namespace mmcpipe::sim
