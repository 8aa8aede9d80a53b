// mmcpipe bench and mmcpipe compare, as a user calls them.

#include "mmcpipe/cli/commands.h"
#include "tests/report/temporary.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mmcpipe::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

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

Outcome bench(const std::string& workload, std::vector<std::string> words) {
    const std::vector<std::string> first{"bench", workload, "--platform", "ux500"};
    words.insert(words.begin(), first.begin(), first.end());
    return run(words);
}

json rows(const std::string& workload, std::vector<std::string> words) {
    words.emplace_back("--json");
    const Outcome outcome = bench(workload, std::move(words));
    EXPECT_EQ(outcome.status, success) << outcome.err;
    return json::parse(outcome.out)["rows"];
}

const json& row(const json& rows, const char* operation, int record_kib) {
    for (const json& each : rows) {
        if (each["operation"] == operation && each["record_kib"] == record_kib) return each;
    }
    throw std::runtime_error("no such row");
}

TEST(Bench, IozoneReportsEveryOperationForEveryRecordSize) {
    const json all = rows("iozone", {"--file", "1MiB", "--record", "64KiB,128KiB"});
    EXPECT_EQ(all.size(), 12u);
    for (const char* operation : {"write", "rewrite", "read", "reread", "random_read", "random_write"}) {
        EXPECT_GT(row(all, operation, 64)["kB_s"], 1000);
        EXPECT_GT(row(all, operation, 128)["cpu_load_percent"], 0.5);
    }
}

TEST(Bench, DoubleBufferingGainsOnceARecordHasTwoPieces) {
    const std::vector<std::string> size{"--file", "2MiB", "--record", "128KiB,512KiB", "--max-request", "128KiB"};
    const auto with_depth = [&](const char* depth) {
        std::vector<std::string> words = size;
        words.insert(words.end(), {"--depth", depth});
        return rows("iozone", words);
    };
    const json one = with_depth("1");
    const json two = with_depth("2");
    const auto gain = [&](const char* operation, int record) {
        return row(two, operation, record)["kB_s"].get<double>() / row(one, operation, record)["kB_s"].get<double>();
    };
    EXPECT_NEAR(gain("read", 128), 1.0, 1e-3);
    EXPECT_GT(gain("read", 512), 1.02);
    EXPECT_GT(gain("write", 512), 1.01);
}

TEST(Bench, RandomReportsRatesAndLatenciesOfBothDirections) {
    const json all = rows("random", {"--jobs", "2", "--queue-depth", "2", "--reads", "50", "--seconds", "1"});
    ASSERT_EQ(all.size(), 1u);
    EXPECT_GT(all[0]["read_iops"], 100);
    EXPECT_GT(all[0]["write_iops"], 100);
    EXPECT_LE(all[0]["read_latency_us"]["p50"], all[0]["read_latency_us"]["max"]);
}

TEST(Bench, CompletingOffTheLockCutsTheTimeThatInterruptsAreOffToAPages) {
    const auto irqs_off = [](const char* completion) {
        double longest = 0;
        for (const json& each : rows("lmdd", {"--file", "4MiB", "--completion", completion, "--set",
                                              "platform.client_complete_page=47us"})) {
            longest = std::max(longest, each["irqs_off_max_us"].get<double>());
        }
        return longest;
    };
    EXPECT_NEAR(irqs_off("locked"), 128 * 47, 60); // 512 KiB
    EXPECT_NEAR(irqs_off("unlocked"), 47, 1);
}

TEST(Bench, TheSameRunTwiceGivesTheSameBytes) {
    const std::vector<std::string> words{"--seconds", "1", "--jobs", "3", "--reads", "60", "--json"};
    EXPECT_EQ(bench("random", words).out, bench("random", words).out);
}

TEST(Bench, PhasesSayWhereTheTimeWent) {
    const Outcome outcome = bench("iozone", {"--file", "1MiB", "--record", "64KiB", "--phases"});
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("settling"), HasSubstr("while data moved: "), HasSubstr("in 48 transfers")));
}

TEST(Bench, WhatMakesNoSenseIsSaidInOneLine) {
    const auto refusal = [](const std::string& workload, const std::vector<std::string>& words) {
        const Outcome outcome = bench(workload, words);
        EXPECT_EQ(outcome.status, bad_input);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1);
        return outcome.err;
    };
    EXPECT_THAT(refusal("iozon", {}), HasSubstr("no workload \"iozon\", expected one of iozone, "));
    EXPECT_THAT(refusal("lmdd", {"--jobs", "3"}), HasSubstr("--jobs: lmdd has no use for it"));
    EXPECT_THAT(refusal("lmdd", {"--packing", "write"}), HasSubstr("the card has no packed commands"));
    EXPECT_THAT(refusal("lmdd", {"--packing", "all"}), HasSubstr("\"all\", expected one of adaptive, both"));
    EXPECT_THAT(refusal("lmdd", {"--dma", "chain"}), HasSubstr("platform ux500 has one way"));
    EXPECT_THAT(refusal("lmdd", {"--pio", "--dma", "engine"}), HasSubstr("not together with --dma"));
    EXPECT_THAT(refusal("iozone", {"--record", "3KiB"}), HasSubstr("--record 3 KiB: expected a multiple of 4 KiB"));
    EXPECT_THAT(refusal("iozone", {"--max-request", "1000"}), HasSubstr("expected a multiple of 512 B"));
    EXPECT_THAT(refusal("iozone", {"--file", "9000000MiB", "--record", "16MiB"}), HasSubstr("--file"));
}

class Compare : public testing::Test {
protected:
    std::string file(const std::string& name, std::vector<std::string> words) {
        const std::string path = folder.path() / name;
        words.insert(words.end(), {"--file", "1MiB", "--record", "256KiB", "--json", path});
        EXPECT_EQ(bench("iozone", words).status, success);
        return path;
    }
    test::TemporaryFolder folder;
};

TEST_F(Compare, ShowsThroughputInPercentAndLoadInPoints) {
    const std::string a = file("a.json", {"--depth", "1", "--max-request", "128KiB"});
    const std::string b = file("b.json", {"--depth", "2", "--max-request", "128KiB"});
    const Outcome outcome = run({"compare", a, b});
    EXPECT_EQ(outcome.status, success) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("depth: 1 -> 2"), HasSubstr("\nread, 256\n"), HasSubstr(" %\n"),
                                   HasSubstr(" points\n")));
}

TEST_F(Compare, NamesTheFileThatDoesNotFit) {
    const std::string a = file("a.json", {});
    const std::string other = folder.path() / "other.json";
    EXPECT_EQ(bench("random", {"--seconds", "1", "--json", other}).status, success);
    EXPECT_THAT(run({"compare", a, other}).err, HasSubstr("expected the same workload"));
    EXPECT_THAT(run({"compare", a, "/no/such"}).err, HasSubstr("/no/such: cannot be read"));
    const std::string broken = folder.file("broken.json", "{\"workload\":");
    EXPECT_EQ(run({"compare", broken, a}).status, bad_input);
    EXPECT_THAT(run({"compare", broken, a}).err, HasSubstr("broken.json: no results of a workload"));
}

} // namespace
} // namespace mmcpipe::cli
