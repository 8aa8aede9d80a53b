// The rows that were published, simulated in full as `mmcpipe test --platform ux500 --compare` does.

#include "mmcpipe/cli/case_list.h"
#include "mmcpipe/cli/run.h"
#include "mmcpipe/measure/compare.h"

#include <cmath>
#include <gtest/gtest.h>

namespace mmcpipe::cli {
namespace {

constexpr std::size_t published_rows = 48;

std::vector<measure::Miss> misses(std::vector<std::string> settings) {
    measure::Recorder recorder;
    const Board board = load({.platform = "ux500", .card = "ux500-emmc", .settings = std::move(settings)});
    run(board, cases_of("37-40,43"), recorder);
    return compare(recorder.results(), measure::read_published("data/published/mmc_test-ux500.csv"));
}

const std::vector<measure::Miss>& shipped() {
    static const std::vector<measure::Miss> all = misses({});
    return all;
}

TEST(PublishedRows, EachIsSimulatedWithinItsTolerance) {
    ASSERT_EQ(shipped().size(), published_rows);
    for (const measure::Miss& miss : shipped()) {
        EXPECT_TRUE(miss.allowed) << text_of(miss.key);
        EXPECT_TRUE(miss.within()) << text_of(miss.key) << " misses by " << miss.percent << " %";
    }
}

// The numbers of a profile must not hang on where a driver has its barriers.
TEST(PublishedRows, NoneMovesWithBarriersPerListBy015Percent) {
    const std::vector<measure::Miss> others = misses({"platform.barrier_per=list"});
    ASSERT_EQ(others.size(), published_rows);
    bool any_moved = false;
    for (std::size_t i = 0; i < published_rows; ++i) {
        ASSERT_EQ(others[i].key, shipped()[i].key);
        const double moved = measure::miss_percent(others[i].simulated, shipped()[i].simulated);
        EXPECT_LE(std::abs(moved), 0.15) << text_of(others[i].key);
        any_moved |= moved != 0;
    }
    EXPECT_TRUE(any_moved) << "the setting does something";
}

} // namespace
} // namespace mmcpipe::cli
