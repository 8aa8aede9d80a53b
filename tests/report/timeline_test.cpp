#include "mmcpipe/report/timeline.h"

#include "tests/report/reads.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mmcpipe::report {
namespace {

using testing::HasSubstr;

const TimelineText text{.title = "Two reads", .subtitle = "a <board> & a card", .request = "read"};

std::string picture() {
    return timeline(excerpt(test::reads(8, false), 4, 2), excerpt(test::reads(8, true), 4, 2), text);
}

std::size_t count(std::string_view in, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = in.find(what); at != std::string_view::npos; at = in.find(what, at + 1)) ++found;
    return found;
}

TEST(Timeline, ItSaysHowLongTwoRequestsTakeAndWhatIsSaved) {
    EXPECT_THAT(picture(), HasSubstr("two reads: 2,800 µs"));
    EXPECT_THAT(picture(), HasSubstr("two reads: 2,400 µs"));
    EXPECT_THAT(picture(), HasSubstr("saved: 400.0 µs (14.3 %)"));
}

TEST(Timeline, ItSaysHowLongTheDataLinesAreIdle) {
    EXPECT_THAT(picture(), HasSubstr("data lines idle: 400.0 µs"));
    EXPECT_THAT(picture(), HasSubstr("data lines idle: 200.0 µs"));
}

TEST(Timeline, ItNamesTheLanes) {
    for (const char* lane : {">CPU<", ">bus, CMD<", ">bus, DAT<", ">card<"}) EXPECT_THAT(picture(), HasSubstr(lane));
}

TEST(Timeline, PrepareAndFinishShowTheirLength) {
    EXPECT_THAT(picture(), HasSubstr(">prepare 100.0 µs<"));
    EXPECT_THAT(picture(), HasSubstr(">finish 100.0 µs<"));
}

TEST(Timeline, SeveralProcessorsHaveALaneEach) {
    std::vector<sim::Span> spans = test::reads(8, false);
    for (sim::Span& span : spans) {
        if (span.lane == sim::Lane::cpu && std::string_view(span.name) == "interrupt") span.unit = 1;
    }
    const std::string svg = timeline(excerpt(spans, 4, 2), excerpt(test::reads(8, true), 4, 2), text);
    EXPECT_THAT(svg, HasSubstr(">CPU 0<"));
    EXPECT_THAT(svg, HasSubstr(">CPU 1<"));
}

TEST(Timeline, ItIsWellFormed) {
    const std::string svg = picture();
    EXPECT_TRUE(svg.starts_with("<svg "));
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    EXPECT_THAT(svg, HasSubstr("a &lt;board&gt; &amp; a card"));
    EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
    EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Timeline, TheSameSpansGiveTheSamePicture) { EXPECT_EQ(picture(), picture()); }

} // namespace
} // namespace mmcpipe::report
