// From no supply to an address, against a card that keeps silent at what is out of order.

#include "mmcpipe/card/identify.h"

#include "mmcpipe/spec/ocr.h"
#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

using base::Code;
using base::Error;
using base::milliseconds;

struct Identification : CardFixture {};

TEST_F(Identification, TheClockRunsForAMillisecondBeforeTheFirstCommand) {
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_EQ((Trace{log().begin(), log().begin() + 4}), (Trace{"power off", "power on", "400 kHz x1", "CMD0"}));
    EXPECT_GE(host->times[1] - host->times[0], milliseconds(1)) << "supply off";
    EXPECT_GE(host->times[2] - host->times[1], milliseconds(35)) << "ramp";
    EXPECT_GE(host->times[3] - host->times[2], milliseconds(1)) << "74 cycles";
}

TEST_F(Identification, AnEmptySlotIsNoCardAndNothingIsSent) {
    insert(FakeCard::emmc());
    host->present = false;
    EXPECT_EQ(bring_up(), base::fail(Code::no_card));
    EXPECT_TRUE(log().empty());
    EXPECT_EQ(card->usable(), base::fail(Code::no_card));
}

TEST_F(Identification, SilenceAtEveryClockIsNoCard) {
    FakeCard silent = FakeCard::emmc();
    silent.dead = true;
    EXPECT_EQ(bring_up(silent), base::fail(Code::no_card));
    EXPECT_TRUE(in_order({"400 kHz x1", "300 kHz x1", "200 kHz x1", "100 kHz x1"}));
}

TEST_F(Identification, ACardThatNeedsASlowerClockIsFoundAfterAPowerCycle) {
    FakeCard slow = FakeCard::sdhc();
    slow.fastest_identification = base::kilohertz(200);
    ASSERT_TRUE(bring_up(slow));
    EXPECT_EQ(fake().power_ups, 3u);
    EXPECT_EQ(host->count("100 kHz x1"), 0u);
}

TEST_F(Identification, AHostDoesNotGoBelowItsSlowestClock) {
    FakeCard silent = FakeCard::emmc();
    silent.dead = true;
    insert(silent);
    host->can().slowest = base::kilohertz(250);
    EXPECT_FALSE(bring_up());
    EXPECT_EQ(host->count("300 kHz x1"), 1u);
    EXPECT_EQ(host->count("200 kHz x1"), 0u);
}

TEST_F(Identification, AnSdCardThatDoesNotAnswerCmd8IsAskedWithoutHcs) {
    ASSERT_TRUE(bring_up(FakeCard::sdsc()));
    EXPECT_EQ(properties().peer.family, spec::Family::sd);
    EXPECT_EQ(host->last_argument(41), spec::ocr::v2_7_to_3_6);
    EXPECT_EQ(properties().addressing, spec::Addressing::byte);
}

TEST_F(Identification, AnSdCardThatAnswersCmd8IsAskedWithHcs) {
    ASSERT_TRUE(bring_up(FakeCard::sdhc()));
    EXPECT_EQ(host->last_argument(41), spec::ocr::v2_7_to_3_6 | 1u << 30);
    EXPECT_EQ(properties().addressing, spec::Addressing::sector);
}

TEST_F(Identification, OneLostAnswerToCmd8DoesNotMakeAnOldCard) {
    insert(FakeCard::sdhc());
    host->faults = {{"CMD8", Error(Code::command_timeout)}};
    ASSERT_TRUE(bring_up());
    EXPECT_TRUE(in_order({"CMD0", "CMD8", "CMD0", "CMD8", "CMD55"}));
    EXPECT_EQ(properties().addressing, spec::Addressing::sector);
    EXPECT_EQ(fake().power_ups, 1u);
}

TEST_F(Identification, ACardThatHasShownThatItIsSdIsNotTakenForMmcWhenAnAnswerIsLost) {
    for (const FakeCard& fake : {FakeCard::sdhc(), FakeCard::sdsc()}) {
        insert(fake);
        host->faults = {{.at = "CMD55", .error = Error(Code::command_timeout), .after = fake.answers_cmd8 ? 0u : 1u}};
        ASSERT_TRUE(bring_up());
        EXPECT_EQ(host->count("CMD1"), 0u);
        EXPECT_EQ(this->fake().power_ups, 2u);
    }
}

TEST_F(Identification, AWrongEchoStartsAgainFromCmd0) {
    FakeCard strange = FakeCard::sdhc();
    strange.echo = 0;
    EXPECT_EQ(bring_up(strange), base::fail(Code::bad_register));
    EXPECT_EQ(host->count("CMD0"), 4u) << "once for each clock";
    EXPECT_EQ(host->count("CMD55"), 0u);
}

TEST_F(Identification, ADamagedAnswerToCmd8LeadsToAPowerCycle) {
    insert(FakeCard::sdhc());
    host->faults = {{"CMD8", Error(Code::command_crc)}};
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(fake().power_ups, 2u) << "a card left at 1.8 V needs it";
}

TEST_F(Identification, ASlowSdCardGetsTwoSecondsAndIsAskedLessAndLessOften) {
    FakeCard slow = FakeCard::sdhc();
    slow.power_up = milliseconds(1900);
    ASSERT_TRUE(bring_up(slow));
    const std::vector<base::Duration> intervals = host->intervals("ACMD41");
    EXPECT_LT(intervals.front(), milliseconds(2));
    EXPECT_GE(intervals.back(), milliseconds(10));
    EXPECT_LT(intervals.back(), milliseconds(11));
}

TEST_F(Identification, ASlowMmcCardGetsTwoSecondsAndIsAskedLessAndLessOften) {
    FakeCard slow = FakeCard::emmc();
    slow.power_up = milliseconds(1900);
    ASSERT_TRUE(bring_up(slow));
    const std::vector<base::Duration> intervals = host->intervals("CMD1");
    EXPECT_LT(intervals.front(), milliseconds(2));
    EXPECT_GE(intervals.back(), milliseconds(10));
}

TEST_F(Identification, ACardThatAnswersButNeverPowersUpIsBusyAndNotAbsent) {
    for (FakeCard never : {FakeCard::emmc(), FakeCard::sdhc()}) {
        never.power_up = base::seconds(100);
        const base::Result<void> up = bring_up(never);
        ASSERT_FALSE(up);
        EXPECT_EQ(up.error().code, Code::busy_timeout);
        EXPECT_NE(up.error().raw & spec::ocr::v2_7_to_3_6, 0u) << "raw is its OCR";
        EXPECT_EQ(fake().power_ups, 1u);
        EXPECT_LT(host->executor().now().ns, milliseconds(2200).ns);
    }
}

TEST_F(Identification, TheArgumentOfCmd1IsTheSameEachTimeAndAsksForSectors) {
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_GT(host->count("CMD1"), 2u);
    for (const spec::Command& command : host->commands) {
        if (command.index != 1) continue;
        EXPECT_EQ(command.argument, spec::ocr::v2_7_to_3_6 | 2u << 29);
    }
}

TEST_F(Identification, TheCommandLineIsOpenDrainUntilAnMmcCardHasItsAddress) {
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_TRUE(in_order({"CMD55", "400 kHz x1 open drain", "CMD0", "CMD1", "CMD2", "CMD3", "400 kHz x1", "CMD9"}));
}

TEST_F(Identification, AnSdCardNeverSeesAnOpenDrainLine) {
    ASSERT_TRUE(bring_up(FakeCard::sdhc()));
    EXPECT_EQ(host->count("400 kHz x1 open drain"), 0u);
    EXPECT_EQ(host->count("CMD1"), 0u);
}

TEST_F(Identification, CsdIsReadBeforeTheCardIsSelected) {
    for (const FakeCard& fake : {FakeCard::emmc(), FakeCard::sdhc()}) {
        ASSERT_TRUE(bring_up(fake));
        EXPECT_LT(host->place("CMD9"), host->place("CMD7"));
    }
}

TEST_F(Identification, AnSdCardThatProposesAddress0IsAskedForAnother) {
    FakeCard zero = FakeCard::sdhc();
    zero.proposed_rca = 0;
    ASSERT_TRUE(bring_up(zero));
    EXPECT_EQ(host->count("CMD3"), 2u);
    EXPECT_EQ(fake().power_ups, 1u);
    EXPECT_EQ(properties().peer.rca, spec::Rca{0x4321});
}

TEST_F(Identification, ACardForAnotherVoltageIsNotSupported) {
    FakeCard low = FakeCard::emmc();
    low.ocr = spec::ocr::DualVoltage::mask | 1u << 30;
    const base::Result<void> up = bring_up(low);
    ASSERT_FALSE(up);
    EXPECT_EQ(up.error().code, Code::not_supported);
}

TEST_F(Identification, ABoardWith1V8AsksMmcCardsOnlyAndSaysSo) {
    FakeCard low = FakeCard::emmc();
    low.ocr = spec::ocr::DualVoltage::mask | 1u << 30;
    board.supply_ = port::Supply::v1_8;
    ASSERT_TRUE(bring_up(low));
    EXPECT_EQ(host->applied.supply, port::Supply::v1_8);
    EXPECT_EQ(host->last_argument(1), spec::ocr::DualVoltage::mask | 2u << 29);
    EXPECT_EQ(host->count("CMD55"), 0u);
}

TEST_F(Identification, ABoardThatCannotSwitchTheSupplyPulsesTheResetPin) {
    board.reset_pin = true;
    insert(FakeCard::emmc());
    host->power_off_works = false;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(board.resets, 1u);
    EXPECT_FALSE(board.reset_held);
}

TEST_F(Identification, ACardIsNotUsableWhileItIsBroughtUp) {
    use(FakeCard::emmc());
    bool usable = false;
    host->on_command = [this, &usable](FakeHost&, const std::string&) { usable = usable || card->usable(); };
    ASSERT_TRUE(bring_up());
    EXPECT_FALSE(usable);
    EXPECT_TRUE(card->usable());
}

TEST_F(Identification, NothingIsLeftOfTheCardThatWasInTheSlotBefore) {
    use(FakeCard::emmc());
    fake() = FakeCard::sdhc();
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().peer.family, spec::Family::sd);
    EXPECT_FALSE(card->ext_csd());
}

TEST_F(Identification, ACardThatIsPulledMeanwhileIsNoCard) {
    insert(FakeCard::sdhc());
    host->on_command = [](FakeHost& host, const std::string& what) {
        if (what == "ACMD51") host.present = false, host.card.dead = true;
    };
    EXPECT_EQ(bring_up(), base::fail(Code::no_card));
}

} // namespace
} // namespace mmcpipe::card
