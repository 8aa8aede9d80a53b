// The eMMC model: blocks and erase.

#include "mmcpipe/sim/card/emmc.h"
#include "tests/sim/direct_emmc.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace mmcpipe::sim {
namespace {

using spec::State;
namespace fields = spec::mmc::ext_csd;
namespace bits = spec::r1;
using Direct = DirectEmmc;

// --- blocks ---

TEST(EmmcData, WhatIsWrittenIsRead) {
    Direct on;
    on.to_tran();
    on.r1(spec::write_multiple_block({100}));
    EXPECT_EQ(on.give(pattern(51200, 20 * 512)), 20u);
    on.r1(spec::stop_transmission(spec::Transfer::write));
    on.wait_while_busy();
    on.r1(spec::read_multiple_block({104}));
    EXPECT_EQ(on.take(10), pattern(51200 + 4 * 512, 10 * 512));
    on.r1(spec::stop_transmission(spec::Transfer::read));
    on.r1(spec::read_single_block({119}));
    EXPECT_EQ(on.take(2), pattern(51200 + 19 * 512, 512));
    EXPECT_EQ(on.state(), State::tran);
}

TEST(EmmcData, NeverWrittenBlocksReadAsErasedMemory) {
    card::EmmcProfile profile = emmc_profile();
    spec::mmc::put(profile.ext_csd, fields::erased_mem_cont, 1);
    Direct on(profile);
    on.to_tran();
    on.r1(spec::read_single_block({5}));
    EXPECT_EQ(on.take(1), std::vector<std::byte>(512, std::byte{0xff}));
}

TEST(EmmcData, ABlockCountEndsATransferByItself) {
    Direct on;
    on.to_tran();
    on.r1(spec::set_block_count(3));
    on.r1(spec::read_multiple_block({0}));
    EXPECT_EQ(on.take(10).size(), 3u * 512);
    EXPECT_EQ(on.state(), State::tran);
    on.r1(spec::set_block_count(3, spec::Reliability::reliable));
    on.r1(spec::write_multiple_block({0}));
    EXPECT_EQ(on.give(pattern(0, 5 * 512)), 3u);
    EXPECT_EQ(on.state(), State::tran);
    EXPECT_FALSE(on.send(spec::stop_transmission(spec::Transfer::write))) << "illegal: nothing to stop";
    on.r1(spec::set_block_count(3));
    on.status();
    on.r1(spec::read_multiple_block({0}));
    EXPECT_EQ(on.take(10).size(), 10u * 512) << "the count holds for the next command only";
}

TEST(EmmcData, StaysWithinItsCapacity) {
    Direct on;
    on.to_tran();
    const auto last = static_cast<std::uint32_t>(on.card.capacity() / 512 - 1);
    EXPECT_EQ(last, 131071u);
    EXPECT_EQ(errors_in(on.r1(spec::read_single_block({last}))), 0u);
    EXPECT_EQ(on.take(1).size(), 512u);
    for (const std::uint32_t beyond : {last + 1, 0xffffffffu}) {
        EXPECT_EQ(errors_in(on.r1(spec::read_single_block({beyond}))), bits::AddressOutOfRange::mask);
        EXPECT_EQ(errors_in(on.r1(spec::write_multiple_block({beyond}))), bits::AddressOutOfRange::mask);
        EXPECT_EQ(on.state(), State::tran);
    }
}

TEST(EmmcData, ATransferOverTheEndStopsThereAndTellsSo) {
    Direct on;
    on.to_tran();
    on.r1(spec::read_multiple_block({131070}));
    EXPECT_EQ(on.take(5).size(), 2u * 512);
    EXPECT_EQ(on.state(), State::data);
    EXPECT_EQ(errors_in(on.r1(spec::stop_transmission(spec::Transfer::read))), bits::AddressOutOfRange::mask);
    on.r1(spec::write_multiple_block({131070}));
    EXPECT_EQ(on.give(pattern(0, 5 * 512)), 2u);
    EXPECT_EQ(errors_in(on.r1(spec::stop_transmission(spec::Transfer::write))), bits::AddressOutOfRange::mask);
    EXPECT_EQ(errors_in(on.status()), 0u);
}

TEST(EmmcData, ACardThatCountsInSectorsKnowsBlocksOf512Only) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(512))), 0u);
    for (const std::uint32_t length : {0u, 1u, 511u, 1024u}) {
        EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(length))), bits::BlockLenError::mask) << length;
    }
    EXPECT_EQ(errors_in(on.r1(spec::read_single_block({1}))), 0u);
    EXPECT_EQ(on.take(1).size(), 512u);
}

TEST(EmmcData, BlockLengthsFollowTheCsd) {
    {
        Direct on(small_profile(false, false, 10));
        on.to_tran();
        on.r1(spec::read_single_block({0}));
        EXPECT_EQ(on.take(1).size(), 1024u) << "the default is the length in the CSD";
        EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(64))), bits::BlockLenError::mask);
        EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(2048))), bits::BlockLenError::mask);
        EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(512))), 0u);
        on.r1(spec::read_single_block({512}));
        EXPECT_EQ(on.take(1).size(), 512u);
    }
    {
        Direct on(small_profile(true, false));
        on.card.content().write(0, pattern(0, 1024));
        on.to_tran();
        EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(100))), 0u);
        on.r1(spec::read_single_block({300}));
        std::vector<std::byte> expected = pattern(0, 1024);
        EXPECT_EQ(on.take(1), (std::vector<std::byte>(expected.begin() + 300, expected.begin() + 400)));
        EXPECT_EQ(errors_in(on.r1(spec::read_single_block({450}))), bits::AddressMisalign::mask)
            << "over a physical boundary";
        EXPECT_EQ(errors_in(on.r1(spec::write_block({0}))), bits::BlockLenError::mask) << "partial for reading only";
        EXPECT_EQ(on.state(), State::tran);
    }
    {
        Direct on(small_profile(true, true));
        on.card.content().write(0, pattern(0, 8192));
        on.to_tran();
        on.r1(spec::read_single_block({4000}));
        std::vector<std::byte> expected = pattern(0, 8192);
        EXPECT_EQ(on.take(1), (std::vector<std::byte>(expected.begin() + 4000, expected.begin() + 4512)));
    }
    {
        Direct on(small_profile(false, false));
        on.to_tran();
        EXPECT_EQ(errors_in(on.r1(spec::read_single_block({100}))), bits::AddressMisalign::mask);
    }
}

TEST(EmmcData, AResetForgetsBlockLengthAndEraseSequence) {
    Direct on(small_profile(false, false, 10));
    on.to_tran();
    on.r1(spec::set_blocklen(512));
    on.r1(spec::mmc::erase_group_start({0}));
    on.r1(spec::mmc::erase_group_end({512}));
    on.card.power(false, on.now);
    on.card.power(true, on.now);
    on.to(State::ident);
    EXPECT_EQ(errors_in(on.r1(spec::mmc::set_relative_addr(on.rca))), 0u);
    on.r1(spec::select_card(on.rca));
    EXPECT_EQ(errors_in(on.r1(spec::erase())), bits::EraseSeqError::mask);
    on.r1(spec::read_single_block({0}));
    EXPECT_EQ(on.take(1).size(), 1024u);
}

TEST(EmmcData, ADamagedBlockEndsAWriteUpToItsStop) {
    Direct on;
    on.to_tran();
    on.r1(spec::write_multiple_block({0}));
    EXPECT_EQ(on.give(pattern(0, 1024)), 2u);
    on.card.damaged(on.now);
    EXPECT_EQ(on.card.accept(1, on.now).blocks, 0u);
    EXPECT_EQ(on.state(), State::rcv);
    on.r1(spec::stop_transmission(spec::Transfer::write));
    EXPECT_EQ(on.state(), State::tran);
    on.r1(spec::write_block({0}));
    on.card.damaged(on.now);
    EXPECT_EQ(on.state(), State::tran) << "a single block needs no stop";
}

TEST(EmmcData, ProgramsOnWhileItIsDeselected) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.switch_time = milliseconds(5);
    Direct on(profile);
    on.to(State::prg);
    const Time until = on.card.busy_until();
    on.send(spec::deselect_card());
    EXPECT_EQ(on.state(), State::dis);
    EXPECT_LT(on.card.busy_until(), on.now) << "DAT0 is free";
    EXPECT_EQ(state_in(on.r1(spec::select_card(on.rca))), State::dis);
    EXPECT_EQ(on.state(), State::prg);
    EXPECT_EQ(on.card.busy_until(), until);
    on.send(spec::deselect_card());
    on.wait(milliseconds(5));
    EXPECT_EQ(on.state(), State::stby);
}

// --- erase ---

TEST(EmmcData, ErasesWholeGroupsAndTrimsBlocks) {
    Direct on(small_profile(false, false)); // groups of 16 sectors
    on.to_tran();
    on.card.content().write(0, pattern(0, 65536));
    on.r1(spec::mmc::erase_group_start({20 * 512}));
    on.r1(spec::mmc::erase_group_end({40 * 512}));
    EXPECT_EQ(errors_in(on.r1(spec::erase())), 0u);
    EXPECT_EQ(on.card.busy_until(), on.now + milliseconds(2)) << "groups 1 and 2";
    EXPECT_EQ(on.state(), State::prg);
    std::vector<std::byte> expected = pattern(0, 65536);
    std::fill(expected.begin() + 16 * 512, expected.begin() + 48 * 512, std::byte{0});
    EXPECT_EQ(on.held(0, 65536), expected);

    on.wait_while_busy();
    on.r1(spec::mmc::erase_group_start({50 * 512}));
    on.r1(spec::mmc::erase_group_end({51 * 512}));
    on.r1(spec::erase(spec::Erase::trim));
    std::fill(expected.begin() + 50 * 512, expected.begin() + 52 * 512, std::byte{0});
    EXPECT_EQ(on.held(0, 65536), expected);
}

TEST(EmmcData, EraseGroupDefMakesGroupsLarge) {
    Direct on;
    on.to_tran();
    on.card.content().write(0, pattern(0, 8192));
    EXPECT_EQ(on.switch_to(175, 1), 0u);
    on.r1(spec::mmc::erase_group_start({0}));
    on.r1(spec::mmc::erase_group_end({1023}));
    on.r1(spec::erase());
    EXPECT_EQ(on.card.busy_until(), on.now + milliseconds(1)) << "512 KiB";
}

TEST(EmmcData, EraseErrorsAreTold) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(errors_in(on.r1(spec::erase())), bits::EraseSeqError::mask);
    EXPECT_EQ(errors_in(on.r1(spec::mmc::erase_group_end({5}))), bits::EraseSeqError::mask);
    on.r1(spec::mmc::erase_group_start({5000}));
    on.r1(spec::mmc::erase_group_end({5}));
    EXPECT_EQ(errors_in(on.r1(spec::erase())), bits::EraseParam::mask);
    EXPECT_EQ(errors_in(on.r1(spec::mmc::erase_group_start({131072}))), bits::AddressOutOfRange::mask);
    on.r1(spec::mmc::erase_group_start({5}));
    on.r1(spec::mmc::erase_group_end({6}));
    EXPECT_EQ(errors_in(on.r1(spec::erase(spec::Erase::secure_erase))), bits::EraseParam::mask) << "not supported";
    EXPECT_EQ(on.state(), State::tran);
}

TEST(EmmcData, AnotherCommandLeavesTheEraseSequence) {
    Direct on;
    on.to_tran();
    on.r1(spec::mmc::erase_group_start({0}));
    EXPECT_EQ(errors_in(on.status()), 0u) << "CMD13 may come between";
    on.r1(spec::mmc::erase_group_end({0}));
    EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(512))), bits::EraseReset::mask);
    EXPECT_EQ(errors_in(on.r1(spec::erase())), bits::EraseSeqError::mask);
}

} // namespace
} // namespace mmcpipe::sim
