// MMC and eMMC from stby to their highest bus mode.

#include "mmcpipe/spec/ext_csd.h"
#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

namespace ext_csd = spec::mmc::ext_csd;
using base::Code;
using base::Error;
using host::BusWidth;
using host::Timing;

struct Mmc : CardFixture {};

constexpr BusMode fast_8{Timing::high_speed, BusWidth::x8};

TEST_F(Mmc, AnEmmcReachesEightLinesAtHighSpeed) {
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_EQ(properties().peer.family, spec::Family::mmc);
    EXPECT_EQ(properties().mode, fast_8);
    EXPECT_EQ(properties().timing_limit, Limit::host);
    EXPECT_EQ(log().back(), "CMD8") << "verified";
    EXPECT_EQ(host->applied.clock, base::megahertz(52));
    EXPECT_EQ(properties().capacity.sectors(), 0x01d5a000u);
    EXPECT_EQ(properties().addressing, spec::Addressing::sector);
    EXPECT_TRUE(properties().set_block_count);
    EXPECT_EQ(host->count("CMD16"), 0u);
    EXPECT_TRUE(card->usable());
    ASSERT_TRUE(card->ext_csd());
    EXPECT_EQ((*card->ext_csd())[ext_csd::hs_timing], 1u) << "as read last";
}

TEST_F(Mmc, TheCardSwitchesFirstAndTheHostFollowsAndEachStepIsVerified) {
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_TRUE(in_order({"CMD6", "CMD13", "52000 kHz x1 high speed", "CMD8",    // HS_TIMING
                          "CMD6", "CMD13", "52000 kHz x8 high speed", "CMD8"})); // BUS_WIDTH
}

TEST_F(Mmc, ACardFor26MHzHighSpeedGetsNoMore) {
    FakeCard fake = FakeCard::emmc();
    spec::mmc::put(fake.ext_csd, ext_csd::device_type, 1);
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(host->applied.clock, base::megahertz(26));
    EXPECT_EQ(host->applied.timing, Timing::high_speed);
}

TEST_F(Mmc, AHostWithFourLinesLimitsTheWidth) {
    insert(FakeCard::emmc());
    host->can().widest = BusWidth::x4;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode.width, BusWidth::x4);
    EXPECT_EQ(properties().width_limit, Limit::host);
}

TEST_F(Mmc, ABoardWithFourLinesLimitsTheWidth) {
    board.lines = 4;
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_EQ(properties().mode.width, BusWidth::x4);
    EXPECT_EQ(properties().width_limit, Limit::board);
}

TEST_F(Mmc, AHostWithoutHighSpeedStaysAtTheClockOfTheCsd) {
    insert(FakeCard::emmc());
    host->can().high_speed = false;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, (BusMode{Timing::legacy, BusWidth::x8}));
    EXPECT_EQ(host->applied.clock, base::megahertz(26));
    EXPECT_EQ(properties().timing_limit, Limit::host);
}

TEST_F(Mmc, WithoutHighSpeedTheClockIs26MHzWhateverTheCsdSays) {
    FakeCard fake = FakeCard::emmc();
    spec::mmc::Csd csd = spec::mmc::Csd::decode(fake.csd);
    csd.tran_speed = 0x5a;
    ASSERT_GT(csd.fastest_clock(), base::megahertz(26));
    fake.csd = csd.encode();
    fake.takes_high_speed = false;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(host->applied.clock, base::megahertz(26));
}

TEST_F(Mmc, AReservedClockInTheCsdIsTakenForTheSlowest) {
    FakeCard fake = FakeCard::old_mmc();
    spec::mmc::Csd csd = spec::mmc::Csd::decode(fake.csd);
    csd.tran_speed = 0;
    fake.csd = csd.encode();
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(host->applied.clock, base::megahertz(20));
}

TEST_F(Mmc, ACardWithoutHighSpeedLimitsTheTiming) {
    FakeCard fake = FakeCard::emmc();
    spec::mmc::put(fake.ext_csd, ext_csd::device_type, 0);
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode, (BusMode{Timing::legacy, BusWidth::x8}));
    EXPECT_EQ(properties().timing_limit, Limit::card);
}

TEST_F(Mmc, ARefusedHighSpeedLeavesTheRestAsItWas) {
    FakeCard fake = FakeCard::emmc();
    fake.takes_high_speed = false;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode, (BusMode{Timing::legacy, BusWidth::x8}));
    EXPECT_EQ(properties().timing_limit, Limit::refused);
    EXPECT_EQ(host->applied.clock, base::megahertz(26));
    EXPECT_EQ(host->applied.timing, Timing::legacy);
}

TEST_F(Mmc, HighSpeedThatDamagesDataIsGivenUpHostFirst) {
    FakeCard fake = FakeCard::emmc();
    fake.fastest_clean = base::megahertz(30);
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode, (BusMode{Timing::legacy, BusWidth::x8}));
    EXPECT_EQ(properties().timing_limit, Limit::not_verified);
    EXPECT_TRUE(in_order({"52000 kHz x1 high speed", "CMD8", "26000 kHz x1", "CMD6"}));
    EXPECT_FALSE(fake.high_speed);
}

TEST_F(Mmc, ARegisterThatReadsDifferentlyAtHighSpeedGivesItAway) {
    for (const ext_csd::Field field : {ext_csd::sec_count, ext_csd::device_type, ext_csd::hs_timing}) {
        FakeCard fake = FakeCard::emmc();
        fake.altered_when_fast = field.index;
        ASSERT_TRUE(bring_up(fake));
        EXPECT_EQ(properties().mode.timing, Timing::legacy) << field.name;
        EXPECT_EQ(properties().timing_limit, Limit::not_verified);
        EXPECT_EQ(properties().capacity.sectors(), 0x01d5a000u);
    }
}

TEST_F(Mmc, ABrokenLineLeadsToTheNextNarrowerBus) {
    FakeCard fake = FakeCard::emmc();
    fake.lines_intact = 4;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode, (BusMode{Timing::high_speed, BusWidth::x4}));
    EXPECT_EQ(properties().width_limit, Limit::not_verified);
    EXPECT_EQ(host->applied.width, BusWidth::x4);
}

TEST_F(Mmc, ACardThatTakesNoWiderBusStaysAtOneLine) {
    FakeCard fake = FakeCard::emmc();
    fake.widest_taken = 1;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode, (BusMode{Timing::high_speed, BusWidth::x1}));
    EXPECT_EQ(properties().width_limit, Limit::refused);
    EXPECT_EQ(host->applied.width, BusWidth::x1);
}

// --- dual data rate ---

struct MmcWithBothEdges : Mmc {
    MmcWithBothEdges() {
        insert(FakeCard::emmc());
        host->can().ddr52 = true;
    }
    FakeCard& fake() { return host->card; }
};

constexpr BusMode twice_8{Timing::ddr52, BusWidth::x8};

TEST_F(MmcWithBothEdges, TheBusGetsFastThenWideThenTakesBothEdgesAndEachStepIsVerified) {
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, twice_8);
    EXPECT_EQ(host->applied.clock, base::megahertz(52));
    EXPECT_TRUE(fake().both_edges);
    EXPECT_TRUE(in_order({"CMD6", "CMD13", "52000 kHz x1 high speed", "CMD8", // HS_TIMING
                          "CMD6", "CMD13", "52000 kHz x8 high speed", "CMD8", // BUS_WIDTH 2
                          "CMD6", "CMD13", "52000 kHz x8 ddr", "CMD8"}));     // BUS_WIDTH 6
    EXPECT_EQ(host->last_argument(6), 0x03b70600u);
    EXPECT_EQ(properties().timing_limit, Limit::host);
}

TEST_F(MmcWithBothEdges, FourLinesHaveAWidthOfTheirOwn) {
    board.lines = 4;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, (BusMode{Timing::ddr52, BusWidth::x4}));
    EXPECT_EQ(host->last_argument(6), 0x03b70500u);
}

TEST_F(MmcWithBothEdges, OneLineIsNotEnough) {
    board.lines = 1;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, (BusMode{Timing::high_speed, BusWidth::x1}));
    EXPECT_EQ(properties().timing_limit, Limit::board);
}

TEST_F(MmcWithBothEdges, ACardWithoutThemIsNotAskedForThem) {
    for (const std::uint32_t type : {0x3u, 0xbu}) { // the second has them at 1.2 V only
        spec::mmc::put(fake().ext_csd, ext_csd::device_type, type);
        ASSERT_TRUE(bring_up());
        EXPECT_EQ(properties().mode, fast_8);
        EXPECT_EQ(properties().timing_limit, Limit::card);
        EXPECT_EQ(host->last_argument(6), 0x03b70200u);
    }
}

TEST_F(MmcWithBothEdges, ARefusedSwitchLeavesHighSpeedAsItWas) {
    fake().takes_both_edges = false;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, fast_8);
    EXPECT_EQ(properties().timing_limit, Limit::refused);
    EXPECT_EQ(host->applied.timing, Timing::high_speed);
    EXPECT_EQ(fake().lines, 8u);
    EXPECT_FALSE(fake().both_edges);
}

TEST_F(MmcWithBothEdges, DataThatIsDamagedLeadsBackToHighSpeed) {
    fake().both_edges_intact = false;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, fast_8);
    EXPECT_EQ(properties().timing_limit, Limit::not_verified);
    EXPECT_EQ(host->applied.timing, Timing::high_speed);
    EXPECT_FALSE(fake().both_edges);
}

TEST_F(MmcWithBothEdges, BlocksHave512BytesAndCmd16IsNotSent) {
    ASSERT_TRUE(bring_up());
    EXPECT_TRUE(host->run(card->set_block_length(512)));
    EXPECT_EQ(host->count("CMD16"), 0u);
    EXPECT_EQ(host->run(card->set_block_length(256)), base::fail(Code::not_possible));
}

TEST_F(Mmc, ExtCsdIsReadAgainAfterADamagedOne) {
    insert(FakeCard::emmc());
    host->faults = {{"CMD8", Error(Code::data_crc), 2, 2}}; // the first two times it is SEND_IF_COND
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, fast_8);
}

TEST_F(Mmc, WithoutExtCsdACardWhoseSizeIsInItFailsAndIsNot1GiB) {
    FakeCard fake = FakeCard::emmc();
    fake.gives_ext_csd = false;
    EXPECT_EQ(bring_up(fake), base::fail(Code::data_timeout));
    EXPECT_EQ(card->usable(), base::fail(Code::data_timeout));

    FakeCard in_bytes = fake;
    in_bytes.ocr = spec::ocr::v2_7_to_3_6;
    EXPECT_EQ(bring_up(in_bytes), base::fail(Code::data_timeout));

    FakeCard in_sectors = FakeCard::old_mmc();
    in_sectors.ocr = fake.ocr;
    EXPECT_EQ(bring_up(in_sectors), base::fail(Code::not_supported)) << "it has none at all";
}

TEST_F(Mmc, WithoutExtCsdASmallCardWorksAsItsCsdSays) {
    FakeCard fake = FakeCard::old_mmc();
    spec::mmc::Csd csd = spec::mmc::Csd::decode(fake.csd);
    csd.spec_vers = 4;
    fake.csd = csd.encode();
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().capacity.sectors(), 1960u << 5);
    EXPECT_EQ(properties().mode, BusMode{});
    EXPECT_EQ(properties().width_limit, Limit::card);
    EXPECT_FALSE(card->ext_csd());
}

TEST_F(Mmc, SecCount0MeansTheFormulaOfTheCsdAndBytes) {
    FakeCard fake = FakeCard::emmc();
    spec::mmc::Csd csd = spec::mmc::Csd::decode(fake.csd);
    csd.c_size = 3839;
    csd.read_bl_len = 10;
    fake.csd = csd.encode();
    fake.ocr = spec::ocr::v2_7_to_3_6;
    spec::mmc::put(fake.ext_csd, ext_csd::sec_count, 0);
    spec::mmc::put(fake.ext_csd, ext_csd::ext_csd_rev, 5);
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().capacity.sectors(), 3840u << 10);
    EXPECT_EQ(properties().addressing, spec::Addressing::byte);
    EXPECT_EQ(fake.block_length, 0u);
    EXPECT_EQ(host->last_argument(16), 512u);
}

TEST_F(Mmc, SecCount0OnACardThatCountsInSectorsCannotBe) {
    FakeCard fake = FakeCard::emmc();
    spec::mmc::put(fake.ext_csd, ext_csd::sec_count, 0);
    EXPECT_EQ(bring_up(fake), base::fail(Code::bad_register, ext_csd::sec_count.index));
}

TEST_F(Mmc, ANewerRevisionOfExtCsdIsUsedAsFarAsItIsKnown) {
    FakeCard fake = FakeCard::emmc();
    spec::mmc::put(fake.ext_csd, ext_csd::ext_csd_rev, 10);
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().mode, fast_8);
}

TEST_F(Mmc, ACardBeforeVersion4IsNeitherAskedForExtCsdNorSwitched) {
    ASSERT_TRUE(bring_up(FakeCard::old_mmc()));
    EXPECT_EQ(host->count("CMD6"), 0u);
    EXPECT_EQ(host->count("CMD8"), 2u) << "SEND_IF_COND only";
    EXPECT_EQ(host->applied.clock, base::megahertz(20));
    EXPECT_EQ(host->last_argument(16), 512u);
    EXPECT_EQ(properties().erase_unit, 32u);
}

TEST_F(Mmc, EraseGroupsAreThoseOfExtCsdOnceEraseGroupDefIsSet) {
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_EQ(fake().ext_csd[ext_csd::erase_group_def.index], std::byte{1});
    EXPECT_EQ(properties().erase_unit, 1024u);
}

TEST_F(Mmc, EraseGroupsAreThoseOfTheCsdIfEraseGroupDefIsRefused) {
    FakeCard fake = FakeCard::emmc();
    fake.takes_erase_group_def = false;
    spec::mmc::put(fake.ext_csd, ext_csd::hc_erase_grp_size, 8);
    ASSERT_TRUE(bring_up(fake));
    EXPECT_EQ(properties().erase_unit, 1024u);
    EXPECT_EQ(properties().mode, fast_8);
}

TEST_F(Mmc, ALockedCardIsBroughtUpAndReportedAsLocked) {
    FakeCard fake = FakeCard::emmc();
    fake.locked = true;
    ASSERT_TRUE(bring_up(fake));
    EXPECT_TRUE(properties().locked);
    EXPECT_EQ(properties().capacity.sectors(), 0x01d5a000u);
    EXPECT_EQ(card->usable(), base::fail(Code::r1_error, spec::r1::CardIsLocked::mask));
}

TEST_F(Mmc, TheTimeOfASwitchIsTheCardsOwnInEveryMode) {
    insert(FakeCard::emmc());
    host->can().high_speed = false;
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().times.mode_switch, base::milliseconds(50));
}

TEST_F(Mmc, TimeOutsAreNeverShorterThanCardsAreKnownToNeed) {
    ASSERT_TRUE(bring_up(FakeCard::emmc()));
    EXPECT_EQ(properties().times.read, base::milliseconds(100));
    EXPECT_EQ(properties().times.write, base::milliseconds(500));
    EXPECT_EQ(properties().times.mode_switch, base::milliseconds(50));
}

} // namespace
} // namespace mmcpipe::card
