#include "mmcpipe/sim/card/sd_card.h"

#include "mmcpipe/spec/ocr.h"
#include "mmcpipe/spec/state.h"
#include "tests/sim/direct_card.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <set>

namespace mmcpipe::sim {
namespace {

using spec::State;
namespace bits = spec::r1;

constexpr std::uint32_t host_ocr = 0x40ff8000;

struct Direct : DirectCard<card::SdCard> {
    explicit Direct(const card::SdProfile& profile = sdhc_profile()) : DirectCard(profile) {}

    std::optional<wire::Answer> application(std::uint8_t index, std::uint32_t argument) {
        r1(spec::app_cmd(rca));
        return send(index, argument);
    }
    std::optional<wire::Answer> op_cond(std::uint32_t ocr) { return application(41, ocr); }

    void to_ready() {
        send(spec::sd::send_if_cond());
        op_cond(host_ocr);
        wait(milliseconds(100));
        op_cond(host_ocr);
    }
    void to_stby() {
        to_ready();
        send(spec::all_send_cid());
        rca = spec::Rca::in(send(spec::sd::send_relative_addr())->words[0]);
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
        case State::dis:
            to_tran();
            send(spec::sd::erase_wr_blk_start({0}));
            send(spec::sd::erase_wr_blk_end({0}));
            send(spec::erase());
            if (wanted == State::dis) send(spec::deselect_card());
            break;
        default: FAIL();
        }
    }
};

TEST(SdCard, TakesEveryCommandInTheStatesOfTheTableAndInNoOther) {
    const std::vector<std::uint8_t> has{0, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17, 18, 23, 24, 25, 32, 33, 38, 55};
    const std::vector<std::uint8_t> has_application{6, 13, 22, 23, 41, 42, 51};
    for (const bool application : {false, true}) {
        for (const State state : {State::idle, State::ready, State::ident, State::stby, State::tran, State::data,
                                  State::rcv, State::prg, State::dis}) {
            for (std::uint8_t index = 0; index < 64; ++index) {
                SCOPED_TRACE((application ? "ACMD" : "CMD") + std::to_string(index) + " in state " +
                             std::to_string(static_cast<int>(state)));
                Direct on;
                on.to(state);
                ASSERT_EQ(on.state(), state);
                if (application) {
                    if (!spec::legal(spec::Family::sd, 55, false, state)) continue;
                    on.r1(spec::app_cmd(on.rca));
                }
                const bool special = application && spec::is_application_command(spec::Family::sd, index);
                const bool addressed =
                    !special && (index == 7 || index == 9 || index == 10 || index == 13 || index == 15 || index == 55);
                const std::uint32_t argument = special && index == 41   ? host_ocr
                                               : !special && index == 8 ? spec::sd::send_if_cond().argument
                                               : addressed              ? on.rca.argument()
                                                                        : 0;
                const bool taken = std::ranges::count(special ? has_application : has, index) != 0 &&
                                   spec::legal(spec::Family::sd, index, application, state);
                const std::optional<wire::Answer> answer = on.send(index, argument);
                const bool silent = index == 0 || index == 4 || index == 15;
                EXPECT_EQ(answer.has_value(), taken && !silent);
                if (taken && index == 0) {
                    EXPECT_EQ(on.state(), State::idle);
                } else if (taken && index == 15) {
                    EXPECT_EQ(on.state(), State::ina);
                } else if (!(taken && !special && (index == 3 || index == 55)) &&
                           spec::legal(spec::Family::sd, 13, false, on.state())) {
                    EXPECT_EQ(bits::IllegalCommand::get(on.status()), !taken);
                }
            }
        }
    }
}

// --- identification ---

TEST(SdCard, EchoesThePatternIfItCanWorkAtTheVoltage) {
    Direct on;
    EXPECT_EQ(on.send(spec::sd::send_if_cond({.voltage = 1, .pattern = 0x5a}))->words[0], 0x15au);
    EXPECT_FALSE(on.send(spec::sd::send_if_cond({.voltage = 2, .pattern = 0xaa})));
}

TEST(SdCard, ACardBefore2_00DoesNotKnowCmd8) {
    card::SdProfile profile = sdsc_profile();
    profile.scr = {std::byte{0x01}, std::byte{0x25}};
    Direct on(profile);
    EXPECT_FALSE(on.send(spec::sd::send_if_cond()));
    EXPECT_TRUE(bits::IllegalCommand::get(on.r1(spec::app_cmd({0}))));
    on.op_cond(0x00ff8000);
    on.wait(milliseconds(100));
    EXPECT_EQ(on.op_cond(0x00ff8000)->words[0], 0x80ff8000u);
}

TEST(SdCard, AHighCapacityCardStaysBusyForAHostThatDoesNotKnowIt) {
    Direct no_hcs;
    no_hcs.send(spec::sd::send_if_cond());
    Direct no_cmd8;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(no_hcs.op_cond(0x00ff8000)->words[0], 0x00ff8000u);
        EXPECT_EQ(no_cmd8.op_cond(host_ocr)->words[0], 0x00ff8000u);
        no_hcs.wait(milliseconds(100));
        no_cmd8.wait(milliseconds(100));
    }
    Direct both;
    both.send(spec::sd::send_if_cond());
    EXPECT_EQ(both.op_cond(host_ocr)->words[0], 0x00ff8000u) << "CCS is valid only when it is ready";
    both.wait(milliseconds(20));
    EXPECT_EQ(both.op_cond(host_ocr)->words[0], 0xc0ff8000u);
    EXPECT_EQ(both.state(), State::ready);
}

TEST(SdCard, CMD0MakesItForgetCmd8) {
    Direct on;
    on.send(spec::sd::send_if_cond());
    on.send(spec::go_idle_state());
    on.op_cond(host_ocr);
    on.wait(milliseconds(100));
    EXPECT_EQ(on.op_cond(host_ocr)->words[0], 0x00ff8000u);
}

TEST(SdCard, AStandardCapacityCardSaysSo) {
    Direct on(sdsc_profile());
    on.send(spec::sd::send_if_cond());
    on.op_cond(host_ocr);
    on.wait(milliseconds(20));
    EXPECT_EQ(on.op_cond(host_ocr)->words[0], 0x80ff8000u);
}

TEST(SdCard, WithoutACommonVoltageItGoesInactive) {
    card::SdProfile profile = sdhc_profile();
    profile.ocr = 0x00300000;
    Direct on(profile);
    on.send(spec::sd::send_if_cond());
    EXPECT_FALSE(on.op_cond(0x40008000));
    EXPECT_EQ(on.state(), State::ina);
}

TEST(SdCard, ProposesANewAddressEachTimeAndTellsStatusInR6) {
    Direct on;
    on.to(State::ident);
    std::set<std::uint16_t> seen;
    EXPECT_FALSE(on.send(17, 0));
    for (int i = 0; i < 5; ++i) {
        const auto r6 = spec::sd::R6::in(on.send(spec::sd::send_relative_addr())->words[0]);
        EXPECT_NE(r6.rca.value, 0);
        EXPECT_TRUE(seen.insert(r6.rca.value).second);
        EXPECT_EQ(state_in(r6.status), i == 0 ? State::ident : State::stby);
        EXPECT_EQ(bits::IllegalCommand::get(r6.status), i == 0);
    }
}

TEST(SdCard, AppCmdHoldsForOneCommand) {
    Direct on;
    on.to_tran();
    EXPECT_TRUE(bits::AppCmd::get(on.r1(spec::app_cmd(on.rca))));
    EXPECT_TRUE(bits::AppCmd::get(on.send(42, 1)->words[0]));
    EXPECT_FALSE(bits::AppCmd::get(on.status()));
    on.r1(spec::app_cmd(on.rca));
    on.r1(spec::set_blocklen(512)); // no ACMD16: taken as CMD16
    EXPECT_FALSE(on.send(51, 0)) << "CMD51, not ACMD51";
}

// --- registers ---

TEST(SdCard, SendsScrAndSdStatus) {
    card::SdProfile profile = sdhc_profile();
    profile.sd_status[8] = std::byte{4};
    Direct on(profile);
    on.to_tran();
    EXPECT_EQ(on.application(51, 0)->kind, spec::Response::r1);
    EXPECT_EQ(on.card.block_length(), 8u);
    EXPECT_EQ(on.take(1), (std::vector<std::byte>(profile.scr.begin(), profile.scr.end())));
    EXPECT_EQ(errors_in(on.application(6, 2)->words[0]), 0u);
    EXPECT_EQ(on.card.width(), 4u);
    on.application(13, 0);
    const std::vector<std::byte> status = on.take(1);
    ASSERT_EQ(status.size(), 64u);
    EXPECT_EQ(status[0], std::byte{0x80}) << "4 lines";
    EXPECT_EQ(status[8], std::byte{4});
}

TEST(SdCard, CMD0EndsTheBusModes) {
    Direct on;
    on.to_tran();
    const Time legacy = on.card.shortest_period();
    on.application(6, 2);
    on.r1(spec::sd::switch_func({.set = true, .access_mode = 1}));
    on.take(1);
    on.send(spec::go_idle_state());
    on.rca = {};
    on.to_tran();
    EXPECT_EQ(on.card.width(), 1u);
    EXPECT_EQ(on.card.shortest_period(), legacy);
    on.application(13, 0);
    EXPECT_EQ(on.take(1)[0], std::byte{0});
}

TEST(SdCard, RefusesAWidthThatItDoesNotHave) {
    card::SdProfile profile = sdhc_profile();
    profile.scr[1] = std::byte{0x31}; // 1 line only
    Direct on(profile);
    on.to_tran();
    EXPECT_EQ(errors_in(on.application(6, 2)->words[0]), bits::AddressOutOfRange::mask);
    EXPECT_EQ(errors_in(on.application(6, 1)->words[0]), bits::AddressOutOfRange::mask);
    EXPECT_EQ(on.card.width(), 1u);
}

TEST(SdCard, SwitchesToHighSpeedAndBack) {
    Direct on;
    on.to_tran();
    const Time legacy = on.card.shortest_period();
    on.r1(spec::sd::switch_func({.set = false, .access_mode = 1}));
    std::vector<std::byte> status = on.take(1);
    ASSERT_EQ(status.size(), 64u);
    EXPECT_EQ(status[13], std::byte{0x03}) << "functions 0 and 1 of group 1";
    EXPECT_EQ(status[16], std::byte{0x01}) << "it would be High Speed";
    EXPECT_EQ(on.card.shortest_period(), legacy) << "a question changes nothing";

    on.r1(spec::sd::switch_func({.set = true, .access_mode = 1}));
    EXPECT_EQ(on.take(1)[16], std::byte{0x01});
    EXPECT_EQ(on.card.shortest_period(), Time{990'000'000'000 / 50'000'000});

    on.r1(spec::sd::switch_func({.set = true, .access_mode = 3, .power_limit = 0}));
    status = on.take(1);
    EXPECT_EQ(status[16], std::byte{0x0f}) << "no such function";
    EXPECT_EQ(status[1], std::byte{0});
    EXPECT_EQ(on.card.shortest_period(), Time{990'000'000'000 / 50'000'000});

    on.r1(spec::sd::switch_func({.set = true, .access_mode = 0}));
    on.take(1);
    EXPECT_EQ(on.card.shortest_period(), legacy);
}

TEST(SdCard, CountsTheBlocksThatWereWrittenWell) {
    Direct on;
    on.to_tran();
    EXPECT_TRUE(on.application(23, 8));
    on.r1(spec::write_multiple_block({0}));
    on.give(pattern(0, 5 * 512));
    on.card.damaged(on.now);
    on.r1(spec::stop_transmission(spec::Transfer::write));
    on.application(22, 0);
    EXPECT_EQ(on.take(1), (std::vector{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{5}}));
}

// --- data ---

TEST(SdCard, AStandardCapacityCardCountsInBytesWithBlocksOf512WhateverItsCsdSays) {
    Direct on(sdsc_profile());
    EXPECT_EQ(on.card.capacity(), 2032664576u);
    on.card.content().write(0, pattern(0, 4096));
    on.to_tran();
    on.r1(spec::read_single_block({1024}));
    EXPECT_EQ(on.take(1), pattern(1024, 512));
    EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(1024))), 0u);
    on.r1(spec::read_single_block({1024}));
    EXPECT_EQ(on.take(1), pattern(1024, 1024));
    EXPECT_EQ(errors_in(on.r1(spec::set_blocklen(2048))), bits::BlockLenError::mask);
}

TEST(SdCard, StaysWithinItsCapacity) {
    Direct on;
    EXPECT_EQ(on.card.capacity(), 31393316864u);
    on.to_tran();
    const std::uint32_t last = 61315071;
    on.r1(spec::write_block({last}));
    EXPECT_EQ(on.give(pattern(0, 512)), 1u);
    on.wait_while_busy();
    on.r1(spec::read_single_block({last}));
    EXPECT_EQ(on.take(1), pattern(0, 512));
    EXPECT_EQ(errors_in(on.r1(spec::read_single_block({last + 1}))), bits::AddressOutOfRange::mask);
}

TEST(SdCard, ABlockCountNeedsACardThatHasIt) {
    Direct on;
    on.to_tran();
    on.r1(spec::set_block_count(2));
    on.r1(spec::read_multiple_block({0}));
    EXPECT_EQ(on.take(9).size(), 1024u);
    card::SdProfile profile = sdhc_profile();
    profile.scr[3] = std::byte{0};
    Direct old(profile);
    old.to_tran();
    EXPECT_FALSE(old.send(spec::set_block_count(2)));
}

TEST(SdCard, ErasesSingleBlocks) {
    card::SdProfile profile = sdhc_profile();
    profile.scr[1] = std::byte{0xb5}; // DATA_STAT_AFTER_ERASE
    Direct on(profile);
    on.card.content().write(0, pattern(0, 8192));
    on.to_tran();
    on.r1(spec::sd::erase_wr_blk_start({3}));
    on.r1(spec::sd::erase_wr_blk_end({4}));
    EXPECT_EQ(errors_in(on.r1(spec::erase())), 0u);
    EXPECT_EQ(on.card.busy_until(), on.now + milliseconds(1));
    std::vector<std::byte> expected = pattern(0, 8192);
    std::fill(expected.begin() + 3 * 512, expected.begin() + 5 * 512, std::byte{0xff});
    EXPECT_EQ(on.held(0, 8192), expected);
}

TEST(SdCard, ComesUpAndMovesDataOverTheBus) {
    for (const card::SdProfile& profile : {sdhc_profile(), sdsc_profile()}) {
        SdOnBus on(profile);
        EXPECT_EQ(on.state(), State::tran);
        on.controller.send_application(on.rca, spec::sd::set_bus_width(spec::sd::BusWidth::x4));
        on.bus.set_width(4);
        on.controller.send(spec::write_multiple_block({4096}));
        on.controller.transmit(pattern(0, 8192));
        EXPECT_EQ(on.controller.finish_data(), ScriptedController::End::complete);
        on.controller.send(spec::stop_transmission(spec::Transfer::write));
        on.controller.wait_while_busy();
        on.controller.receive(16);
        on.controller.send(spec::read_multiple_block({4096}));
        EXPECT_EQ(on.controller.finish_data(), ScriptedController::End::complete);
        EXPECT_EQ(on.controller.data, pattern(0, 8192));
        on.controller.send(spec::stop_transmission(spec::Transfer::read));
        on.controller.receive(1, 8);
        on.controller.send_application(on.rca, spec::sd::send_scr());
        EXPECT_EQ(on.controller.finish_data(), ScriptedController::End::complete);
        EXPECT_EQ(on.controller.data, (std::vector<std::byte>(profile.scr.begin(), profile.scr.end())));
    }
}

} // namespace
} // namespace mmcpipe::sim
