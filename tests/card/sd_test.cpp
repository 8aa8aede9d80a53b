// SD cards from stby to their highest bus mode.

#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

using base::Code;
using base::Error;
using host::BusWidth;

struct Sd : CardFixture {};

TEST_F(Sd, AnSdhcCardReachesFourLinesAt25MHz) {
    ASSERT_TRUE(bring_up(FakeCard::sdhc()));
    EXPECT_EQ(properties().peer, (Peer{spec::Rca{0x1234}, spec::Family::sd}));
    EXPECT_EQ(properties().capacity.sectors(), 15'160u * 1024);
    EXPECT_EQ(properties().mode.width, BusWidth::x4);
    EXPECT_EQ(properties().width_limit, Limit::card);
    EXPECT_EQ(properties().timing_limit, Limit::not_offered);
    EXPECT_EQ(host->applied.clock, base::megahertz(25));
    EXPECT_EQ(host->count("CMD16"), 0u);
    EXPECT_TRUE(properties().set_block_count);
    EXPECT_EQ(properties().sd_status.au_sectors(), 8192u);
    EXPECT_EQ(properties().erase_unit, 1u);
    EXPECT_FALSE(card->ext_csd());
}

TEST_F(Sd, AnSdscCardOf2GBTransfers512BytesWhateverReadBlLenSays) {
    ASSERT_TRUE(bring_up(FakeCard::sdsc()));
    EXPECT_EQ(properties().capacity.bytes, 1'971'322'880u);
    EXPECT_EQ(host->last_argument(16), 512u);
    EXPECT_FALSE(properties().set_block_count);
    EXPECT_EQ(properties().erase_unit, 64u);
}

TEST_F(Sd, TheCardWidensFirstAndTheHostFollowsAndScrIsReadAgain) {
    ASSERT_TRUE(bring_up(FakeCard::sdhc()));
    EXPECT_TRUE(in_order({"ACMD51", "ACMD6", "25000 kHz x4", "ACMD51"}));
    EXPECT_EQ(host->count("25000 kHz x4"), 1u);
}

TEST_F(Sd, ABrokenLineLeadsBackToOne) {
    FakeCard fake = FakeCard::sdhc();
    fake.lines_intact = 1;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode.width, BusWidth::x1);
    EXPECT_EQ(properties().width_limit, Limit::not_verified);
    EXPECT_EQ(host->applied.width, BusWidth::x1);
}

TEST_F(Sd, AnScrThatReadsDifferentlyOverFourLinesLeadsBackToOne) {
    FakeCard fake = FakeCard::sdhc();
    fake.scr_altered_when_wide = true;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode.width, BusWidth::x1);
    EXPECT_EQ(properties().width_limit, Limit::not_verified);
}

TEST_F(Sd, ACardWithOneLineIsNotWidened) {
    FakeCard fake = FakeCard::sdhc();
    fake.scr.sd_bus_widths = 1;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(host->count("ACMD6"), 0u);
    EXPECT_EQ(properties().width_limit, Limit::card);
}

TEST_F(Sd, AnUnreadableScrIsAnError) {
    insert(FakeCard::sdhc());
    host->faults = {{"ACMD51", Error(Code::data_crc), 3}};
    EXPECT_EQ(bring_up(), base::fail(Code::data_crc));
}

TEST_F(Sd, SdStatusIsAskedForFiveTimesAndThenDoneWithout) {
    FakeCard fake = FakeCard::sdhc();
    fake.gives_sd_status = false;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(host->count("ACMD13"), 5u);
    EXPECT_EQ(properties().sd_status, spec::sd::SdStatus{});
    EXPECT_TRUE(card->usable());
}

TEST_F(Sd, ALockedCardIsNotAskedForWhatItRefuses) {
    FakeCard fake = FakeCard::sdsc();
    fake.locked = true;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_TRUE(properties().locked);
    EXPECT_EQ(properties().width_limit, Limit::locked);
    for (const char* refused : {"ACMD51", "ACMD13", "ACMD6"}) EXPECT_EQ(host->count(refused), 0u);
    EXPECT_EQ(card->usable(), base::fail(Code::r1_error, spec::r1::CardIsLocked::mask));
}

TEST_F(Sd, WritesGetTheAdvisedHalfSecond) {
    ASSERT_TRUE(bring_up(FakeCard::sdhc()));
    EXPECT_EQ(properties().times.write, base::milliseconds(500));
    EXPECT_EQ(properties().times.read, base::milliseconds(100));
}

} // namespace
} // namespace mmcpipe::card
