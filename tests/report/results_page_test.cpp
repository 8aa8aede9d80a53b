#include "mmcpipe/report/results_page.h"

#include "mmcpipe/report/table.h"
#include "tests/report/rows.h"
#include "tests/report/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mmcpipe::report {
namespace {

using test::result;
using test::row;
using testing::HasSubstr;
using testing::Not;

constexpr const char* platform = R"([platform]
name = "board"
summary = "one | two"
wake = { value = "130us", origin = "fitted", note = "out of idle" }
wait = { value = "7us", origin = "unexplained", note = "nobody knows" }
barrier = { value = "30ns", origin = "derived", note = "a guess" }
)";
constexpr const char* card = R"([card]
name = "emmc"
summary = "a card"
)";

struct Page {
    test::TemporaryFolder folder;
    sim::Profile board = sim::Profile::read(folder.file("board.toml", platform), "platform");
    sim::Profile emmc = sim::Profile::read(folder.file("emmc.toml", card), "card");
    measure::Published published = measure::read_published(test::published_log);

    std::string of(const std::vector<measure::CaseResult>& results) const {
        return text_of({.command = "mmcpipe results",
                        .platform = board,
                        .card = emmc,
                        .log = "the.csv",
                        .published = published,
                        .results = results});
    }
};

TEST(ResultsPage, FittedAndUnexplainedNumbersAreListedAndNoOthers) {
    const std::string text = Page().of({});
    EXPECT_THAT(text, HasSubstr("| `platform.wake` | 130us | fitted | out of idle |"));
    EXPECT_THAT(text, HasSubstr("| `platform.wait` | 7us | unexplained | nobody knows |"));
    EXPECT_THAT(text, Not(HasSubstr("platform.barrier")));
}

TEST(ResultsPage, RowsThatWereFittedStandApartFromThoseThatWereNot) {
    Page page;
    page.published.rows.push_back(
        {.place = "", .variant = "baseline", .key = {44, 1024, 1}, .requests = 256, .took = base::seconds(5)});
    const std::string text =
        page.of({result(39, {row(2048, 64, 1, 7'000'000'000)}), result(44, {row(256, 512, 1, 5'100'000'000)})});
    const std::size_t fitted = text.find("| 39 | 64 KiB | 1 | 6.958251954 | 7.000000000 | +0.60 | 0.5, missed |");
    const std::size_t unseen = text.find("| 44 | 512 KiB | 1 | 5.000000000 | 5.100000000 | +2.00 | 0.5, missed |");
    const std::size_t heading = text.find("## Published rows that nothing was fitted to");
    ASSERT_NE(fitted, std::string::npos) << text;
    ASSERT_NE(unseen, std::string::npos) << text;
    EXPECT_LT(fitted, heading);
    EXPECT_GT(unseen, heading);
    EXPECT_THAT(text, HasSubstr("0 of 1 rows within their tolerance"));
}

TEST(ResultsPage, ARowThatWasNotPublishedIsAPrediction) {
    const std::string text = Page().of({result(42, {row(256, 512, 8, 6'000'000'000)})});
    EXPECT_THAT(text, HasSubstr("| 42 | 512 KiB | 8 | 6.000000000 | 21845 |"));
}

TEST(ResultsPage, TheTableIsTheOneThatTestPrints) {
    Page page;
    const std::vector<measure::CaseResult> results{result(39, {row(2048, 64, 1, 7'000'000'000)})};
    EXPECT_THAT(page.of(results), HasSubstr(text_of(make_table(results, page.published))));
}

} // namespace
} // namespace mmcpipe::report
