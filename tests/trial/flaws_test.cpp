// Each case fails on a host, or with a card, that has the flaw that it is there to find.

#include "mmcpipe/trial/conformance.h"
#include "mmcpipe/trial/mmc_test.h"
#include "tests/trial/bench_fixture.h"

#include <gtest/gtest.h>
#include <set>

namespace mmcpipe::trial {
namespace {

enum class Suite { mmc_test, conformance };

struct Found {
    Flaw flaw;
    const char* card;
    Suite suite;
    std::vector<unsigned> by;
};

const std::vector<Found>& table() {
    using enum Flaw;
    using enum Suite;
    static const std::vector<Found> rows{
        {flips_a_bit_of_reads, "SDSC", mmc_test, {4, 6, 8, 10, 12, 14}},
        {flips_a_bit_of_writes, "SDSC", mmc_test, {3, 5, 7, 9, 11, 13}},
        {swaps_read_blocks, "eMMC", mmc_test, {6, 14}},
        {swaps_written_blocks, "eMMC", mmc_test, {5, 13}},
        {loses_writes, "SDSC", mmc_test, {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}},
        {writes_a_block_too_many, "SDSC", mmc_test, {3, 5, 11, 13}},
        {takes_addresses_for_aligned, "eMMC", mmc_test, {11, 12, 13, 14}},
        {says_less_is_done, "eMMC", mmc_test, {1, 2}},
        {says_all_is_done, "SDHC", mmc_test, {15, 16, 17, 18}},
        {overlooks_missing_data, "SDHC", mmc_test, {15, 16, 17, 18}},
        {overlooks_the_rest_of_short_blocks, "SDSC", mmc_test, {7, 8, 9, 10}},

        {flips_a_bit_of_reads, "SDSC", conformance, {1, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16}},
        {flips_a_bit_of_writes, "eMMC", conformance, {1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 23, 25}},
        {swaps_read_blocks, "eMMC", conformance, {4, 5, 6, 9, 10, 11, 12, 13}},
        {swaps_written_blocks, "eMMC", conformance, {2, 3, 6, 12, 13}},
        {loses_writes, "SDHC", conformance, {1, 2, 4, 6, 9, 10, 12, 13, 14, 15, 16, 17, 26}},
        {writes_a_block_too_many, "SDHC", conformance, {2, 3, 13, 15}},
        {forgets_the_offset, "SDHC", conformance, {12}},
        {takes_a_list_for_one_buffer, "SDHC", conformance, {9}},
        {takes_addresses_for_aligned, "SDHC", conformance, {9, 10}},
        {overwrites_whole_lines, "SDHC", conformance, {4, 5, 9, 10}},
        {has_one_mapping, "eMMC", conformance, {12, 13, 14, 15}},
        {fetches_at_prepare, "eMMC", conformance, {14, 15}},
        {keeps_what_is_taken_back, "eMMC", conformance, {11}},
        {forgets_the_block_count, "eMMC", conformance, {3, 5}},
        {says_less_is_done, "eMMC", conformance, {1, 2, 4}},
        {overlooks_missing_answers, "SDHC", conformance, {19}},
        {overlooks_the_rest_of_short_blocks, "SDSC", conformance, {7, 8}},
        {loses_the_error_bits, "eMMC", conformance, {18}},
        {sees_no_busy, "eMMC", conformance, {17}},
        {takes_a_busy_card_for_ready, "eMMC", conformance, {16}},
        {takes_no_notice_of_removal, "SDHC", conformance, {20}},
        {card_is_short_of_a_sector, "SDHC", conformance, {6}},
        {card_erases_nothing, "eMMC", conformance, {21, 22}},
        {card_erases_too_much, "eMMC", conformance, {21, 22}},
        {card_packs_backwards, "eMMC", conformance, {23, 24, 25, 26}},
        {card_names_another_entry, "eMMC", conformance, {25}},
    };
    return rows;
}

class EveryFlaw : public testing::TestWithParam<Found> {};
INSTANTIATE_TEST_SUITE_P(Found, EveryFlaw, testing::ValuesIn(table()), [](const auto& test) {
    return (test.param.suite == Suite::mmc_test ? "mmc_test_" : "conformance_") + std::to_string(test.index);
});

TEST_P(EveryFlaw, IsFoundByTheCasesThatLookForIt) {
    const Found& found = GetParam();
    const std::span<const Case> cases = found.suite == Suite::mmc_test ? mmc_test_cases() : conformance_cases();
    for (const unsigned number : found.by) {
        TestBench test(found.card, found.flaw);
        const Outcome outcome = test.run(cases, number);
        EXPECT_TRUE(outcome == Outcome::failed || outcome == Outcome::error)
            << cases[number - 1].name << ": " << name(outcome);
    }
}

TEST(Flaws, ThereIsOneForEachFunctionalCase) {
    std::set<unsigned> mmc_test_found{19, 20, 21, 22}; // nothing to be found there
    std::set<unsigned> conformance_found;
    for (const Found& found : table()) {
        (found.suite == Suite::mmc_test ? mmc_test_found : conformance_found).insert(found.by.begin(), found.by.end());
    }
    EXPECT_EQ(mmc_test_found.size(), 22u);
    EXPECT_EQ(conformance_found.size(), conformance_cases().size());
}

} // namespace
} // namespace mmcpipe::trial
