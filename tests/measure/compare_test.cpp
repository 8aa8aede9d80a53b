#include "mmcpipe/measure/compare.h"

#include "mmcpipe/measure/bad_input.h"
#include "tests/report/rows.h"
#include "tests/report/temporary.h"

#include <gtest/gtest.h>

namespace mmcpipe::measure {
namespace {

using test::row;

TEST(Compare, AMissIsOfTimeAndPositiveIfTheSimulationIsSlower) {
    EXPECT_DOUBLE_EQ(miss_percent(base::seconds(11), base::seconds(10)), 10.0);
    EXPECT_DOUBLE_EQ(miss_percent(base::seconds(9), base::seconds(10)), -10.0);
}

TEST(Compare, ARowMeetsThePublishedOneAndItsTolerance) {
    const Published published = read_published(test::published_log);
    const std::optional<Miss> miss = compare(39, row(4096, 32, 1, 7'551'544'189), published);
    ASSERT_TRUE(miss);
    EXPECT_EQ(miss->published.ns, 7'551'544'189);
    EXPECT_EQ(miss->percent, 0);
    EXPECT_EQ(miss->allowed->percent, 1);
}

TEST(Compare, ARowThatIsNotPublishedHasNoMiss) {
    const Published published = read_published(test::published_log);
    EXPECT_FALSE(compare(39, row(4096, 32, 2, 1), published));
    EXPECT_FALSE(compare(41, row(256, 512, 1, 1), published));
    EXPECT_FALSE(compare(39, row(4096, 32, 1, 1), Published{}));
}

TEST(Compare, FewerRequestsAreComparedWithAsManyOfThePublishedOnes) {
    const Published published = read_published(test::published_log);
    const std::optional<Miss> miss = compare(39, row(1024, 32, 1, 7'551'544'189 / 4), published);
    EXPECT_EQ(miss->published.ns, 7'551'544'189 / 4);
    EXPECT_EQ(miss->percent, 0);
    EXPECT_FALSE(compare(39, row(0, 32, 1, 0), published));
}

TEST(Compare, AMissIsWithinItsToleranceInBothDirections) {
    Miss miss;
    miss.allowed = Tolerance{.percent = 1};
    for (const double percent : {-1.0, 0.0, 1.0}) {
        miss.percent = percent;
        EXPECT_TRUE(miss.within());
    }
    for (const double percent : {-1.01, 1.01}) {
        miss.percent = percent;
        EXPECT_FALSE(miss.within());
    }
    miss.allowed.reset();
    EXPECT_TRUE(miss.within());
}

TEST(Compare, ALogWithoutTolerancesCanBeCompared) {
    const test::TemporaryFolder folder;
    const std::string log = folder.file("log.csv", test::content_of(test::published_log));
    const Published published = read_published(log);
    EXPECT_EQ(published.rows.size(), 48u);
    EXPECT_TRUE(published.tolerances.empty());
    EXPECT_THROW(read_published(log, "patched"), BadInput);
}

TEST(Compare, ResultsGiveTheirMissesInOrder) {
    const Published published = read_published(test::published_log);
    const std::vector<CaseResult> results{test::result(39, {row(4096, 32, 1, 8'000'000'000), row(1, 3, 1, 1)}),
                                          test::result(37, {row(32768, 4, 1, 18'000'000'000)})};
    const std::vector<Miss> misses = compare(results, published);
    ASSERT_EQ(misses.size(), 2u);
    EXPECT_EQ(misses[0].key.number, 39u);
    EXPECT_EQ(misses[1].key.number, 37u);
}

} // namespace
} // namespace mmcpipe::measure
