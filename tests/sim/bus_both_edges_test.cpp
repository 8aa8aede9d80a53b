// Data on both edges of the clock.

#include "mmcpipe/sim/wire/timing.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>

namespace mmcpipe::sim {
namespace {

using End = ScriptedController::End;
namespace fields = spec::mmc::ext_csd;

card::EmmcProfile profile() {
    card::EmmcProfile profile = emmc_profile();
    spec::mmc::put(profile.ext_csd, fields::device_type, 7);
    return profile;
}

struct BothEdges : EmmcOnBus {
    BothEdges() : EmmcOnBus(profile()) {
        set(185, 1);
        set(183, 6);
        bus.set_width(8);
        bus.set_both_edges(true);
    }
    void set(std::uint8_t index, std::uint8_t value) {
        controller.send(spec::mmc::switch_mode({.index = index, .value = value}));
        controller.wait_while_busy();
    }
    std::uint32_t errors() { return controller.send(spec::send_status({emmc_rca})).errors(); }
};

TEST(BusBothEdges, ABlockTakesHalfAsManyCyclesForItsDataAndAsManyForTheRest) {
    EXPECT_EQ(wire::block_cycles(512, {8, false}), 1 + 512 + 16 + 1);
    EXPECT_EQ(wire::block_cycles(512, {8, true}), 1 + 256 + 16 + 1) << "two CRC16 a line, in 16 cycles";
    EXPECT_EQ(wire::block_cycles(512, {4, true}), 1 + 512 + 16 + 1);
}

TEST(BusBothEdges, DataIsReadAndWrittenTwiceAsFast) {
    BothEdges on;
    on.controller.send(spec::set_block_count(8));
    on.controller.send(spec::write_multiple_block({16}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(8192, 4096));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.ended_at, start + fast_period * (8 * (2 + 274 + 7)));

    on.controller.send(spec::set_block_count(8));
    on.controller.receive(8);
    on.controller.send(spec::read_multiple_block({16}));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_EQ(on.controller.data, pattern(8192, 4096));
    EXPECT_EQ(on.errors(), 0u);
}

TEST(BusBothEdges, SlicesTakeAsLongAsTheWholeBlock) {
    BothEdges on;
    on.controller.slice_limit = 100;
    on.controller.send(spec::write_block({16}));
    const Time start = on.engine.now();
    on.controller.transmit(pattern(8192, 512));
    EXPECT_EQ(on.controller.finish_data(), End::complete);
    EXPECT_LE(on.controller.ended_at - start, fast_period * (2 + 274 + 7 + 3)) << "slices end with whole cycles";
    EXPECT_GE(on.controller.ended_at - start, fast_period * (2 + 274 + 7));
}

TEST(BusBothEdges, TwoEndsThatDisagreeSeeDamagedBlocks) {
    BothEdges on;
    on.bus.set_both_edges(false);
    on.controller.receive(1);
    on.controller.send(spec::read_single_block({0}));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
    on.controller.send(spec::write_block({0}));
    on.controller.transmit(pattern(0, 512));
    EXPECT_EQ(on.controller.finish_data(), End::bad_crc);
}

TEST(BusBothEdges, TheCardTakesThemOnlyAtHighSpeedAndIfItHasThem) {
    EmmcOnBus slow(profile());
    slow.controller.send(spec::mmc::switch_mode({.index = 183, .value = 6}));
    slow.controller.wait_while_busy();
    EXPECT_EQ(slow.status() & spec::r1::SwitchError::mask, spec::r1::SwitchError::mask);

    EmmcOnBus without;
    for (const std::uint8_t index : {std::uint8_t{185}, std::uint8_t{183}}) {
        const std::uint8_t value = index == 185 ? 1 : 5;
        without.controller.send(spec::mmc::switch_mode({.index = index, .value = value}));
        without.controller.wait_while_busy();
    }
    EXPECT_EQ(without.status() & spec::r1::SwitchError::mask, spec::r1::SwitchError::mask);
}

TEST(BusBothEdges, ThereIsNoOtherBlockLengthToBeSet) {
    BothEdges on;
    EXPECT_EQ(on.controller.send(spec::set_blocklen(512)).outcome, ScriptedController::Outcome::no_response);
    EXPECT_EQ(on.errors(), spec::r1::IllegalCommand::mask);
}

} // namespace
} // namespace mmcpipe::sim
