// The bus: blocks from the controller to the card.

#include "mmcpipe/sim/wire/bus.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <vector>

namespace mmcpipe::sim {
namespace {

using End = ScriptedController::End;

/// A block, its CRC status, and what lies between.
constexpr std::int64_t write_cycles(unsigned lines) { return 1 + 4096 / lines + 16 + 1 + 2 + 5; }

TEST(BusWrite, ASingleBlockIsWrittenInSoManyCycles) {
    for (const unsigned lines : {1u, 4u, 8u}) {
        EmmcOnBus on;
        on.set_bus(lines);
        const Time start = on.engine.now();
        on.controller.send(spec::write_block({3}));
        on.controller.transmit(pattern(3 * 512, 512));
        EXPECT_EQ(on.controller.finish_data(), End::complete);
        EXPECT_EQ(on.controller.ended_at, start + response_end + cycles(2 + write_cycles(lines)));
        std::vector<std::byte> content(512);
        on.emmc.content().read(3 * 512, content);
        EXPECT_EQ(content, pattern(3 * 512, 512));
    }
}

TEST(BusWrite, ARunOfBlocksIsWrittenWithBusyAfterEach) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.write_block_busy = microseconds(50);
    EmmcOnBus on(profile);
    on.controller.send(spec::set_block_count(16));
    const Time start = on.engine.now() + cycles(8);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 8192));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    const Time block = cycles(2 + write_cycles(1)) + microseconds(50);
    EXPECT_EQ(on.controller.ended_at, start + response_end + block * 16) << "the busy after the last included";
    EXPECT_EQ(on.controller.slices, (std::vector{start + response_end, start + response_end + block * 8}));
    std::vector<std::byte> content(8192);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, pattern(0, 8192));
}

TEST(BusWrite, ABlockTakenInSlicesIsPutTogether) {
    EmmcOnBus on;
    on.controller.slice_limit = 96;
    const Time start = on.engine.now();
    on.controller.send(spec::write_multiple_block({8}));
    on.controller.transmit(pattern(4096, 2048));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + response_end + cycles(4 * (2 + write_cycles(1))));
    std::vector<std::byte> content(2048);
    on.emmc.content().read(4096, content);
    EXPECT_EQ(content, pattern(4096, 2048));
}

TEST(BusWrite, ASenderMayGiveBlocksAndAHalf) {
    EmmcOnBus on;
    on.controller.slice_limit = 768;
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 4096));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    std::vector<std::byte> content(4096);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, pattern(0, 4096));
}

TEST(BusWrite, AnEmptyFifoBetweenBlocksMakesTheLineWait) {
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
    EXPECT_EQ(on.controller.ended_at, start + cycles(write_cycles(1)));
}

TEST(BusWrite, AnEmptyFifoWithinABlockRunsDryOrStopsTheClock) {
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
        EXPECT_EQ(on.controller.ended_at, start + milliseconds(2) + cycles(write_cycles(1) - 1 - 512));
    }
}

TEST(BusWrite, DataSentBeforeTheResponseEndsWaitsForIt) {
    EmmcOnBus on;
    const Time start = on.engine.now();
    on.controller.start(24, 0);
    on.engine.run_until(start + command_end + cycles(10));
    on.controller.transmit(pattern(0, 512));
    on.controller.finish_data();
    EXPECT_EQ(on.controller.ended_at, start + response_end + cycles(2 + write_cycles(1)));
}

TEST(BusWrite, ACardThatIsNotToldToTakeDataGivesNoStatus) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(2);
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 512));
    EXPECT_EQ(on.controller.finish_data(), End::timeout);
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(2));
}

TEST(BusWrite, ABusyThatIsTooLongTimesOut) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.write_block_busy = milliseconds(20);
    EmmcOnBus on(profile);
    on.controller.timeout = milliseconds(2);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 1024));
    EXPECT_EQ(on.controller.finish_data(), End::timeout);
}

TEST(BusWrite, WritingWithAnotherWidthGetsANegativeStatus) {
    EmmcOnBus on;
    on.bus.set_width(8);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 1024));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(BusWrite, AStopInTheBusyAfterABlockDoesNotHideThatBlock) {
    for (const bool pulled : {false, true}) {
        card::EmmcProfile profile = emmc_profile();
        profile.timing.write_block_busy = milliseconds(1);
        profile.timing.program_page = milliseconds(5);
        profile.timing.buffer = 4096;
        EmmcOnBus on(profile);
        on.controller.timeout = milliseconds(20);
        on.controller.send(spec::write_multiple_block({0}));
        const Time start = on.engine.now();
        on.controller.transmit(pattern(0, 16384));
        on.engine.run_until(start + milliseconds(12)); // the page is programmed from 8.3 to 13.3 ms
        EXPECT_EQ(on.controller.blocks_done, 0u);
        if (pulled) {
            on.bus.insert(nullptr);
        } else {
            on.controller.send(spec::stop_transmission(spec::Transfer::write));
        }
        EXPECT_EQ(on.controller.finish_data(), End::timeout);
        EXPECT_EQ(on.controller.blocks_done, 8u);
    }
}

TEST(BusWrite, AStatusCommandWithinARunSeesTheBlocksThatAreOver) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.write_block_busy = microseconds(200);
    EmmcOnBus on(profile);
    on.controller.send(spec::write_multiple_block({0}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 4096));
    // after the status of the second block, in its busy
    on.engine.run_until(start + cycles(2 * (2 + write_cycles(1))) + microseconds(250));
    const auto reply = on.controller.send(spec::send_status({emmc_rca}));
    EXPECT_EQ(reply.state(), spec::State::rcv);
    EXPECT_FALSE(spec::r1::ReadyForData::get(reply.r1()));
    std::vector<std::byte> content(1024);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, pattern(0, 1024));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.blocks_done, 8u);
    EXPECT_EQ(on.controller.ended_at, start + (cycles(2 + write_cycles(1)) + microseconds(200)) * 8);
}

TEST(BusWrite, AStopWithinAWriteKeepsTheWholeBlocks) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(1);
    on.controller.send(spec::write_multiple_block({0}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 4096));
    on.engine.run_until(start + cycles(3 * (2 + write_cycles(1)) + 100));
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_EQ(on.controller.finish_data(), End::timeout) << "the rest gets no CRC status";
    std::vector<std::byte> content(4096);
    on.emmc.content().read(0, content);
    std::vector<std::byte> expected = pattern(0, 4096);
    std::fill(expected.begin() + 3 * 512, expected.end(), std::byte{0});
    EXPECT_EQ(content, expected);
}

TEST(BusWrite, AWriteStoppedByTheControllerWithinABlockIsDamaged) {
    EmmcOnBus on;
    on.controller.timeout = milliseconds(1);
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 4096));
    on.engine.run_until(on.engine.now() + microseconds(250));
    on.bus.stop_data();
    const int before = on.controller.callbacks;
    on.engine.run_until(on.engine.now() + milliseconds(5));
    EXPECT_EQ(on.controller.callbacks, before);
    on.controller.transmit(pattern(512, 512));
    EXPECT_EQ(on.controller.finish_data(), End::timeout) << "the card waits for CMD12";
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_EQ(on.state(), spec::State::tran);
}

TEST(BusWrite, AWriteStoppedBetweenBlocksGoesOn) {
    EmmcOnBus on;
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 512));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    on.controller.transmit(pattern(512, 512));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    std::vector<std::byte> content(1024);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, pattern(0, 1024));
}

TEST(BusWrite, AClockStoppedFromACallbackHoldsWhatFollows) {
    EmmcOnBus on;
    on.controller.slice_limit = 512;
    on.controller.stop_clock_after = 1;
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 1024));
    on.engine.run_until(milliseconds(200));
    EXPECT_EQ(on.controller.blocks_done, 1u);
    on.bus.set_period(fast_period);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, milliseconds(200) + cycles(write_cycles(1)));
}

TEST(BusWrite, AStoppedClockHoldsAWrite) {
    EmmcOnBus on;
    on.controller.send(spec::write_multiple_block({0}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 1024));
    on.engine.run_until(start + cycles(1000));
    on.bus.set_period(Time{});
    on.engine.run_until(start + milliseconds(10));
    on.bus.set_period(fast_period);
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + milliseconds(10) + cycles(2 * (2 + write_cycles(1)) - 1000));
}

} // namespace
} // namespace mmcpipe::sim
