#include "mmcpipe/sim/card/emmc.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "mmcpipe/spec/ocr.h"
#include "mmcpipe/spec/state.h"
#include "tests/sim/direct_card.h"
#include "tests/sim/scripted_controller.h"

namespace mmcpipe::sim {
namespace {

using spec::State;
using spec::mmc::Switch;
namespace fields = spec::mmc::ext_csd;
namespace bits = spec::r1;

constexpr std::uint32_t host_ocr = 0x40ff8080;

struct Direct : DirectCard<card::Emmc> {
    explicit Direct(const card::EmmcProfile& profile = emmc_profile()) : DirectCard(profile) { rca = {emmc_rca}; }

    void to_ready() {
        send(spec::mmc::send_op_cond(host_ocr));
        wait(milliseconds(100));
        send(spec::mmc::send_op_cond(host_ocr));
    }
    void to_stby() {
        to_ready();
        send(spec::all_send_cid());
        send(spec::mmc::set_relative_addr(rca));
    }
    void to_tran() {
        to_stby();
        send(spec::select_card(rca));
    }
    void to(State wanted) {
        switch (wanted) {
        case State::idle: break;
        case State::ready: to_ready(); break;
        case State::ident:
            to_ready();
            send(spec::all_send_cid());
            break;
        case State::stby: to_stby(); break;
        case State::tran: to_tran(); break;
        case State::data:
            to_tran();
            send(spec::read_multiple_block({0}));
            break;
        case State::rcv:
            to_tran();
            send(spec::write_multiple_block({0}));
            break;
        case State::prg:
            to_tran();
            send(spec::mmc::switch_mode({.index = 187, .value = 1}));
            break;
        case State::dis:
            to(State::prg);
            send(spec::deselect_card());
            break;
        case State::slp:
            to_stby();
            send(spec::mmc::sleep(rca));
            wait_while_busy();
            break;
        case State::ina:
            to_stby();
            send(spec::go_inactive_state(rca));
            break;
        case State::btst: FAIL();
        }
    }
    /// CMD6, its busy, and the errors that CMD13 tells then.
    std::uint32_t switch_to(std::uint8_t index, std::uint8_t value, Switch::Access access = Switch::Access::write_byte) {
        EXPECT_EQ(errors_in(r1(spec::mmc::switch_mode({.access = access, .index = index, .value = value}))), 0u);
        wait_while_busy();
        return errors_in(status());
    }
    std::vector<std::byte> ext_csd() {
        send(spec::mmc::send_ext_csd());
        return take(1);
    }
};

/// A card of 32 MB that counts in bytes, with partial and misaligned blocks allowed for reading as given.
card::EmmcProfile small_profile(bool partial, bool misalign, unsigned block_length_log = 9) {
    spec::mmc::Csd csd;
    csd.csd_structure = 2;
    csd.spec_vers = 4;
    csd.taac = 0x26;
    csd.tran_speed = 0x2a;
    csd.ccc = 0x0f5;
    csd.read_bl_len = static_cast<std::uint8_t>(block_length_log);
    csd.write_bl_len = static_cast<std::uint8_t>(block_length_log);
    csd.c_size = 0x3ff;
    csd.c_size_mult = 4;
    csd.read_bl_partial = partial;
    csd.read_blk_misalign = misalign;
    csd.erase_grp_size = 15;
    csd.erase_grp_mult = 0;
    card::EmmcProfile profile = emmc_profile();
    profile.csd = csd.encode();
    spec::mmc::put(profile.ext_csd, fields::sec_count, 0);
    return profile;
}

// --- the state machine ---

TEST(Emmc, TakesEveryCommandInTheStatesOfTheTableAndInNoOther) {
    const std::vector<std::uint8_t> has{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17, 18, 23, 24, 25, 35, 36, 38};
    for (const State state : {State::idle, State::ready, State::ident, State::stby, State::tran, State::data, State::rcv, State::prg,
                              State::dis, State::slp}) {
        for (std::uint8_t index = 0; index < 64; ++index) {
            SCOPED_TRACE("CMD" + std::to_string(index) + " in state " + std::to_string(static_cast<int>(state)));
            Direct on;
            on.to(state);
            ASSERT_EQ(on.state(), state);
            const bool addressed = index == 7 || index == 9 || index == 10 || index == 13 || index == 15 || index == 5 || index == 3 ||
                                   index == 55;
            const std::uint32_t argument = index == 1 ? host_ocr : addressed ? on.rca.argument() : 0;
            const bool taken = std::ranges::count(has, index) != 0 && spec::legal(spec::Family::mmc, index, false, state);
            const std::optional<wire::Answer> answer = on.send(index, argument);
            const bool silent = index == 0 || index == 4 || index == 15;
            EXPECT_EQ(answer.has_value(), taken && !silent);
            if (taken && index == 0) {
                EXPECT_EQ(on.state(), State::idle);
            } else if (taken && index == 15) {
                EXPECT_EQ(on.state(), State::ina);
            } else if (index != 6 && spec::legal(spec::Family::mmc, 13, false, on.state())) {
                // the address is the default one for as long as the host has not given another
                EXPECT_EQ(bits::IllegalCommand::get(on.status()), !taken);
            }
        }
    }
}

TEST(Emmc, AnInactiveCardIsDeadUntilItsPowerIsCycled) {
    Direct on;
    on.to(State::ina);
    EXPECT_FALSE(on.send(spec::go_idle_state()));
    EXPECT_FALSE(on.send(spec::mmc::send_op_cond(host_ocr)));
    on.card.power(false, on.now);
    EXPECT_FALSE(on.send(spec::mmc::send_op_cond(host_ocr))) << "no supply";
    on.card.power(true, on.now);
    on.to_tran();
    EXPECT_EQ(on.state(), State::tran);
}

TEST(Emmc, TellsTheStateFromBeforeTheCommand) {
    Direct on;
    on.to_stby();
    EXPECT_EQ(state_in(on.r1(spec::select_card(on.rca))), State::stby);
    EXPECT_EQ(state_in(on.r1(spec::read_multiple_block({0}))), State::tran);
    EXPECT_EQ(state_in(on.status()), State::data);
    EXPECT_EQ(state_in(on.r1(spec::stop_transmission(spec::Transfer::read))), State::data);
    EXPECT_EQ(state_in(on.status()), State::tran);
}

TEST(Emmc, AnIllegalCommandShowsInTheNextResponseOnly) {
    Direct on;
    on.to_tran();
    EXPECT_FALSE(on.send(2, 0));
    EXPECT_EQ(errors_in(on.status()), bits::IllegalCommand::mask);
    EXPECT_EQ(errors_in(on.status()), 0u);
    on.send(spec::deselect_card());
    EXPECT_FALSE(on.send(12, 0));
    EXPECT_TRUE(on.send(spec::send_csd(on.rca))) << "an answer without status";
    EXPECT_EQ(errors_in(on.status()), 0u) << "a valid command has come since";
}

TEST(Emmc, ADamagedCommandIsNotAnsweredAndTold) {
    Direct on;
    on.to_tran();
    EXPECT_FALSE(on.card.command({17, 0, false}, on.now));
    EXPECT_EQ(on.state(), State::tran);
    EXPECT_EQ(errors_in(on.status()), bits::ComCrcError::mask);
    EXPECT_EQ(errors_in(on.status()), 0u);
}

TEST(Emmc, IgnoresWhatIsForAnotherCard) {
    Direct on;
    on.to_stby();
    EXPECT_FALSE(on.send(spec::send_status({7})));
    EXPECT_FALSE(on.send(spec::send_csd({7})));
    EXPECT_FALSE(on.send(spec::select_card({7})));
    EXPECT_FALSE(on.send(spec::go_inactive_state({7})));
    EXPECT_EQ(on.state(), State::stby);
    EXPECT_EQ(errors_in(on.status()), 0u);
}

// --- identification ---

TEST(Emmc, IsBusyForItsPowerUpTimeAfterTheFirstCmd1ThatNamesAVoltage) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.power_up_time = milliseconds(40);
    Direct on(profile);
    EXPECT_EQ(on.send(spec::mmc::send_op_cond(0))->words[0], 0x00ff8080u) << "a question starts nothing";
    on.wait(milliseconds(100));
    EXPECT_EQ(on.send(spec::mmc::send_op_cond(host_ocr))->words[0], 0x00ff8080u);
    on.wait(milliseconds(39));
    EXPECT_FALSE(spec::ocr::PoweredUp::get(on.send(spec::mmc::send_op_cond(host_ocr))->words[0]));
    on.wait(milliseconds(1));
    EXPECT_EQ(on.send(spec::mmc::send_op_cond(host_ocr))->words[0], 0xc0ff8080u);
    EXPECT_EQ(on.state(), State::ready);
}

TEST(Emmc, CountsInBytesUpTo2GbAndSaysSo) {
    Direct on(small_profile(false, false));
    on.send(spec::mmc::send_op_cond(0x00ff8080));
    on.wait(milliseconds(100));
    EXPECT_EQ(on.send(spec::mmc::send_op_cond(host_ocr))->words[0], 0x80ff8080u);
}

TEST(Emmc, GoesInactiveWithoutACommonVoltageOrAddressing) {
    Direct on;
    EXPECT_FALSE(on.send(spec::mmc::send_op_cond(0x40000100)) && false);
    Direct low;
    low.send(spec::mmc::send_op_cond(host_ocr & ~0xff8080u)); // asks only
    EXPECT_EQ(low.state(), State::idle);
    card::EmmcProfile profile = emmc_profile();
    profile.ocr = 0x00300000;
    Direct high(profile);
    EXPECT_FALSE(high.send(spec::mmc::send_op_cond(0x40000080)));
    EXPECT_EQ(high.state(), State::ina);
    Direct bytes;
    EXPECT_FALSE(bytes.send(spec::mmc::send_op_cond(0x00ff8080)));
    EXPECT_EQ(bytes.state(), State::ina);
}

TEST(Emmc, SendsItsRegistersWithAValidCrc) {
    card::EmmcProfile profile = emmc_profile();
    profile.cid[3] |= 0xff;
    Direct on(profile);
    on.to_stby();
    EXPECT_EQ(spec::crc_of(on.send(spec::send_cid(on.rca))->words), spec::Crc::valid);
    EXPECT_EQ(on.send(spec::send_csd(on.rca))->words, spec::closed(profile.csd));
}

TEST(Emmc, ACardBeforeSystemSpecification4HasNoExtCsdAndNoSwitch) {
    card::EmmcProfile profile = small_profile(false, false);
    auto csd = spec::mmc::Csd::decode(profile.csd);
    csd.spec_vers = 3;
    profile.csd = csd.encode();
    Direct on(profile);
    on.to_tran();
    EXPECT_FALSE(on.send(spec::mmc::send_ext_csd()));
    EXPECT_FALSE(on.send(spec::mmc::switch_mode({.index = 183, .value = 1})));
    EXPECT_EQ(on.state(), State::tran);
}

// --- EXT_CSD and SWITCH ---

TEST(Emmc, SwitchWritesSetsAndClears) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(on.switch_to(187, 0x0f), 0u);
    EXPECT_EQ(on.ext_csd()[187], std::byte{0x0f});
    EXPECT_EQ(on.switch_to(187, 0xf0, Switch::Access::set_bits), 0u);
    EXPECT_EQ(on.ext_csd()[187], std::byte{0xff});
    EXPECT_EQ(on.switch_to(187, 0x3c, Switch::Access::clear_bits), 0u);
    EXPECT_EQ(on.ext_csd()[187], std::byte{0xc3});
}

TEST(Emmc, SwitchKeepsTheCardBusyInPrg) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(state_in(on.r1(spec::mmc::switch_mode({.index = 187, .value = 1}))), State::tran);
    const std::uint32_t word = on.status();
    EXPECT_EQ(state_in(word), State::prg);
    EXPECT_FALSE(bits::ReadyForData::get(word));
    EXPECT_EQ(on.card.busy_until(), on.now - microseconds(10) + microseconds(500));
    on.wait_while_busy();
    EXPECT_EQ(on.status(), 0x900u);
}

TEST(Emmc, SwitchRefusesWhatCannotBeWritten) {
    Direct on;
    on.to_tran();
    for (const std::uint8_t index : {std::uint8_t{181}, std::uint8_t{189}, std::uint8_t{192}, std::uint8_t{212}, std::uint8_t{255},
                                     std::uint8_t{0}}) {
        EXPECT_EQ(on.switch_to(index, 1), bits::SwitchError::mask) << unsigned{index};
        EXPECT_EQ(errors_in(on.status()), 0u) << "told once";
    }
    EXPECT_EQ(on.ext_csd()[181], std::byte{0});
    EXPECT_EQ(on.switch_to(183, 5), bits::SwitchError::mask) << "no dual data rate";
    EXPECT_EQ(on.switch_to(185, 2), bits::SwitchError::mask) << "no HS200";
    EXPECT_EQ(on.switch_to(179, 1), bits::SwitchError::mask) << "no boot partitions";
    EXPECT_EQ(on.switch_to(179, 0x48), 0u);
    EXPECT_EQ(on.card.width(), 1u);
}

TEST(Emmc, ModesTakeEffectOnTheBusAndEndWithAReset) {
    Direct on;
    on.to_tran();
    const Time legacy = on.card.shortest_period();
    EXPECT_EQ(on.switch_to(183, 2), 0u);
    EXPECT_EQ(on.card.width(), 8u);
    EXPECT_EQ(on.switch_to(185, 1), 0u);
    EXPECT_EQ(on.card.shortest_period(), Time{990'000'000'000 / 52'000'000});
    EXPECT_EQ(legacy, Time{990'000'000'000 / 26'000'000});
    EXPECT_EQ(on.switch_to(179, 0x48), 0u);
    on.send(spec::go_idle_state());
    EXPECT_EQ(on.card.shortest_period(), Time{990'000'000'000 / 400'000});
    on.rca = {emmc_rca};
    on.to_tran();
    EXPECT_EQ(on.card.width(), 1u);
    EXPECT_EQ(on.card.shortest_period(), legacy);
    EXPECT_EQ(on.ext_csd()[185], std::byte{0});
    EXPECT_EQ(on.ext_csd()[179], std::byte{0x48}) << "this one is kept";
}

TEST(Emmc, WhatCanBeWrittenOnceIsWrittenOnce) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(on.switch_to(162, 1), 0u);
    EXPECT_EQ(on.switch_to(162, 2), bits::SwitchError::mask);
    EXPECT_EQ(on.ext_csd()[162], std::byte{1});
    EXPECT_EQ(on.switch_to(178, 1), 0u);
    EXPECT_EQ(on.switch_to(178, 2), bits::SwitchError::mask) << "until power-off";
    on.card.power(false, on.now);
    on.card.power(true, on.now);
    on.to_tran();
    EXPECT_EQ(on.switch_to(178, 2), 0u);
    EXPECT_EQ(on.switch_to(162, 2), bits::SwitchError::mask) << "for ever";
}

TEST(Emmc, RstNResetsACardThatWasToldToObeyIt) {
    Direct on;
    on.to_tran();
    on.card.reset_pin(true, on.now);
    on.card.reset_pin(false, on.now);
    EXPECT_EQ(on.state(), State::tran) << "RST_n_FUNCTION is off";
    on.switch_to(162, 1);
    on.card.reset_pin(true, on.now);
    EXPECT_FALSE(on.send(spec::mmc::send_op_cond(host_ocr))) << "held";
    on.card.reset_pin(false, on.now);
    EXPECT_EQ(on.state(), State::idle);
    on.to_tran();
    EXPECT_EQ(on.state(), State::tran);
}

TEST(Emmc, SleepsAndAwakes) {
    Direct on;
    on.to_stby();
    EXPECT_TRUE(on.send(spec::mmc::sleep(on.rca)));
    EXPECT_EQ(on.card.busy_until(), on.now + microseconds(500));
    on.wait_while_busy();
    EXPECT_FALSE(on.send(spec::send_status(on.rca)));
    EXPECT_TRUE(on.send(spec::mmc::awake(on.rca)));
    on.wait_while_busy();
    EXPECT_EQ(state_in(on.status()), State::stby);
}

TEST(Emmc, SendsExtCsdAsABlockOf512Bytes) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(on.ext_csd().size(), 512u);
    EXPECT_EQ(on.state(), State::tran);
}

// --- blocks ---

TEST(Emmc, WhatIsWrittenIsRead) {
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

TEST(Emmc, NeverWrittenBlocksReadAsErasedMemory) {
    card::EmmcProfile profile = emmc_profile();
    spec::mmc::put(profile.ext_csd, fields::erased_mem_cont, 1);
    Direct on(profile);
    on.to_tran();
    on.r1(spec::read_single_block({5}));
    EXPECT_EQ(on.take(1), std::vector<std::byte>(512, std::byte{0xff}));
}

TEST(Emmc, ABlockCountEndsATransferByItself) {
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

TEST(Emmc, StaysWithinItsCapacity) {
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

TEST(Emmc, ATransferOverTheEndStopsThereAndTellsSo) {
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

TEST(Emmc, ACardThatCountsInSectorsKnowsBlocksOf512Only) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(512))), 0u);
    for (const std::uint32_t length : {0u, 1u, 511u, 1024u}) {
        EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(length))), bits::BlockLenError::mask) << length;
    }
    EXPECT_EQ(errors_in(on.r1(spec::read_single_block({1}))), 0u);
    EXPECT_EQ(on.take(1).size(), 512u);
}

TEST(Emmc, BlockLengthsFollowTheCsd) {
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
        EXPECT_EQ(errors_in(on.r1(spec::read_single_block({450}))), bits::AddressMisalign::mask) << "over a physical boundary";
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

TEST(Emmc, ADamagedBlockEndsAWriteUpToItsStop) {
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

TEST(Emmc, ProgramsOnWhileItIsDeselected) {
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

TEST(Emmc, ErasesWholeGroupsAndTrimsBlocks) {
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

TEST(Emmc, EraseGroupDefMakesGroupsLarge) {
    Direct on;
    on.to_tran();
    on.card.content().write(0, pattern(0, 8192));
    EXPECT_EQ(on.switch_to(175, 1), 0u);
    on.r1(spec::mmc::erase_group_start({0}));
    on.r1(spec::mmc::erase_group_end({1023}));
    on.r1(spec::erase());
    EXPECT_EQ(on.card.busy_until(), on.now + milliseconds(1)) << "512 KiB";
}

TEST(Emmc, EraseErrorsAreTold) {
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

TEST(Emmc, AnotherCommandLeavesTheEraseSequence) {
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
