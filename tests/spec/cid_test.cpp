#include "mmcpipe/spec/cid.h"

#include "dump.h"
#include "generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
using test::bits;

namespace {

spec::mmc::Cid mmc_cid(std::string_view hex) { return spec::mmc::Cid::decode(test::r2_from_hex(hex)); }
spec::sd::Cid sd_cid(std::string_view hex) { return spec::sd::Cid::decode(test::r2_from_hex(hex)); }

spec::mmc::Cid mmc_made(std::uint8_t mdt) { return {.mdt = mdt}; }
spec::Date date(std::uint16_t year, std::uint8_t month) { return {year, month}; }

constexpr std::optional<std::uint8_t> no_ext_csd = 0;
constexpr std::optional<std::uint8_t> not_known = std::nullopt;

} // namespace

TEST(MmcCid, AnEmmcOf2013IsNotOf1997) { // field case C07
    const spec::mmc::Cid cid = mmc_cid("1501004d384731474303dc0db061506f");
    EXPECT_EQ(cid.name(), "M8G1GC");
    EXPECT_EQ(cid.made(6), date(2013, 5));
    EXPECT_EQ(cid.made(no_ext_csd), date(1997, 5));
}

TEST(MmcCid, WithoutTheRevisionTheYearIsNotKnownButTheMonthIs) {
    const spec::Date made = mmc_made(0x50).made(not_known);
    EXPECT_EQ(made.year, std::nullopt);
    EXPECT_EQ(made.month, 5);
    EXPECT_FALSE(made.valid());
}

TEST(MmcCid, DatesOfCardsWithKnownAge) { // field cases, "Vectors usable at once"
    EXPECT_EQ(mmc_made(0x68).made(no_ext_csd), date(2005, 6));
    EXPECT_EQ(mmc_made(0x95).made(5), date(2018, 9));
    for (std::uint8_t revision = 0; revision <= 8; ++revision) EXPECT_EQ(mmc_made(0xbf).made(revision), date(2012, 11));
}

TEST(MmcCid, TheYearCodesBeginAgainWithRevision5AndWithRevision9) {
    EXPECT_EQ(mmc_made(0x1c).made(4), date(2009, 1));
    EXPECT_EQ(mmc_made(0x1c).made(5), date(2025, 1));
    EXPECT_EQ(mmc_made(0x1c).made(8), date(2025, 1));
    EXPECT_EQ(mmc_made(0x1c).made(9), date(2025, 1)); // not before 2023: stays
    EXPECT_EQ(mmc_made(0x1d).made(8), date(2010, 1));
    EXPECT_EQ(mmc_made(0x1d).made(9), date(2026, 1));
    EXPECT_EQ(mmc_made(0x19).made(8), date(2022, 1));
    EXPECT_EQ(mmc_made(0x19).made(9), date(2038, 1));
    EXPECT_EQ(mmc_made(0x1a).made(9), date(2023, 1));
    EXPECT_EQ(mmc_made(0x1a).made(42), date(2023, 1)); // a revision to come
}

TEST(MmcCid, TheOemIsOneByteAndTheOldReadingHasTheBytesBefore) { // field case C08
    const spec::mmc::Cid numonyx = mmc_cid("fe014e4d4d43303247420000000095ff");
    EXPECT_EQ(numonyx.mid, 0xfe);
    EXPECT_EQ(numonyx.cbx, 1);
    EXPECT_EQ(numonyx.oid, 0x4e);
    EXPECT_EQ(numonyx.oid_16(), 0x014e);
    EXPECT_EQ(numonyx.prv.n(), 4u);
    EXPECT_EQ(numonyx.prv.m(), 2u);
}

TEST(SdCid, DatesOfCardsWithKnownAge) { // field cases, "Vectors usable at once"
    EXPECT_EQ(spec::sd::Cid{.mdt = 0x13b}.made(), date(2019, 11));
    EXPECT_EQ(spec::sd::Cid{.mdt = 0x175}.made(), date(2023, 5));
    EXPECT_EQ(spec::sd::Cid{.mdt = 0x0bc}.made(), date(2011, 12));
}

TEST(SdCid, AMonthThatDoesNotExistIsKeptAndNotValid) {
    EXPECT_EQ(spec::sd::Cid{.mdt = 0}.made(), date(2000, 0));
    EXPECT_FALSE(spec::sd::Cid{.mdt = 0}.made().valid());
    EXPECT_FALSE(spec::sd::Cid{.mdt = 0x0bd}.made().valid());
    EXPECT_TRUE(spec::sd::Cid{.mdt = 0x0bc}.made().valid());
}

TEST(SdCid, ANameEndsBeforeItsNulsAndBlanks) {
    EXPECT_EQ(sd_cid("12345641535443002000000145016200").name(), "ASTC");
    EXPECT_EQ(sd_cid("12345641535443002000000145016200").made(), date(2022, 2));
    EXPECT_EQ(mmc_cid("06000033324d2020200100000000c601").name(), "32M");
    EXPECT_EQ(sd_cid("0000000000000000000000375600ea00").name(), ""); // the counterfeit card of field case C15
}

TEST(SdCid, ABlankInsideANameStays) { EXPECT_EQ(sd_cid("09415041462055441000000000007b64").name(), "AF UD"); }

TEST(SdCid, TheOemIsTwoCharacters) { // field case C08
    const spec::sd::Cid cid = sd_cid("02544d5341303447100000000000bc00");
    EXPECT_EQ(cid.mid, 0x02);
    EXPECT_EQ(cid.oid, 0x544d); // "TM"
}

RC_GTEST_PROP(MmcCid, IsDecodedToWhatWasEncoded, ()) {
    spec::mmc::Cid cid{.mid = bits<std::uint8_t>(8),
                       .bin = bits<std::uint8_t>(6),
                       .cbx = bits<std::uint8_t>(2),
                       .oid = bits<std::uint8_t>(8),
                       .prv = {bits<std::uint8_t>(8)},
                       .psn = bits<std::uint32_t>(32),
                       .mdt = bits<std::uint8_t>(8)};
    for (char& c : cid.pnm) c = bits<char>(8);
    RC_ASSERT(spec::mmc::Cid::decode(cid.encode()) == cid);
    RC_ASSERT(spec::crc_of(cid.encode()) == spec::Crc::valid);
}

RC_GTEST_PROP(SdCid, IsDecodedToWhatWasEncoded, ()) {
    spec::sd::Cid cid{.mid = bits<std::uint8_t>(8),
                      .oid = bits<std::uint16_t>(16),
                      .prv = {bits<std::uint8_t>(8)},
                      .psn = bits<std::uint32_t>(32),
                      .mdt = bits<std::uint16_t>(12)};
    for (char& c : cid.pnm) c = bits<char>(8);
    RC_ASSERT(spec::sd::Cid::decode(cid.encode()) == cid);
    RC_ASSERT(spec::crc_of(cid.encode()) == spec::Crc::valid);
}
