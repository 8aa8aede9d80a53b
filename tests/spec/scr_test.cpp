#include "mmcpipe/spec/scr.h"

#include "dump.h"
#include "generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
using spec::sd::Scr;
using spec::sd::SpecVersion;
using test::bits;
using test::flag;

namespace {

Scr scr(std::string_view hex) { return Scr::decode(test::array_from_hex<8>(hex)); }

} // namespace

TEST(Scr, OfRealCardsGivesVersionAndCommands) { // field cases, "Vectors usable at once"
    const Scr newest = scr("0205848701006432");
    EXPECT_EQ(newest.version(), SpecVersion::v6_xx);
    EXPECT_TRUE(newest.speed_class_control() && newest.set_block_count() && newest.extension_registers());
    EXPECT_TRUE(newest.four_lines());

    const Scr oldest = scr("0125000000000000");
    EXPECT_EQ(oldest.version(), SpecVersion::v1_10);
    EXPECT_FALSE(oldest.set_block_count());

    const Scr with_cmd23 = scr("02b5800200000000");
    EXPECT_EQ(with_cmd23.version(), SpecVersion::v3_0x);
    EXPECT_TRUE(with_cmd23.set_block_count());
    EXPECT_FALSE(with_cmd23.speed_class_control() || with_cmd23.extension_registers());
    EXPECT_TRUE(with_cmd23.data_stat_after_erase);

    EXPECT_EQ(scr("0235800201000000").version(), SpecVersion::v3_0x);
}

TEST(Scr, EachVersionHasItsFields) {
    EXPECT_EQ((Scr{.sd_spec = 0}.version()), SpecVersion::v1_0);
    EXPECT_EQ((Scr{.sd_spec = 2}.version()), SpecVersion::v2_00);
    EXPECT_EQ((Scr{.sd_spec = 2, .sd_spec3 = true, .sd_spec4 = true}.version()), SpecVersion::v4_xx);
    EXPECT_EQ((Scr{.sd_spec = 2, .sd_spec3 = true, .sd_specx = 1}.version()), SpecVersion::v5_xx);
    EXPECT_EQ((Scr{.sd_spec = 2, .sd_spec3 = true, .sd_specx = 4}.version()), SpecVersion::v8_xx);
    EXPECT_EQ((Scr{.sd_spec = 2, .sd_spec3 = true, .sd_specx = 5}.version()), SpecVersion::v9_xx_or_later);
    EXPECT_EQ((Scr{.sd_spec = 2, .sd_spec3 = true, .sd_specx = 15}.version()), SpecVersion::v9_xx_or_later);
}

TEST(Scr, ACardWithOneLineIsNotTakenForOneWithFour) { EXPECT_FALSE((Scr{.sd_bus_widths = 1}.four_lines())); }

RC_GTEST_PROP(Scr, IsDecodedToWhatWasEncoded, ()) {
    const Scr any{.scr_structure = bits<std::uint8_t>(4),
                  .sd_spec = bits<std::uint8_t>(4),
                  .data_stat_after_erase = flag(),
                  .sd_security = bits<std::uint8_t>(3),
                  .sd_bus_widths = bits<std::uint8_t>(4),
                  .sd_spec3 = flag(),
                  .ex_security = bits<std::uint8_t>(4),
                  .sd_spec4 = flag(),
                  .sd_specx = bits<std::uint8_t>(4),
                  .cmd_support = bits<std::uint8_t>(4),
                  .manufacturer = bits<std::uint32_t>(32)};
    RC_ASSERT(Scr::decode(any.encode()) == any);
}
