#include "mmcpipe/cli/commands.h"

#include "tests/report/temporary.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mmcpipe::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
    int status;
    std::string out;
    std::string err;
};

Outcome run(std::vector<std::string> words) {
    words.insert(words.begin(), "mmcpipe");
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    std::ostringstream out;
    std::ostringstream err;
    const int status = command(static_cast<int>(argv.size()), argv.data(), out, err);
    return {status, out.str(), err.str()};
}

Outcome test(std::vector<std::string> words) {
    const std::vector<std::string> board{"test", "--platform", "ux500", "--card", "ux500-emmc"};
    words.insert(words.begin(), board.begin(), board.end());
    return run(words);
}

TEST(Commands, ListShowsNamesThatTestTakes) {
    const Outcome platforms = run({"list", "platforms"});
    EXPECT_EQ(platforms.status, success);
    EXPECT_THAT(platforms.out, HasSubstr("ux500  "));
    EXPECT_THAT(run({"list", "cards"}).out, HasSubstr("ux500-emmc  "));
    EXPECT_THAT(run({"list", "cases"}).out, HasSubstr("44  Read performance non-blocking req 1 to 512 sg elems\n"));
}

TEST(Commands, TestPrintsTheKernelsLines) {
    const Outcome outcome = test({"--cases", "4"});
    EXPECT_EQ(outcome.status, success) << outcome.err;
    EXPECT_EQ(outcome.out, "mmc0: Starting tests of card mmc0:0001...\n"
                           "mmc0: Test case 4. Basic read (with data verification)...\n"
                           "mmc0: Result: OK\n"
                           "mmc0: Tests completed.\n");
}

TEST(Commands, JsonAloneIsAllThatStandardOutputGets) {
    const Outcome outcome = test({"--cases", "4,19", "--json"});
    EXPECT_EQ(outcome.status, success) << outcome.err;
    const auto parsed = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(parsed["platform"], "ux500");
    EXPECT_EQ(parsed["card"], "ux500-emmc");
    EXPECT_EQ(parsed["cases"][0]["result"], "OK");
    EXPECT_EQ(parsed["cases"][1]["result"], "UNSUPPORTED by host");
}

TEST(Commands, TheFirstFailureShowsOnceWhatTheHostDidBeforeIt) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--json"}}) {
        std::vector<std::string> words{"--cases", "1,3,4", "--set", "card.write_block_busy=2s"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = test(words);
        EXPECT_EQ(outcome.status, some_failed);
        EXPECT_THAT(outcome.err, StartsWith("mmcpipe: the last of "));
        EXPECT_EQ(outcome.err.find("the last of", 20), std::string::npos) << "once, though three cases fail";
        EXPECT_THAT(outcome.err, HasSubstr("bytes by DMA: data time-out, status "));
        EXPECT_THAT(outcome.err, HasSubstr("wake-up"));
        EXPECT_LE(std::ranges::count(outcome.err, '\n'), 33);
        EXPECT_EQ(outcome.out.find("the last of"), std::string::npos);
    }
    EXPECT_EQ(test({"--cases", "1,3,19"}).err, "") << "nothing failed";
}

TEST(Commands, FilesAreWrittenBesideTheLines) {
    const test::TemporaryFolder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const Outcome outcome = test({"--cases", "43", "--json=" + path("r.json"), "--trace", path("t.json"),
                                  "--trace-requests", "2", "--compare", "data/published/mmc_test-ux500.csv"});
    EXPECT_EQ(outcome.status, success) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("mmc0: Transfer of 256 x 1024 sectors (256 x 512 KiB) took "));
    EXPECT_THAT(outcome.out, HasSubstr("read blocking"));
    EXPECT_THAT(outcome.out, HasSubstr("publ."));
    EXPECT_EQ(folder.files(), 2u);

    const auto results = nlohmann::json::parse(test::content_of(path("r.json")));
    ASSERT_EQ(results["cases"][0]["transfers"].size(), 8u);
    EXPECT_EQ(results["cases"][0]["transfers"][7]["sg_len"], 512);

    const auto trace = nlohmann::json::parse(test::content_of(path("t.json")));
    std::size_t reads = 0;
    for (const auto& event : trace["traceEvents"]) reads += event["name"] == "CMD18" ? 1 : 0;
    EXPECT_EQ(reads, 8u * 2) << "two requests of each row";
}

TEST(Commands, TheSameCommandGivesTheSameBytes) { EXPECT_EQ(test({"--cases", "43"}).out, test({"--cases", "43"}).out); }

TEST(Commands, ASettingChangesWhatComesOut) {
    EXPECT_NE(test({"--cases", "43"}).out, test({"--cases", "43", "--set", "platform.wake=1us"}).out);
}

TEST(Commands, BadInputIsOneLineAndStatusTwoAndNothingElse) {
    const test::TemporaryFolder folder;
    const std::string file = (folder.path() / "out").string();
    const std::string csv = folder.file("log.csv", "nonsense\n");
    const std::vector<std::vector<std::string>> mistakes{
        {},
        {"nonsense"},
        {"test", "--nonsense"},
        {"test", "--platform", "nonsense", "--json=" + file},
        {"test", "--platform", "ux500", "--card", "nonsense", "--json=" + file},
        {"test", "--cases", "37-45", "--json=" + file},
        {"test", "--set", "nonsense", "--json=" + file},
        {"test", "--platform", "ux500", "--card", "ux500-emmc", "--set", "card.read_gap=nonsense", "--json=" + file},
        {"test", "--platform", "ux500", "--card", "ux500-emmc", "--compare", csv, "--json=" + file},
        {"test", "--platform", "ux500", "--card", "ux500-emmc", "--compare", file, "--timeline", file},
        {"test", "--platform", "ux500", "--card", "ux500-emmc", "--trace", "/nonexistent/trace.json"},
        {"calibrate", "--platform", "ux500", "--card", "ux500-emmc", "--log", csv, "--fit", "platform.wake", "--out",
         file},
        {"calibrate", "--platform", "ux500", "--card", "ux500-emmc", "--log", "data/published/mmc_test-ux500.csv",
         "--fit", "platform.nonsense", "--out", file},
    };
    for (const std::vector<std::string>& words : mistakes) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, bad_input) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err, StartsWith("mmcpipe: "));
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
        EXPECT_EQ(folder.files(), 1u) << outcome.err;
    }
}

TEST(Commands, ACardThatDoesNotComeUpIsAnErrorWithStatusOne) {
    // Powering up for longer than any host waits.
    const Outcome outcome = test({"--cases", "1", "--set", "card.power_up_time=5s"});
    EXPECT_EQ(outcome.status, some_failed);
    EXPECT_THAT(outcome.err, HasSubstr("ux500-emmc on ux500: "));
}

TEST(Commands, CalibrateFindsANumberThatWasChanged) {
    // The log is what the board itself does with another number; so it can be met.
    const test::TemporaryFolder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const Outcome made = test({"--cases", "43", "--set", "platform.wake=80us", "--json"});
    std::string log = "variant,case,direction,mode,requests,sectors,request_kib,seconds,kB_s,KiB_s,iops,sg_len\n";
    const auto rows = nlohmann::json::parse(made.out)["cases"][0]["transfers"];
    for (const auto& row : rows) {
        std::ostringstream line;
        line.precision(12);
        line << "made,43,read,blocking,256,1024,512," << double(row["seconds"]) << ",0,0,0," << row["sg_len"] << "\n";
        log += line.str();
    }
    folder.file("log.csv", log);
    folder.file("log.tolerance.csv", "case,from_kib,to_kib,percent,use\n43,512,512,0.5,fit\n");

    const Outcome outcome =
        run({"calibrate", "--platform", "ux500", "--card", "ux500-emmc", "--set", "platform.wake=120us", "--log",
             path("log.csv"), "--fit", "platform.wake", "--out", path("fitted"), "--evaluations", "14"});
    EXPECT_EQ(outcome.status, success) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("8 of 8 published rows within their tolerance"));
    EXPECT_TRUE(std::filesystem::exists(path("fitted/misses.csv")));
    EXPECT_TRUE(std::filesystem::exists(path("fitted/ux500-emmc.toml")));
    EXPECT_THAT(test::content_of(path("fitted/ux500.toml")),
                testing::ContainsRegex("wake = . value = .*, origin = \"fitted\""));
    const Outcome again = run({"test", "--platform", path("fitted/ux500.toml"), "--card",
                               path("fitted/ux500-emmc.toml"), "--cases", "43", "--compare", path("log.csv")});
    EXPECT_THAT(again.out, testing::Not(testing::ContainsRegex("[0-9]!"))) << "a miss above its tolerance";
}

} // namespace
} // namespace mmcpipe::cli
