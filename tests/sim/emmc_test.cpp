#include "mmcpipe/sim/card/emmc.h"

#include "mmcpipe/spec/ocr.h"
#include "mmcpipe/spec/state.h"
#include "tests/sim/direct_emmc.h"

#include <gtest/gtest.h>
#include <initializer_list>

namespace mmcpipe::sim {
namespace {

using spec::State;
using spec::mmc::Switch;
namespace fields = spec::mmc::ext_csd;
namespace bits = spec::r1;

constexpr std::uint32_t host_ocr = 0x40ff8080;
using Direct = DirectEmmc;

// --- the state machine ---

TEST(Emmc, TakesEveryCommandInTheStatesOfTheTableAndInNoOther) {
    const std::vector<std::uint8_t> has{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12,
                                        13, 15, 16, 17, 18, 23, 24, 25, 35, 36, 38};
    for (const State state : {State::idle, State::ready, State::ident, State::stby, State::tran, State::data,
                              State::rcv, State::prg, State::dis, State::slp}) {
        for (std::uint8_t index = 0; index < 64; ++index) {
            SCOPED_TRACE("CMD" + std::to_string(index) + " in state " + std::to_string(static_cast<int>(state)));
            Direct on;
            on.to(state);
            ASSERT_EQ(on.state(), state);
            const bool addressed = index == 7 || index == 9 || index == 10 || index == 13 || index == 15 ||
                                   index == 5 || index == 3 || index == 55;
            const std::uint32_t argument = index == 1 ? host_ocr : addressed ? on.rca.argument() : 0;
            const bool taken =
                std::ranges::count(has, index) != 0 && spec::legal(spec::Family::mmc, index, false, state);
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

TEST(Emmc, ACommandThatItDoesNotHaveIsIllegalForWhomeverItIs) {
    Direct on;
    on.to_tran();
    EXPECT_FALSE(on.send(spec::app_cmd({0})));
    EXPECT_EQ(errors_in(on.status()), bits::IllegalCommand::mask);
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
    for (const std::uint8_t index : {std::uint8_t{181}, std::uint8_t{189}, std::uint8_t{192}, std::uint8_t{212},
                                     std::uint8_t{255}, std::uint8_t{0}}) {
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

TEST(Emmc, WhatCanOnlyBeWrittenReadsAs0) {
    Direct on;
    on.to_tran();
    EXPECT_EQ(on.switch_to(183, 2), 0u);
    EXPECT_EQ(on.switch_to(164, 1), 0u);
    EXPECT_EQ(on.ext_csd()[183], std::byte{0});
    EXPECT_EQ(on.ext_csd()[164], std::byte{0});
    EXPECT_EQ(on.card.width(), 8u);
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

} // namespace
} // namespace mmcpipe::sim
