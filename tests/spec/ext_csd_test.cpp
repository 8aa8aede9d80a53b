#include "mmcpipe/spec/ext_csd.h"

#include "dump.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

using namespace mmcpipe;
using spec::mmc::Csd;
using spec::mmc::ExtCsd;
namespace ext_csd = spec::mmc::ext_csd;

namespace {

using Bytes = std::array<std::byte, spec::mmc::ext_csd_size>;

constexpr Csd above_2_gb{.spec_vers = 4, .read_bl_len = 9, .c_size = 0xfff, .c_size_mult = 7};
constexpr Csd small{.spec_vers = 4, .read_bl_len = 10, .c_size = 0xeaf, .c_size_mult = 7};

} // namespace

TEST(ExtCsdFields, AreInOrderAndDoNotOverlap) {
    std::size_t end = 0;
    for (const ext_csd::Field& field : ext_csd::fields) {
        EXPECT_GE(field.index, end) << field.name;
        EXPECT_LE(field.size, 4) << field.name;
        end = field.index + std::size_t{field.size};
    }
    EXPECT_LE(end, spec::mmc::ext_csd_size);
}

TEST(ExtCsdFields, EveryByteOfAFieldBelongsToIt) {
    EXPECT_EQ(ext_csd::field_of(212)->name, std::string("SEC_COUNT"));
    EXPECT_EQ(ext_csd::field_of(215)->name, std::string("SEC_COUNT"));
    EXPECT_EQ(ext_csd::field_of(211), nullptr);
    EXPECT_EQ(ext_csd::field_of(216), nullptr);
}

TEST(ExtCsdFields, OnlyModesCanBeWritten) {
    EXPECT_TRUE(ext_csd::writable(ext_csd::hs_timing.index));
    EXPECT_TRUE(ext_csd::writable(ext_csd::bus_width.index));
    EXPECT_TRUE(ext_csd::writable(ext_csd::erase_group_def.index));
    EXPECT_TRUE(ext_csd::writable(ext_csd::partition_config.index));
    EXPECT_TRUE(ext_csd::writable(ext_csd::rst_n_function.index));
    EXPECT_FALSE(ext_csd::writable(ext_csd::wr_rel_param.index));
    EXPECT_FALSE(ext_csd::writable(ext_csd::partitioning_support.index));
    EXPECT_FALSE(ext_csd::writable(184));
    for (std::size_t index = spec::mmc::ext_csd_modes; index < spec::mmc::ext_csd_size; ++index)
        EXPECT_FALSE(ext_csd::writable(index));
}

TEST(MmcCapacity, IsSecCountWhereThereIsOne) { // ml-ecsd-toshiba-mmc32g
    const test::Dump& toshiba = test::dump("ml-ecsd-toshiba-mmc32g");
    const ExtCsd view(test::register_of<512>(toshiba, "ext_csd"));
    const Csd csd = Csd::decode(spec::r2_from_bytes(test::register_of<16>(toshiba, "csd")));
    EXPECT_EQ(spec::mmc::capacity(csd, &view)->bytes, 32'010'928'128u);
}

TEST(MmcCapacity, OfALargeCardIsNotKnownWithoutExtCsd) { // field case C05
    EXPECT_EQ(spec::mmc::capacity(above_2_gb, nullptr).error(), base::Error(base::Code::bad_register));
}

TEST(MmcCapacity, IsTheFormulaWhereSecCountIsZero) { // field case C06: an MMC02G of revision 5
    Bytes bytes{};
    spec::mmc::put(bytes, ext_csd::ext_csd_rev, 5);
    const ExtCsd view(bytes);
    EXPECT_EQ(spec::mmc::capacity(small, &view)->bytes, 1'971'322'880u);
}

TEST(MmcCapacity, OfASmallCardWithAFullSizeFieldIsTheFormulaToo) {
    Bytes bytes{};
    const ExtCsd view(bytes);
    EXPECT_EQ(spec::mmc::capacity(above_2_gb, &view)->bytes, 1u << 30);
}

TEST(MmcCapacity, OfAnOldCardIsTheFormula) { // aaru-mmc-pretec-32mb
    const Csd csd = Csd::decode(test::r2_from_hex("8c0e012a0ff981e9f6d981e18a400001"));
    EXPECT_FALSE(csd.has_ext_csd());
    EXPECT_EQ(spec::mmc::capacity(csd, nullptr)->sectors(), 62'720u);
}

TEST(MmcCapacity, UpTo2TbFitsSecCount) {
    Bytes bytes{};
    spec::mmc::put(bytes, ext_csd::sec_count, 0xffffffff);
    const ExtCsd view(bytes);
    EXPECT_EQ(spec::mmc::capacity(above_2_gb, &view)->bytes, 0xffffffffull * 512);
}

TEST(MmcEraseGroup, IsTheLargeOneOnlyWhileEraseGroupDefIsSet) { // field case C43
    const Csd csd{.erase_grp_size = 31, .erase_grp_mult = 31, .write_bl_len = 9};
    Bytes bytes{};
    const ExtCsd view(bytes);
    spec::mmc::put(bytes, ext_csd::hc_erase_grp_size, 8);
    EXPECT_EQ(spec::mmc::erase_group_sectors(csd, &view), 1024u);
    spec::mmc::put(bytes, ext_csd::erase_group_def, 1);
    EXPECT_EQ(spec::mmc::erase_group_sectors(csd, &view), 8192u);
    EXPECT_EQ(spec::mmc::erase_group_sectors(csd, nullptr), 1024u);
    spec::mmc::put(bytes, ext_csd::hc_erase_grp_size, 0);
    EXPECT_EQ(spec::mmc::erase_group_sectors(csd, &view), 1024u);
}

TEST(ExtCsd, TheCacheIsCountedInKilobits) { // field case C12
    Bytes bytes{};
    spec::mmc::put(bytes, ext_csd::cache_size, 65'536);
    EXPECT_EQ(ExtCsd(bytes).cache().bytes, 8u << 20);
}

TEST(ExtCsd, ALaterRevisionIsReadAllTheSame) { // field case C10
    Bytes bytes{};
    spec::mmc::put(bytes, ext_csd::ext_csd_rev, 200);
    spec::mmc::put(bytes, ext_csd::sec_count, 120'832'000);
    const ExtCsd view(bytes);
    EXPECT_EQ(view.revision(), 200);
    EXPECT_EQ(spec::mmc::capacity(above_2_gb, &view)->sectors(), 120'832'000u);
}

RC_GTEST_PROP(ExtCsd, AFieldIsReadAsItWasPutAndTheOthersStay, (std::uint32_t value)) {
    const auto chosen =
        *rc::gen::elementOf(std::vector<ext_csd::Field>(std::begin(ext_csd::fields), std::end(ext_csd::fields)));
    Bytes bytes;
    bytes.fill(std::byte{0xa5});
    const Bytes before = bytes;
    spec::mmc::put(bytes, chosen, value);
    RC_ASSERT(ExtCsd(bytes)[chosen] == (chosen.size == 4 ? value : value & ((1u << 8 * chosen.size) - 1)));
    for (const ext_csd::Field& other : ext_csd::fields) {
        if (other.index != chosen.index) RC_ASSERT(ExtCsd(bytes)[other] == ExtCsd(before)[other]);
    }
}

TEST(ExtCsdPacking, IsThereSinceRevision6) { // aaru-ecsd-emmc51-57gb, ml-ecsd-emmc50-7gb, ml-ecsd-toshiba-mmc32g
    const auto view_of = [](const char* name) { return test::register_of<512>(test::dump(name), "ext_csd"); };
    const auto kingston = view_of("aaru-ecsd-emmc51-57gb");
    EXPECT_EQ(ExtCsd(kingston).max_packed_writes(), 63);
    EXPECT_EQ(ExtCsd(kingston).max_packed_reads(), 63);
    EXPECT_FALSE(ExtCsd(kingston).large_sectors());
    EXPECT_EQ(ExtCsd(view_of("ml-ecsd-emmc50-7gb")).max_packed_writes(), 60);
    EXPECT_EQ(ExtCsd(view_of("ml-ecsd-toshiba-mmc32g")).max_packed_reads(), 0);

    // What an older card has in these bytes means nothing.
    Bytes bytes{};
    spec::mmc::put(bytes, ext_csd::ext_csd_rev, 5);
    spec::mmc::put(bytes, ext_csd::max_packed_writes, 63);
    spec::mmc::put(bytes, ext_csd::data_sector_size, 1);
    EXPECT_EQ(ExtCsd(bytes).max_packed_writes(), 0);
    EXPECT_FALSE(ExtCsd(bytes).large_sectors());
    spec::mmc::put(bytes, ext_csd::ext_csd_rev, 6);
    EXPECT_EQ(ExtCsd(bytes).max_packed_writes(), 63);
    EXPECT_TRUE(ExtCsd(bytes).large_sectors());
}
