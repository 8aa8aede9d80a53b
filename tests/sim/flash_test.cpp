#include "mmcpipe/sim/card/flash.h"

#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace mmcpipe::sim {
namespace {

using End = ScriptedController::End;

constexpr Time block = fast_period * 4114;
constexpr Time least_access = fast_period * 2;

/// Reads and writes through the bus, one line.
struct FlashOnBus : EmmcOnBus {
    using EmmcOnBus::EmmcOnBus;

    /// CMD23 and CMD18; returns how long after the end of CMD18 its first data came.
    Time read(std::uint32_t sector, std::uint32_t blocks) {
        controller.send(spec::set_block_count(static_cast<std::uint16_t>(blocks)));
        controller.receive(blocks);
        const Time command = engine.now() + fast_period * 8;
        controller.send(spec::read_multiple_block({sector}));
        EXPECT_EQ(controller.finish_data(), End::complete);
        const Time gap = std::max(emmc_timing.read_block_gap, least_access);
        return controller.ended_at - block * blocks - gap * (blocks - 1) - command - command_end;
    }
    /// CMD25, its data and CMD12; returns how long the card is busy after CMD12.
    Time write(std::uint32_t sector, std::uint32_t blocks) {
        controller.send(spec::write_multiple_block({sector}));
        controller.transmit(pattern(std::uint64_t{sector} * 512, std::size_t{blocks} * 512));
        EXPECT_EQ(controller.finish_data(), End::complete);
        const Time command = engine.now();
        controller.send(spec::stop_transmission(spec::Transfer::write));
        const Time busy = emmc.busy_until() - command - command_end;
        controller.wait_while_busy();
        return busy;
    }
    card::FlashTiming emmc_timing{};
};

card::EmmcProfile with(const card::FlashTiming& timing) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing = timing;
    return profile;
}

card::FlashTiming reading() {
    card::FlashTiming timing;
    timing.read_access = microseconds(900);
    timing.read_gap = microseconds(450);
    timing.read_stream_after = 262144;
    return timing;
}

TEST(Flash, AReadElsewhereTakesTheAccessTime) {
    FlashOnBus on(with(reading()));
    EXPECT_EQ(on.read(0, 8), microseconds(900));
    EXPECT_EQ(on.read(800, 8), microseconds(900));
    EXPECT_EQ(on.read(800, 8), microseconds(900)) << "the same blocks again";
    EXPECT_EQ(on.read(0, 8), microseconds(900)) << "backwards";
}

TEST(Flash, ASequentialReadWaitsForTheGapAfterTheDataBefore) {
    FlashOnBus on(with(reading()));
    on.read(0, 8);
    const Time ended = on.controller.ended_at;
    on.engine.run_until(ended + microseconds(100));
    const Time wait = on.read(8, 8);
    EXPECT_EQ(on.controller.ended_at - block * 8 - least_access * 7, ended + microseconds(450));
    EXPECT_LT(wait, microseconds(350));

    on.engine.run_until(on.controller.ended_at + milliseconds(3));
    EXPECT_EQ(on.read(16, 8), least_access) << "the gap is over";
}

TEST(Flash, TheGapCountsFromTheDataThatTheHostWantedNotFromWhatItStopped) {
    FlashOnBus on(with(reading()));
    on.controller.receive(8);
    on.controller.send(spec::read_multiple_block({0}));
    on.controller.finish_data();
    const Time ended = on.controller.ended_at;
    on.engine.run_until(ended + microseconds(400)); // the card sends two blocks more, and a piece
    on.controller.send(spec::stop_transmission(spec::Transfer::read));
    on.controller.receive(8);
    on.controller.send(spec::read_multiple_block({8}));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at - block * 8 - least_access * 7, ended + microseconds(450));
}

TEST(Flash, ALongReadMakesTheNextOneStream) {
    FlashOnBus on(with(reading()));
    on.read(0, 511);
    EXPECT_GT(on.read(511, 8), microseconds(300)) << "a block less than 256 KiB";
    EXPECT_EQ(on.read(8192, 512), microseconds(900));
    EXPECT_EQ(on.read(8704, 8), least_access);
    EXPECT_GT(on.read(8712, 8), microseconds(300)) << "each command counts alone";
}

TEST(Flash, AWriteEndsReadAhead) {
    FlashOnBus on(with(reading()));
    on.read(0, 8);
    on.write(4096, 8);
    EXPECT_EQ(on.read(8, 8), microseconds(900));
}

TEST(Flash, BlocksOfAReadKeepTheirGap) {
    card::FlashTiming timing;
    timing.read_access = {};
    timing.read_block_gap = microseconds(7);
    FlashOnBus on(with(timing));
    on.emmc_timing = timing;
    EXPECT_EQ(on.read(0, 24), least_access) << "also from page to page";
}

card::FlashTiming writing() {
    card::FlashTiming timing;
    timing.write_block_busy = microseconds(3);
    timing.page = 8192;
    timing.partial_program = microseconds(800);
    return timing;
}

TEST(Flash, AWriteThatEndsWithinAPageKeepsTheCardBusyAndItsOtherHalfCostsNothing) {
    FlashOnBus on(with(writing()));
    EXPECT_EQ(on.write(0, 8), microseconds(800));
    EXPECT_LE(on.write(8, 8), Time{}) << "goes on, and ends with the page";
    EXPECT_EQ(on.write(16, 24), microseconds(800));
    EXPECT_LE(on.write(40, 8), Time{});
    EXPECT_LE(on.write(160, 16), Time{});
}

TEST(Flash, APartialPageIsSeenInTheStatus) {
    FlashOnBus on(with(writing()));
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 512));
    on.controller.finish_data();
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_TRUE(on.bus.busy());
    EXPECT_EQ(on.status() & 0x1f00, 0xe00u) << "prg, not ready for data";
    on.controller.wait_while_busy();
    EXPECT_EQ(on.status(), 0x900u);
}

TEST(Flash, ASingleBlockAndACountedWriteAreBusyAfterTheirLastBlock) {
    for (const bool counted : {false, true}) {
        FlashOnBus on(with(writing()));
        if (counted) on.controller.send(spec::set_block_count(1));
        on.controller.send(counted ? spec::write_multiple_block({0}) : spec::write_block({0}));
        const Time start = on.engine.now();
        on.controller.transmit(pattern(0, 512));
        EXPECT_EQ(on.controller.finish_data(), End::complete);
        EXPECT_EQ(on.controller.ended_at, start + fast_period * (2 + 4114 + 7) + microseconds(800));
    }
}

TEST(Flash, AStopWithoutABlockCostsNothing) {
    FlashOnBus on(with(writing()));
    on.controller.send(spec::write_multiple_block({3}));
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_FALSE(on.bus.busy());
}

TEST(Flash, PagesAreProgrammedBehindTheBufferUntilItIsFull) {
    card::FlashTiming timing = writing();
    timing.write_block_busy = {};
    timing.program_page = milliseconds(20);
    timing.buffer = 4 * 8192;
    FlashOnBus on(with(timing));
    on.controller.send(spec::write_multiple_block({0}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(0, 8 * 8192));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    const Time page = fast_period * (16 * (2 + 4114 + 7));
    // Four pages fit. Then each page waits until one is programmed; page 8 goes in when four of them are.
    EXPECT_EQ(on.controller.ended_at, start + page + milliseconds(20) * 4 + page);
    on.controller.send(spec::stop_transmission(spec::Transfer::write));
    EXPECT_FALSE(on.bus.busy()) << "what is in the buffer keeps nobody busy";
}

TEST(Flash, APartialPageGoesThroughTheBufferIfItCostsNothing) {
    card::FlashTiming timing = writing();
    timing.write_block_busy = {};
    timing.partial_program = {};
    timing.program_page = milliseconds(20);
    FlashOnBus on(with(timing));
    EXPECT_LE(on.write(0, 24), Time{});
}

TEST(Flash, WhatWasErasedStaysErased) {
    card::FlashTiming timing = writing();
    timing.program_page = milliseconds(20);
    FlashOnBus on(with(timing));
    on.emmc.content().write(0, pattern(7, 8192));
    on.write(0, 16);
    on.controller.send(spec::mmc::erase_group_start({0}));
    on.controller.send(spec::mmc::erase_group_end({15}));
    on.controller.send(spec::erase(spec::Erase::trim));
    on.bus.power(false);
    std::vector<std::byte> content(8192);
    on.emmc.content().read(0, content);
    EXPECT_EQ(content, std::vector<std::byte>(8192));
}

TEST(Flash, WhatIsNotProgrammedDoesNotOutliveTheSupply) {
    card::FlashTiming timing = writing();
    timing.write_block_busy = {};
    timing.program_page = milliseconds(20);
    FlashOnBus on(with(timing));
    on.emmc.content().write(0, pattern(7, 4 * 8192));
    const Time start = on.engine.now();
    on.write(0, 64);
    on.engine.run_until(start + milliseconds(55)); // two pages are programmed, the third is not
    on.bus.power(false);
    std::vector<std::byte> content(4 * 8192);
    on.emmc.content().read(0, content);
    std::vector<std::byte> expected = pattern(7, 4 * 8192);
    const std::vector<std::byte> written = pattern(0, 2 * 8192);
    std::copy(written.begin(), written.end(), expected.begin());
    EXPECT_EQ(content, expected);
}

TEST(Flash, AWriteThatNobodyStoppedIsLostFromItsLastWholePageOn) {
    FlashOnBus on(with(writing()));
    on.controller.send(spec::write_multiple_block({0}));
    on.controller.transmit(pattern(0, 40 * 512));
    on.controller.finish_data();
    on.bus.power(false);
    std::vector<std::byte> content(40 * 512);
    on.emmc.content().read(0, content);
    std::vector<std::byte> expected = pattern(0, 40 * 512);
    std::fill(expected.begin() + 32 * 512, expected.end(), std::byte{0});
    EXPECT_EQ(content, expected);
}

TEST(Flash, PageAndBufferMakeSense) {
    card::FlashTiming timing;
    timing.page = 1000;
    EXPECT_THROW(card::Flash(4096, std::byte{0}, timing), std::invalid_argument);
    timing.page = 8192;
    timing.buffer = 4096;
    EXPECT_THROW(card::Flash(4096, std::byte{0}, timing), std::invalid_argument);
}

} // namespace
} // namespace mmcpipe::sim
