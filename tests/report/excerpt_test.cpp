#include "mmcpipe/report/excerpt.h"

#include "mmcpipe/report/first_requests.h"
#include "tests/report/reads.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

namespace mmcpipe::report {
namespace {

using sim::Lane;
using sim::microseconds;
using sim::Span;
using test::reads;

TEST(Excerpt, ItGoesFromOneCommandWithDataToAnother) {
    const Excerpt blocking = excerpt(reads(6, false), 2, 2);
    EXPECT_EQ(blocking.from, microseconds(2 * 1400 + 100));
    EXPECT_EQ(blocking.length(), microseconds(2 * 1400));
    EXPECT_EQ(excerpt(reads(6, true), 2, 2).length(), microseconds(2 * 1200));
}

TEST(Excerpt, TooFewRequestsAreAnError) {
    EXPECT_NO_THROW(excerpt(reads(5, false), 2, 2));
    EXPECT_THROW(excerpt(reads(4, false), 2, 2), std::runtime_error);
}

TEST(Excerpt, ItKeepsWhatIsAroundItAndNoMore) {
    const std::vector<Span> all = reads(50, false);
    const Excerpt some = excerpt(all, 20, 2);
    EXPECT_LT(some.spans.size(), all.size() / 4);
    EXPECT_TRUE(std::ranges::any_of(some.spans, [&](const Span& span) { return span.to <= some.from; }));
    EXPECT_TRUE(std::ranges::any_of(some.spans, [&](const Span& span) { return span.from >= some.to; }));
}

TEST(Excerpt, AGapLiesBetweenTheDataOfTwoRequests) {
    const std::vector<Gap> found = gaps(excerpt(reads(6, false), 2, 2));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].length(), microseconds(400));
    EXPECT_EQ(found[1].length(), microseconds(400));
    EXPECT_EQ(gaps(excerpt(reads(6, true), 2, 2)).front().length(), microseconds(200));
}

TEST(Excerpt, DataInPiecesIsStillOneRequest) {
    std::vector<Span> spans = reads(6, false);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (spans[i].lane != Lane::data) continue;
        Span second = spans[i];
        second.from += microseconds(500);
        spans[i].to = spans[i].from + microseconds(400);
        spans.insert(spans.begin() + static_cast<std::ptrdiff_t>(++i), second);
    }
    const std::vector<Gap> found = gaps(excerpt(spans, 2, 2));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].length(), microseconds(400));
}

TEST(Excerpt, WithoutDataThereAreNoGaps) {
    std::vector<Span> spans = reads(6, false);
    std::erase_if(spans, [](const Span& span) { return span.lane == Lane::data; });
    EXPECT_THROW(gaps(excerpt(spans, 2, 2)), std::runtime_error);
}

TEST(Excerpt, TheFirstSpanIsTheEarliestOne) {
    const Excerpt some = excerpt(reads(6, false), 2, 2);
    const Span* const finish = first_span(some, Lane::cpu, "finish", some.from);
    ASSERT_NE(finish, nullptr);
    EXPECT_EQ(finish->from, some.from + microseconds(1200));
    EXPECT_EQ(first_span(some, Lane::cpu, "nothing", some.from), nullptr);
}

TEST(FirstRequests, EveryRowBeginsAnew) {
    SpanBuffer buffer;
    FirstRequests part(buffer, 2);
    const auto commands = [&] { return std::ranges::count_if(buffer.spans, transfers_data); };
    for (const Span& span : reads(10, false)) part.span(span);
    EXPECT_EQ(commands(), 2);
    EXPECT_EQ(std::ranges::count(buffer.spans, Lane::data, &Span::lane), 2);
    part.restart();
    for (const Span& span : reads(10, false)) part.span(span);
    EXPECT_EQ(commands(), 4);
}

TEST(FirstRequests, ZeroMeansAll) {
    SpanBuffer buffer;
    FirstRequests part(buffer, 0);
    for (const Span& span : reads(10, false)) part.span(span);
    EXPECT_EQ(std::ranges::count_if(buffer.spans, transfers_data), 10);
}

} // namespace
} // namespace mmcpipe::report
