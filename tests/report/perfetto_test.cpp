#include "mmcpipe/report/perfetto.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mmcpipe::report {
namespace {

using sim::Lane;
using sim::Span;

std::string trace_of(const std::vector<Span>& spans) {
    std::ostringstream out;
    PerfettoTrace trace(out);
    for (const Span& span : spans) trace.span(span);
    trace.finish();
    return out.str();
}

TEST(Perfetto, TimesAreMicrosecondsToThePicosecond) {
    const std::string text = trace_of({{Lane::command, 0, "CMD18", {1'000'001}, {3'000'000}, 4096}});
    EXPECT_NE(
        text.find(
            R"({"ph":"X","pid":1,"tid":257,"name":"CMD18","ts":1.000001,"dur":1.999999,"args":{"argument":4096}})"),
        std::string::npos)
        << text;
}

TEST(Perfetto, EachLaneAndUnitIsATrackWithAName) {
    const auto parsed = nlohmann::json::parse(trace_of({{Lane::cpu, 0, "prepare", {0}, {1}, 0},
                                                        {Lane::cpu, 1, "interrupt", {0}, {1}, 0},
                                                        {Lane::cpu, 0, "finish", {2}, {3}, 0},
                                                        {Lane::data, 0, "read", {0}, {9}, 0}}));
    std::map<int, std::string> names;
    std::map<int, int> spans;
    for (const auto& event : parsed["traceEvents"]) {
        const int track = event["tid"];
        if (event["name"] == "thread_name") {
            EXPECT_FALSE(names.contains(track)) << "named twice";
            names[track] = event["args"]["name"];
        }
        if (event["ph"] == "X") {
            EXPECT_TRUE(names.contains(track)) << "a span before its track has a name";
            ++spans[track];
        }
    }
    EXPECT_EQ(names, (std::map<int, std::string>{{1, "CPU 0"}, {2, "CPU 1"}, {513, "data lines"}}));
    EXPECT_EQ(spans, (std::map<int, int>{{1, 2}, {2, 1}, {513, 1}}));
}

TEST(Perfetto, AnEmptyTraceIsStillJson) { EXPECT_TRUE(nlohmann::json::parse(trace_of({}))["traceEvents"].empty()); }

TEST(Perfetto, TheSameSpansGiveTheSameBytes) {
    const std::vector<Span> spans{{Lane::card, 0, "busy", {7}, {1'234'567'890'123}, 1}};
    EXPECT_EQ(trace_of(spans), trace_of(spans));
    EXPECT_NE(trace_of(spans).find("\"ts\":0.000007,\"dur\":1234567.890116"), std::string::npos);
}

} // namespace
} // namespace mmcpipe::report
