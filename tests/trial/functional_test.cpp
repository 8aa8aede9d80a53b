#include "mmcpipe/trial/conformance.h"
#include "mmcpipe/trial/mmc_test.h"
#include "tests/trial/bench_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace mmcpipe::trial {
namespace {

using enum Outcome;

class EveryCard : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryCard, testing::Values("eMMC", "SDSC", "SDHC"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(EveryCard, PassesTheFunctionalCasesOfMmcTestOnARightHost) {
    TestBench test(GetParam());
    const bool lengths = GetParam() == std::string("SDSC");
    for (const Case& trial : mmc_test_cases().first(22)) {
        const bool changes_lengths = trial.number >= 7 && trial.number <= 10;
        const bool high_memory = trial.number >= 19;
        const Outcome expected = high_memory                   ? unsupported_by_host
                                 : changes_lengths && !lengths ? unsupported_by_card
                                                               : ok;
        EXPECT_EQ(test.run(mmc_test_cases(), trial.number), expected) << trial.number << " " << trial.name;
    }
}

TEST_P(EveryCard, PassesTheConformanceSuiteOnARightHost) {
    TestBench test(GetParam());
    const std::string kind = GetParam();
    for (const Case& trial : conformance_cases()) {
        const bool predefined = trial.number == 3 || trial.number == 5;
        const bool lengths = trial.number == 7 || trial.number == 8;
        const bool of_emmc_only = trial.number >= 22 && trial.number <= 25;
        const bool lacking =
            (lengths && kind != "SDSC") || (predefined && kind == "SDSC") || (of_emmc_only && kind != "eMMC");
        EXPECT_EQ(test.run(conformance_cases(), trial.number), lacking ? unsupported_by_card : ok)
            << trial.number << " " << trial.name;
    }
}

TEST_P(EveryCard, MayRefuseAnAddressBehindItsEndWithEitherBitButNotWithAnother) {
    TestBench test(GetParam());
    test.host.refusal = spec::r1::AddressMisalign::mask;
    EXPECT_EQ(test.run(conformance_cases(), 18), ok);
    test.host.refusal = spec::r1::BlockLenError::mask;
    EXPECT_EQ(test.run(conformance_cases(), 18), failed);
}

TEST_P(EveryCard, PassesTheConformanceSuiteTwiceInARow) {
    TestBench test(GetParam());
    for (int i = 0; i < 2; ++i) {
        for (const Case& trial : conformance_cases()) {
            const Outcome outcome = test.run(conformance_cases(), trial.number);
            EXPECT_TRUE(outcome == ok || outcome == unsupported_by_card) << trial.name;
        }
    }
}

TEST_P(EveryCard, PassesTheConformanceSuiteWithTheLeastMemoryAndAHostOfSmallRequests) {
    TestBench test(GetParam(), Flaw::none, Bench::least_memory);
    test.host.can().max_bytes = 0x2000;
    test.host.can().max_elements = 64;
    for (const Case& trial : conformance_cases()) {
        const Outcome outcome = test.run(conformance_cases(), trial.number);
        EXPECT_TRUE(outcome == ok || outcome == unsupported_by_card) << trial.name;
    }
}

TEST(Cases, AreNumberedInOrderAndHaveNamesOfTheirOwn) {
    ASSERT_EQ(mmc_test_cases().size(), 44u);
    for (const std::span<const Case> cases : {mmc_test_cases(), conformance_cases()}) {
        std::set<std::string> names;
        unsigned number = 0;
        for (const Case& trial : cases) {
            EXPECT_EQ(trial.number, ++number);
            EXPECT_TRUE(names.insert(trial.name).second) << trial.name;
        }
    }
}

TEST(Cases, TellTheSinkWhenTheyBeginAndHowTheyEnd) {
    TestBench test("eMMC");
    test.run(mmc_test_cases(), 1);
    test.run(mmc_test_cases(), 7);
    test.run(mmc_test_cases(), 19);
    EXPECT_EQ(test.notes.log,
              (std::vector<std::string>{"begins 1", "ended 1 OK", "begins 7", "ended 7 UNSUPPORTED by card",
                                        "begins 19", "ended 19 UNSUPPORTED by host"}));
}

TEST(Cases, ThatTheHostRefusesAreUnsupportedAndSayWhy) {
    TestBench test("SDSC");
    test.host.can().max_block_size = 128;
    EXPECT_EQ(test.run(mmc_test_cases(), 1), unsupported_by_host);
    EXPECT_EQ(test.notes.error, base::Error(base::Code::not_possible));
}

TEST(Cases, ThatMeetAnErrorEndWithIt) {
    TestBench test("eMMC");
    test.host.card.fastest_clean = base::megahertz(1);
    test.host.card.dead = true;
    EXPECT_EQ(test.run(mmc_test_cases(), 2), error);
    ASSERT_TRUE(test.notes.error.has_value());
    EXPECT_EQ(test.notes.error->code, base::Code::dead);
}

TEST(MmcTest, LeavesZerosWhereItsFunctionalCasesWrote) {
    TestBench test("eMMC");
    test.host.sector(functional_sectors).fill(std::byte{7});
    test.run(mmc_test_cases(), 5);
    for (std::uint32_t n = 0; n < functional_sectors; ++n) EXPECT_EQ(test.host.sector(n)[17], std::byte{0});
    EXPECT_EQ(test.host.sector(functional_sectors)[17], std::byte{7});
}

TEST(MmcTest, SetsBlocksOf512BytesAgainEvenAfterAFailure) {
    TestBench test("SDSC", Flaw::overlooks_the_rest_of_short_blocks);
    EXPECT_EQ(test.run(mmc_test_cases(), 10), failed);
    EXPECT_EQ(test.host.card.block_length, 512u);
    EXPECT_EQ(test.run(mmc_test_cases(), 4), ok);
}

TEST(MmcTest, ADataErrorOtherThanATimeOutIsAnErrorOfTheTransferSizeCases) {
    TestBench test("SDSC");
    test.host.card.block_length = 256; // not what the host will send
    EXPECT_EQ(test.run(mmc_test_cases(), 18), error);
    ASSERT_TRUE(test.notes.error.has_value());
    EXPECT_EQ(test.notes.error->code, base::Code::data_crc);
}

TEST(Conformance, ASlotThatIsSolderedCannotBeEmptied) {
    TestBench test("eMMC");
    Bench soldered(test.card, test.bench.memory(), test.bench.elements());
    const base::Result<Outcome> tried = test.host.run(run(soldered, conformance_cases()[19], test.notes));
    EXPECT_EQ(tried, unsupported_by_host);
}

TEST(Conformance, AHostThatCannotSeeDat0IsNotAskedToAndTheCardIsReadyAfterwards) {
    TestBench test("SDHC");
    test.host.sees_busy = false;
    EXPECT_EQ(test.run(conformance_cases(), 17), unsupported_by_host);
    EXPECT_EQ(test.run(conformance_cases(), 1), ok);
}

} // namespace
} // namespace mmcpipe::trial
