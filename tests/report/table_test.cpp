#include "mmcpipe/report/table.h"

#include "tests/report/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mmcpipe::report {
namespace {

using test::result;
using test::row;
using testing::HasSubstr;
using testing::Not;

/// What the log says, as if it had been simulated.
std::vector<measure::CaseResult> as_published() {
    std::vector<measure::CaseResult> results;
    for (const measure::PublishedRow& published : measure::read_log(test::published_log)) {
        if (results.empty() || results.back().number != published.key.number)
            results.push_back(result(published.key.number, {}));
        results.back().rows.push_back(row(published));
    }
    return results;
}

TEST(Table, SizesAndListsStandInTwoParts) {
    const Table table = make_table(as_published(), {});
    ASSERT_EQ(table.by_size.size(), 10u);
    ASSERT_EQ(table.by_sg_len.size(), 8u);
    EXPECT_EQ(table.by_size[4].sectors, 128u);
    EXPECT_EQ(table.by_size[4].read.blocking->kib_per_s, 18836u);
    EXPECT_EQ(table.by_size[4].read.non_blocking->kib_per_s, 19299u);
    EXPECT_EQ(table.by_size[4].write.blocking->kib_per_s, 19151u);
    EXPECT_EQ(table.by_sg_len[7].sg_len, 512u);
    EXPECT_EQ(table.by_sg_len[7].read.blocking->kib_per_s, 19723u);
    EXPECT_FALSE(table.by_sg_len[7].read.non_blocking);
}

TEST(Table, GainIsTheRateOfNonBlockingAboveThatOfBlocking) {
    const Table table = make_table(as_published(), {});
    EXPECT_NEAR(*table.by_size[5].read.gain(), 100.0 * (20854.0 / 19689.0 - 1), 1e-9);
    EXPECT_FALSE(table.by_sg_len[0].read.gain());
}

TEST(Table, ARowIsComparedWithThePublishedOneOfItsCaseSizeAndList) {
    const measure::Published published = measure::read_published(test::published_log);
    const Table table = make_table(std::vector{result(39, {row(2048, 64, 1, 6'958'251'954 * 2)})}, published);
    const Cell& cell = *table.by_size[0].read.blocking;
    EXPECT_EQ(cell.published, 18836u);
    EXPECT_NEAR(cell.miss->percent, 100.0, 1e-6);
}

TEST(Table, OtherCasesAreLeftOut) {
    EXPECT_TRUE(make_table(std::vector{result(30, {row(1, 4, 1, 1000)})}, {}).empty());
    EXPECT_EQ(text_of(Table{}), "");
}

TEST(Table, WithoutALogThereIsNoColumnForIt) {
    const std::string text = text_of(make_table(as_published(), {}));
    EXPECT_THAT(text, HasSubstr("write blocking"));
    EXPECT_THAT(text, Not(HasSubstr("publ.")));
    EXPECT_THAT(text, Not(HasSubstr("miss")));
}

TEST(Table, ADirectionThatDidNotRunHasNoColumns) {
    const std::string text = text_of(make_table(std::vector{result(39, {row(2048, 64, 1, 6'958'251'954)})}, {}));
    EXPECT_THAT(text, Not(HasSubstr("write")));
    EXPECT_THAT(text, HasSubstr("read blocking"));
}

TEST(Table, AMissAboveItsToleranceIsMarked) {
    const measure::Published published = measure::read_published(test::published_log);
    const auto line = [&](std::int64_t took) {
        return text_of(make_table(std::vector{result(39, {row(2048, 64, 1, took)})}, published));
    };
    EXPECT_THAT(line(6'958'251'954 * 1004 / 1000), HasSubstr("+0.40 "));
    EXPECT_THAT(line(6'958'251'954 * 1006 / 1000), HasSubstr("+0.60!"));
}

TEST(Table, TheTextLinesUp) {
    const measure::Published published = measure::read_published(test::published_log);
    const std::string text =
        text_of(make_table(std::vector{result(39, {row(32768, 4, 1, 20'897'765'402), row(32, 4096, 1, 6'362'468'401)}),
                                       result(40, {row(32768, 4, 1, 20'879'326'369)})},
                           published));
    EXPECT_EQ(text.substr(0, text.find("\ngain:")),
              "\n"
              "                    read blocking      read non-blocking         gain\n"
              "   request  KiB/s  publ.  miss %   KiB/s  publ.  miss %      %  publ.\n"
              "     4 KiB   6272   6272   +0.00    6277   6277   +0.00   +0.1   +0.1\n"
              "  4096 KiB  20600  20600   +0.00       -      -       -      -      -\n");
}

} // namespace
} // namespace mmcpipe::report
