#include "mmcpipe/spec/r1.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
namespace r1 = spec::r1;
using spec::State;

TEST(R1, WordsSeenOnRealCardsNameTheirStates) { // field cases, "Vectors usable at once"
    const struct {
        std::uint32_t word;
        State state;
        bool ready;
    } seen[] = {
        {0x00000900, State::tran, true}, {0x00000e00, State::prg, false}, {0x00000b00, State::data, true},
        {0x00000c00, State::rcv, false}, {0x00000700, State::stby, true}, {0x00008900, State::tran, true},
    };
    for (const auto& row : seen) {
        EXPECT_EQ(r1::CurrentState::get(row.word), row.state) << std::hex << row.word;
        EXPECT_EQ(r1::ReadyForData::get(row.word), row.ready) << std::hex << row.word;
        EXPECT_EQ(r1::status(row.state, row.ready), row.word & ~r1::errors) << std::hex << row.word;
    }
}

TEST(R1, AnEraseThatSkippedProtectedGroupsIsAnError) {
    EXPECT_EQ(0x00008900 & r1::mmc_errors, r1::WpEraseSkip::mask);
    EXPECT_EQ(0x00008900 & r1::sd_errors, r1::WpEraseSkip::mask);
}

TEST(R1, OnlyTranAndReadyIsTheTransferState) {
    EXPECT_TRUE(r1::in_transfer_state(0x900));
    EXPECT_FALSE(r1::in_transfer_state(0x800)); // after CMD6 in the trace of gh-emmc-h616-csd
    EXPECT_FALSE(r1::in_transfer_state(0xe00));
    EXPECT_FALSE(r1::in_transfer_state(0xb00));
}

TEST(R1, ErrorBitsAreThoseOfTheSpecifications) {
    EXPECT_EQ(r1::mmc_errors, 0xfdff8080u);
    EXPECT_EQ(r1::sd_errors, 0xfdf98008u);
}

TEST(R1, WhatTellsTheConditionOfTheCardIsNoError) {
    const std::uint32_t locked_and_busy = r1::CardIsLocked::mask | r1::status(State::prg, false) | r1::AppCmd::mask;
    EXPECT_EQ(locked_and_busy & (r1::mmc_errors | r1::sd_errors), 0u);
    EXPECT_EQ(r1::conditions & (r1::mmc_errors | r1::sd_errors), 0u);
}

TEST(R1, WhatIsFoundDuringExecutionIsAnErrorAndNotAboutTheCommandBefore) {
    EXPECT_EQ(r1::found_in_execution & ~r1::mmc_errors, 0u);
    EXPECT_EQ(r1::found_in_execution & r1::about_previous, 0u);
}

TEST(R6, OfARealCardGivesAddressAndStatus) {
    const spec::sd::R6 r6 = spec::sd::R6::in(0x00010520);
    EXPECT_EQ(r6.rca, spec::Rca{1});
    EXPECT_EQ(r6.status, 0x520u);
    EXPECT_EQ(r1::CurrentState::get(r6.status), State::ident);
    EXPECT_TRUE(r1::ReadyForData::get(r6.status));
    EXPECT_TRUE(r1::AppCmd::get(r6.status));
}

TEST(R6, CarriesThreeErrorBitsOfTheStatusInItsOwnPlaces) {
    EXPECT_EQ(spec::sd::R6::in(1u << 15).status, r1::ComCrcError::mask);
    EXPECT_EQ(spec::sd::R6::in(1u << 14).status, r1::IllegalCommand::mask);
    EXPECT_EQ(spec::sd::R6::in(1u << 13).status, r1::Error::mask);
}

RC_GTEST_PROP(R6, EveryWordComesBackFromWhatItMeans, (std::uint32_t word)) {
    RC_ASSERT(spec::sd::R6::in(word).word() == word);
}
