#include "mmcpipe/spec/timeouts.h"

#include "dump.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
using base::megahertz;
using base::microseconds;
using base::milliseconds;
using base::seconds;
using spec::Erase;
using spec::mmc::ExtCsd;
namespace ext_csd = spec::mmc::ext_csd;

namespace {

using Bytes = std::array<std::byte, spec::mmc::ext_csd_size>;

Bytes with(std::initializer_list<std::pair<ext_csd::Field, std::uint32_t>> values) {
    Bytes bytes{};
    for (const auto& [field, value] : values) spec::mmc::put(bytes, field, value);
    return bytes;
}

spec::sd::Csd sdsc(std::uint8_t taac, std::uint8_t nsac, std::uint8_t r2w_factor) {
    return {.csd_structure = 0, .taac = taac, .nsac = nsac, .r2w_factor = r2w_factor};
}

} // namespace

TEST(MmcReadTimeout, IsTenTimesTheTypicalAccess) { // aaru-mmc-6600-32mb: 1.5 ms and 100 cycles of 20 MHz
    const spec::mmc::Csd csd{.taac = 0x26, .nsac = 1, .r2w_factor = 4};
    EXPECT_EQ(spec::mmc::read_timeout(csd, megahertz(20)), microseconds(15'050));
    EXPECT_EQ(spec::mmc::write_timeout(csd, megahertz(20)), microseconds(15'050 * 16));
}

TEST(MmcReadTimeout, GrowsWithASlowerClock) {
    const spec::mmc::Csd csd{.taac = 0x26, .nsac = 255};
    EXPECT_EQ(spec::mmc::read_timeout(csd, base::kilohertz(400)), microseconds(10 * (1'500 + 63'750)));
}

TEST(MmcReadTimeout, CountsAStartedMicrosecondOfCycles) { // 100 cycles of 26 MHz are 3.85 us
    const spec::mmc::Csd csd{.taac = 0x26, .nsac = 1};
    EXPECT_EQ(spec::mmc::read_timeout(csd, megahertz(26)), microseconds(15'040));
}

TEST(Timeouts, AreNeverZero) {
    const spec::mmc::Csd empty{};
    EXPECT_GT(spec::mmc::read_timeout(empty, megahertz(20)).ns, 0);
    EXPECT_GT(spec::mmc::write_timeout(empty, megahertz(20)).ns, 0);
    EXPECT_GT(spec::sd::read_timeout({}, megahertz(20)).ns, 0);
    EXPECT_GT(spec::sd::write_timeout({}, megahertz(20)).ns, 0);
    EXPECT_GT(spec::sd::erase_timeout(0, {}).ns, 0);
    EXPECT_GT(spec::mmc::erase_timeout(0, empty, megahertz(20)).ns, 0);
    const Bytes zeros{};
    EXPECT_GT(spec::mmc::erase_timeout(Erase::trim, 0, empty, ExtCsd(zeros), megahertz(20)).ns, 0);
}

TEST(MmcReadTimeout, WithTheClockStoppedIsLongAndNotADivisionByZero) {
    const spec::mmc::Csd csd{.taac = 0x0e, .nsac = 255};
    EXPECT_EQ(spec::mmc::read_timeout(csd, base::Hertz{0}), (microseconds(25'500'000) + milliseconds(1)) * 10);
}

TEST(SdscTimeouts, AreAHundredTimesTheTypicalAccessWithACap) {                            // field case C30
    EXPECT_EQ(spec::sd::read_timeout(sdsc(0x0d, 0, 2), megahertz(25)), milliseconds(10)); // 100 us
    EXPECT_EQ(spec::sd::write_timeout(sdsc(0x0d, 0, 2), megahertz(25)), milliseconds(40));
    EXPECT_EQ(spec::sd::read_timeout(sdsc(0x26, 0, 4), megahertz(25)), milliseconds(100));
    EXPECT_EQ(spec::sd::write_timeout(sdsc(0x26, 0, 4), megahertz(25)), milliseconds(250));
}

TEST(SdscTimeouts, OfTheSlowestValuesSeenAreTheCap) { // aaru-microsdhc-trascend-2gb: 80 ms and 25,500 cycles
    const auto csd = spec::sd::Csd::decode(
        spec::r2_from_bytes(test::register_of<16>(test::dump("aaru-microsdhc-trascend-2gb"), "csd")));
    EXPECT_EQ(spec::sd::read_timeout(csd, megahertz(25)), milliseconds(100));
    EXPECT_EQ(spec::sd::write_timeout(csd, megahertz(25)), milliseconds(250));
}

TEST(SdhcTimeouts, AreFixedWhateverTheCsdSays) {
    const spec::sd::Csd sdhc{.csd_structure = 1, .taac = 0x7f, .c_size = 0xffff, .r2w_factor = 5}; // 32 GiB
    const spec::sd::Csd sdxc{.csd_structure = 1, .taac = 0x0e, .c_size = 0x10000};
    const spec::sd::Csd sduc{.csd_structure = 2, .taac = 0x0e, .c_size = 7'811'775};
    for (const auto& csd : {sdhc, sdxc, sduc}) EXPECT_EQ(spec::sd::read_timeout(csd, megahertz(25)), milliseconds(100));
    EXPECT_EQ(spec::sd::write_timeout(sdhc, megahertz(25)), milliseconds(250));
    EXPECT_EQ(spec::sd::write_timeout(sdxc, megahertz(25)), milliseconds(500));
    EXPECT_EQ(spec::sd::write_timeout(sduc, megahertz(25)), milliseconds(500));
}

TEST(MmcSwitchTimeout, IsInUnitsOf10Ms) {
    const Bytes bytes = with({{ext_csd::generic_cmd6_time, 10}, {ext_csd::partition_switch_time, 4}});
    EXPECT_EQ(spec::mmc::switch_timeout(ExtCsd(bytes)), milliseconds(100));
    EXPECT_EQ(spec::mmc::partition_switch_timeout(ExtCsd(bytes)), milliseconds(40));
}

TEST(MmcSwitchTimeout, OfACardThatGivesNoneIsNotZero) { // ml-ecsd-toshiba-mmc32g: revision 5
    const ExtCsd view(test::register_of<512>(test::dump("ml-ecsd-toshiba-mmc32g"), "ext_csd"));
    EXPECT_EQ(spec::mmc::switch_timeout(view), milliseconds(500));
    EXPECT_EQ(spec::mmc::partition_switch_timeout(view), milliseconds(500));
}

TEST(MmcSleepTimeout, IsAPowerOfTwoOf100Ns) {
    EXPECT_EQ(spec::mmc::sleep_awake_timeout(ExtCsd(with({{ext_csd::s_a_timeout, 0x11}}))),
              microseconds(13'107) + base::nanoseconds(200));
    const base::Duration highest = base::nanoseconds(838'860'800);
    for (const std::uint32_t code : {0u, 0x17u, 0x18u, 0xffu}) {
        EXPECT_EQ(spec::mmc::sleep_awake_timeout(ExtCsd(with({{ext_csd::s_a_timeout, code}}))), highest) << code;
    }
}

TEST(MmcEraseTimeout, OfEachKindHasItsMultipliers) {
    const Bytes bytes = with({{ext_csd::erase_group_def, 1},
                              {ext_csd::erase_timeout_mult, 2},
                              {ext_csd::trim_mult, 4},
                              {ext_csd::sec_erase_mult, 16},
                              {ext_csd::sec_trim_mult, 66}});
    const auto timeout = [&](Erase kind) {
        return spec::mmc::erase_timeout(kind, 3, {}, ExtCsd(bytes), megahertz(26));
    };
    EXPECT_EQ(timeout(Erase::erase), milliseconds(300 * 2 * 3));
    EXPECT_EQ(timeout(Erase::trim), milliseconds(300 * 4 * 3));
    EXPECT_EQ(timeout(Erase::discard), milliseconds(300 * 4 * 3));
    EXPECT_EQ(timeout(Erase::secure_erase), milliseconds(300 * 2 * 16 * 3));
    EXPECT_EQ(timeout(Erase::secure_trim_step_1), milliseconds(300 * 2 * 66 * 3));
    EXPECT_EQ(timeout(Erase::secure_trim_step_2), milliseconds(300 * 2 * 66 * 3));
}

TEST(MmcEraseTimeout, OfSmallGroupsIsTheWriteTimeoutOfEach) {
    const spec::mmc::Csd csd{.taac = 0x0e, .r2w_factor = 2};
    const Bytes small_groups = with({{ext_csd::erase_timeout_mult, 2}});
    EXPECT_EQ(spec::mmc::erase_timeout(Erase::erase, 5, csd, ExtCsd(small_groups), megahertz(26)),
              milliseconds(10 * 4 * 5));
    EXPECT_EQ(spec::mmc::erase_timeout(5, csd, megahertz(26)), milliseconds(10 * 4 * 5));
}

TEST(MmcEraseTimeout, SaturatesWhereItCanStillBeAddedToATime) {
    const Bytes bytes =
        with({{ext_csd::erase_group_def, 1}, {ext_csd::erase_timeout_mult, 255}, {ext_csd::sec_erase_mult, 255}});
    EXPECT_EQ(spec::mmc::erase_timeout(Erase::secure_erase, 0xffffffff, {}, ExtCsd(bytes), megahertz(26)),
              spec::longest);
    EXPECT_LT(base::Instant{INT64_MAX / 2} + spec::longest, base::never);
}

TEST(SdEraseTimeout,
     IsPerAllocationUnitPlusOffset) { // the card of the SSR vector: 6 s for one unit of 4 MiB, 3 s offset
    const spec::sd::SdStatus status{.au_size = 9, .erase_size = 1, .erase_timeout = 6, .erase_offset = 3};
    EXPECT_EQ(spec::sd::erase_timeout(8192 * 2, status), seconds(6 * (2 + 2) + 3));
}

TEST(SdEraseTimeout, OfAFastCardIsAtLeastASecond) {
    const spec::sd::SdStatus status{.au_size = 9, .erase_size = 1000, .erase_timeout = 1};
    EXPECT_EQ(spec::sd::erase_timeout(1, status), seconds(1));
}

TEST(SdEraseTimeout, OfSeveralUnitsIsRoundedUpForEach) {
    const spec::sd::SdStatus status{.au_size = 9, .erase_size = 3, .erase_timeout = 1};
    EXPECT_EQ(spec::sd::erase_timeout(8192 * 98, status), milliseconds(334 * 100));
}

TEST(SdEraseTimeout, WithoutValuesIs250MsForEachBlock) {
    EXPECT_EQ(spec::sd::erase_timeout(8, {.au_size = 9, .erase_size = 1, .erase_timeout = 0}), seconds(2));
    EXPECT_EQ(spec::sd::erase_timeout(8, {.au_size = 9, .erase_size = 0, .erase_timeout = 1}), seconds(2));
    EXPECT_EQ(spec::sd::erase_timeout(8, {.au_size = 0, .erase_size = 1, .erase_timeout = 1}), seconds(2));
    EXPECT_EQ(spec::sd::erase_timeout(8, {}), seconds(2));
    EXPECT_EQ(spec::sd::erase_timeout(0xffffffff, {}), milliseconds(250) * 0xffffffffll);
}

RC_GTEST_PROP(Timeouts, OfAnyRegistersArePositiveAndAtMostLongest,
              (std::array<std::uint32_t, 4> words, std::uint32_t hertz, std::uint32_t n)) {
    const auto mmc = spec::mmc::Csd::decode(words);
    const auto sd = spec::sd::Csd::decode(words);
    const base::Hertz clock{hertz};
    for (const base::Duration timeout : {spec::mmc::read_timeout(mmc, clock), spec::mmc::write_timeout(mmc, clock),
                                         spec::mmc::erase_timeout(n, mmc, clock), spec::sd::read_timeout(sd, clock),
                                         spec::sd::write_timeout(sd, clock), spec::sd::erase_timeout(n, {})}) {
        RC_ASSERT(timeout.ns > 0);
        RC_ASSERT(timeout <= spec::longest);
    }
}
