#include "mmcpipe/spec/csd.h"

#include "dump.h"
#include "generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
using test::bits;
using test::flag;

namespace {

spec::sd::Csd sd_csd(std::string_view hex) { return spec::sd::Csd::decode(test::r2_from_hex(hex)); }
spec::mmc::Csd mmc_csd(std::string_view hex) { return spec::mmc::Csd::decode(test::r2_from_hex(hex)); }

/// Anything in the fields that MMC and SD share, each within its width; the others are 0.
template <class Csd>
Csd any_shared_fields() {
    Csd csd;
    csd.csd_structure = bits<std::uint8_t>(2);
    csd.taac = bits<std::uint8_t>(8);
    csd.nsac = bits<std::uint8_t>(8);
    csd.tran_speed = bits<std::uint8_t>(8);
    csd.ccc = bits<std::uint16_t>(12);
    csd.read_bl_len = bits<std::uint8_t>(4);
    csd.read_bl_partial = flag();
    csd.write_blk_misalign = flag();
    csd.read_blk_misalign = flag();
    csd.dsr_imp = flag();
    csd.wp_grp_enable = flag();
    csd.r2w_factor = bits<std::uint8_t>(3);
    csd.write_bl_len = bits<std::uint8_t>(4);
    csd.write_bl_partial = flag();
    csd.file_format_grp = flag();
    csd.copy = flag();
    csd.perm_write_protect = flag();
    csd.tmp_write_protect = flag();
    csd.file_format = bits<std::uint8_t>(2);
    return csd;
}

/// The same for those that SD has in structure 0 only.
void fill_size_and_current(auto& csd) {
    csd.c_size = bits<std::uint16_t>(12);
    csd.vdd_r_curr_min = bits<std::uint8_t>(3);
    csd.vdd_r_curr_max = bits<std::uint8_t>(3);
    csd.vdd_w_curr_min = bits<std::uint8_t>(3);
    csd.vdd_w_curr_max = bits<std::uint8_t>(3);
    csd.c_size_mult = bits<std::uint8_t>(3);
}

} // namespace

TEST(SdCsd, TheReadBlockLengthIsAUnitOfCapacityAndNotTheSectorSize) { // field case C01
    const spec::sd::Csd two_gb{.read_bl_len = 10, .c_size = 0xeaf, .c_size_mult = 7};
    EXPECT_EQ(two_gb.capacity().bytes, 1'971'322'880u);
    EXPECT_EQ(two_gb.capacity().sectors(), 3'850'240u);
}

TEST(SdCsd, AByteAddressedCardOf4GbHasItsWholeSize) { // field case C01
    const spec::sd::Csd csd = sd_csd("005e0032575b83d56db7ffff96c00001");
    EXPECT_EQ(csd.capacity().bytes, 4'116'709'376u);
    EXPECT_EQ(csd.capacity().sectors(), 8'040'448u);
}

TEST(SdCsd, TheSizeOfAnSducCardCountsIn512KibToo) { // field cases C03, C04
    const spec::sd::Csd csd = sd_csd("800e0032db79007732bf7f800a404001");
    EXPECT_EQ(csd.c_size, 7'811'775u);
    EXPECT_EQ(csd.capacity().sectors(), 7'999'258'624u);
}

TEST(SdCsd, ALaterStructureIsReadLikeTheLastOneKnown) {
    spec::R2 words = test::r2_from_hex("800e0032db79007732bf7f800a404001");
    words[0] |= 0xc0000000;
    const spec::sd::Csd csd = spec::sd::Csd::decode(words);
    EXPECT_EQ(csd.csd_structure, 3);
    EXPECT_EQ(csd.capacity().sectors(), 7'999'258'624u);
}

TEST(SdCsd, ErasesSingleSectorsOnlyIfItSaysSo) {
    const spec::sd::Csd one{.erase_blk_en = true, .sector_size = 127, .write_bl_len = 9};
    const spec::sd::Csd many{.erase_blk_en = false, .sector_size = 31, .write_bl_len = 10};
    EXPECT_EQ(one.erase_sectors(), 1u);
    EXPECT_EQ(many.erase_sectors(), 64u);
}

TEST(MmcCsd, AFullSizeFieldRefersToExtCsdOnCardsThatHaveOne) { // field case C05
    for (const auto* hex : {"d00f00320f5903ffffffffff92404011", "d02701320f5903fff6dbffef8e40400d"}) {
        EXPECT_TRUE(mmc_csd(hex).refers_to_ext_csd()) << hex;
        EXPECT_EQ(mmc_csd(hex).capacity_by_csd().sectors(), 2'097'152u) << hex; // whatever the card is
    }
    EXPECT_FALSE((spec::mmc::Csd{.spec_vers = 3, .c_size = 0xfff}.refers_to_ext_csd()));
    EXPECT_FALSE((spec::mmc::Csd{.spec_vers = 4, .c_size = 0xffe}.refers_to_ext_csd()));
}

TEST(MmcCsd, TheLargestSizeOfTheFormulaNeedsMoreThan32Bits) {
    const spec::mmc::Csd csd{.read_bl_len = 11, .c_size = 0xfff, .c_size_mult = 7};
    EXPECT_EQ(csd.capacity_by_csd().bytes, std::uint64_t{4} << 30);
}

TEST(TransferSpeed, IsReadByDifferentTables) { // field cases, "Vectors usable at once"
    EXPECT_EQ((spec::sd::Csd{.tran_speed = 0x32}.fastest_clock()), base::megahertz(25));
    EXPECT_EQ((spec::mmc::Csd{.tran_speed = 0x32}.fastest_clock()), base::megahertz(26));
    EXPECT_EQ((spec::sd::Csd{.tran_speed = 0x2a}.fastest_clock()), base::megahertz(20));
    EXPECT_EQ((spec::mmc::Csd{.tran_speed = 0x2a}.fastest_clock()), base::megahertz(20));
    EXPECT_EQ((spec::sd::Csd{.tran_speed = 0x5a}.fastest_clock()), base::megahertz(50));
    EXPECT_EQ((spec::mmc::Csd{.tran_speed = 0x5a}.fastest_clock()), base::megahertz(52));
    EXPECT_EQ((spec::sd::Csd{.tran_speed = 0x2b}.fastest_clock()), base::megahertz(200));
    EXPECT_EQ((spec::sd::Csd{.tran_speed = 0x48}.fastest_clock()), base::kilohertz(400));
}

TEST(TransferSpeed, OfAReservedCodeIsZero) {
    EXPECT_EQ((spec::sd::Csd{.tran_speed = 0x02}.fastest_clock()), base::Hertz{0});
    EXPECT_EQ((spec::sd::Csd{.tran_speed = 0x34}.fastest_clock()), base::Hertz{0});
}

TEST(AccessTime, IsAValueTimesAUnit) {
    EXPECT_EQ(spec::access_time(0x7f), base::milliseconds(80));
    EXPECT_EQ(spec::access_time(0x26), base::microseconds(1'500));
    EXPECT_EQ(spec::access_time(0x0e), base::milliseconds(1));
    EXPECT_EQ(spec::access_time(0x2f), base::milliseconds(20));
    EXPECT_EQ(spec::access_time(0x06), base::Duration{0});    // reserved
    EXPECT_EQ(spec::access_time(0x10), base::nanoseconds(2)); // 1.2 ns
}

TEST(RegisterCrc, IsValidWithEitherLastBit) {
    EXPECT_EQ(spec::crc_of(test::r2_from_hex("002600325f5a83c93efbcfff928040cb")), spec::Crc::valid);
    EXPECT_EQ(spec::crc_of(test::r2_from_hex("002f00325f5a83cf2db7ffbf96800068")), spec::Crc::valid);
}

TEST(RegisterCrc, IsAbsentWhenStrippedOrFilled) {
    EXPECT_EQ(spec::crc_of(test::r2_from_hex("002600325f5a83c93efbcfff92804000")), spec::Crc::absent);
    EXPECT_EQ(spec::crc_of(test::r2_from_hex("002600325f5a83c93efbcfff92804001")), spec::Crc::absent);
    EXPECT_EQ(spec::crc_of(test::r2_from_hex("002600325f5a83c93efbcfff928040ff")), spec::Crc::absent);
}

TEST(RegisterCrc, IsWrongWhenItBelongsToSomethingElse) {
    EXPECT_EQ(spec::crc_of(test::r2_from_hex("002600325f5a83c93efbcfff928040cd")), spec::Crc::wrong);
    EXPECT_EQ(spec::crc_of(test::r2_from_hex("002600325f5a83c93efbcfff928041cb")), spec::Crc::wrong);
}

RC_GTEST_PROP(MmcCsd, IsDecodedToWhatWasEncoded, ()) {
    auto csd = any_shared_fields<spec::mmc::Csd>();
    fill_size_and_current(csd);
    csd.spec_vers = bits<std::uint8_t>(4);
    csd.erase_grp_size = bits<std::uint8_t>(5);
    csd.erase_grp_mult = bits<std::uint8_t>(5);
    csd.wp_grp_size = bits<std::uint8_t>(5);
    csd.default_ecc = bits<std::uint8_t>(2);
    csd.content_prot_app = flag();
    csd.ecc = bits<std::uint8_t>(2);
    RC_ASSERT(spec::mmc::Csd::decode(csd.encode()) == csd);
    RC_ASSERT(spec::crc_of(csd.encode()) == spec::Crc::valid);
}

RC_GTEST_PROP(SdCsd, IsDecodedToWhatWasEncoded, ()) {
    auto csd = any_shared_fields<spec::sd::Csd>();
    csd.erase_blk_en = flag();
    csd.sector_size = bits<std::uint8_t>(7);
    csd.wp_grp_size = bits<std::uint8_t>(7);
    if (csd.csd_structure == 0)
        fill_size_and_current(csd);
    else
        csd.c_size = bits<std::uint32_t>(csd.csd_structure == 1 ? 22 : 28);
    RC_ASSERT(spec::sd::Csd::decode(csd.encode()) == csd);
    RC_ASSERT(spec::crc_of(csd.encode()) == spec::Crc::valid);
}

RC_GTEST_PROP(Csd, AnyBitsAtAllAreDecoded, (std::array<std::uint32_t, 4> words)) {
    const auto sd = spec::sd::Csd::decode(words);
    const auto mmc = spec::mmc::Csd::decode(words);
    RC_ASSERT(sd.capacity().bytes > 0);
    RC_ASSERT(mmc.capacity_by_csd().bytes > 0);
    RC_ASSERT(mmc.erase_group_sectors() <= 1u << 16);
    RC_ASSERT(sd.erase_sectors() <= 1u << 13);
}
