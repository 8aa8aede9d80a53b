#include "mmcpipe/cli/options.h"
#include "mmcpipe/measure/bad_input.h"
#include "tests/report/temporary.h"

#include <gtest/gtest.h>

namespace mmcpipe::cli {
namespace {

Options parsed(std::vector<const char*> words) {
    words.insert(words.begin(), "mmcpipe");
    return parse(static_cast<int>(words.size()), words.data());
}

std::string complaint(const std::vector<const char*>& words) {
    return test::complaint<measure::BadInput>([&] { parsed(words); });
}

TEST(Parse, TestHasDefaults) {
    const auto test = std::get<TestOptions>(parsed({"test"}));
    EXPECT_EQ(test.cases, "37-44");
    EXPECT_EQ(test.board.platform, "");
    EXPECT_FALSE(test.json);
    EXPECT_EQ(test.trace_requests, 16u);
}

TEST(Parse, TestTakesEverything) {
    const auto test = std::get<TestOptions>(parsed({"test",
                                                    "--platform",
                                                    "p",
                                                    "--card",
                                                    "c.toml",
                                                    "--cases",
                                                    "1-3",
                                                    "--set",
                                                    "platform.wake=1us",
                                                    "--set",
                                                    "card.read_gap=450us",
                                                    "--compare",
                                                    "log.csv",
                                                    "--variant",
                                                    "v",
                                                    "--timeline",
                                                    "t.svg",
                                                    "--trace",
                                                    "t.json",
                                                    "--trace-requests",
                                                    "0"}));
    EXPECT_EQ(test.board.platform, "p");
    EXPECT_EQ(test.board.card, "c.toml");
    EXPECT_EQ(test.board.settings, (std::vector<std::string>{"platform.wake=1us", "card.read_gap=450us"}));
    EXPECT_EQ(test.cases, "1-3");
    EXPECT_EQ(test.compare, "log.csv");
    EXPECT_EQ(test.variant, "v");
    EXPECT_EQ(test.timeline, "t.svg");
    EXPECT_EQ(test.trace, "t.json");
    EXPECT_EQ(test.trace_requests, 0u);
}

TEST(Parse, JsonGoesIntoAFileOrToStandardOutput) {
    EXPECT_EQ(std::get<TestOptions>(parsed({"test", "--json"})).json, "");
    EXPECT_EQ(std::get<TestOptions>(parsed({"test", "--json", "--cases", "1"})).json, "");
    EXPECT_EQ(std::get<TestOptions>(parsed({"test", "--json=out.json"})).json, "out.json");
}

TEST(Parse, ListNamesItsSubject) {
    EXPECT_EQ(std::get<ListOptions>(parsed({"list", "platforms"})).subject, Subject::platforms);
    EXPECT_EQ(std::get<ListOptions>(parsed({"list", "cards"})).subject, Subject::cards);
    EXPECT_EQ(std::get<ListOptions>(parsed({"list", "cases"})).subject, Subject::cases);
    EXPECT_NE(complaint({"list"}), "");
    EXPECT_NE(complaint({"list", "boards"}), "");
}

TEST(Parse, CalibrateTakesKeysWithBounds) {
    const auto calibrate = std::get<CalibrateOptions>(
        parsed({"calibrate", "--log", "l.csv", "--fit", "platform.wake=20us..500us,card.read_gap", "--out", "dir",
                "--evaluations", "9"}));
    EXPECT_EQ(calibrate.fit, (std::vector<std::string>{"platform.wake=20us..500us", "card.read_gap"}));
    EXPECT_EQ(calibrate.log, "l.csv");
    EXPECT_EQ(calibrate.out, "dir");
    EXPECT_EQ(calibrate.evaluations, 9u);
    EXPECT_NE(complaint({"calibrate", "--log", "l.csv", "--out", "dir"}), "");
    EXPECT_NE(
        complaint({"calibrate", "--log", "l.csv", "--fit", "platform.wake", "--out", "dir", "--evaluations", "0"}), "");
}

TEST(Parse, ResultsTakesAFile) {
    EXPECT_EQ(std::get<ResultsOptions>(parsed({"results", "--out", "r.md"})).out, "r.md");
}

TEST(Parse, HelpIsANoticeAboutWhatItStandsBehind) {
    EXPECT_NE(std::get<Notice>(parsed({"--help"})).text.find("calibrate"), std::string::npos);
    EXPECT_NE(std::get<Notice>(parsed({"test", "--help"})).text.find("mmcpipe test [OPTIONS]"), std::string::npos);
}

TEST(Parse, AMistakeIsOneLine) {
    for (const std::vector<const char*>& words : {std::vector<const char*>{},
                                                  {"tset"},
                                                  {"test", "--plattform", "x"},
                                                  {"test", "--platform"},
                                                  {"test", "extra"}}) {
        const std::string text = complaint(words);
        EXPECT_NE(text, "");
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
}

} // namespace
} // namespace mmcpipe::cli
