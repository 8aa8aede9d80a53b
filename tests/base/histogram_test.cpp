#include "mmcpipe/base/histogram.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace mmcpipe::base {
namespace {

using Values = std::vector<std::uint64_t>;

Histogram histogram_of(const Values& values) {
    Histogram histogram;
    for (const std::uint64_t value : values) histogram.add(value);
    return histogram;
}

/// Values of all magnitudes, from one bit to `bits`.
rc::Gen<Values> values(unsigned bits = Histogram::bits) {
    return rc::gen::container<Values>(
        rc::gen::apply([](std::uint64_t value, unsigned width) { return value & ((std::uint64_t{1} << width) - 1); },
                       rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(1u, bits + 1)));
}

TEST(Histogram, AnEmptyOneAnswersZero) {
    const Histogram empty;
    EXPECT_EQ(empty.count(), 0u);
    EXPECT_EQ(empty.max(), 0u);
    EXPECT_EQ(empty.percentile(share_50), 0u);
    EXPECT_EQ(empty.percentile(share_99_99), 0u);
}

TEST(Histogram, EveryBucketBeginsWhereTheOneBeforeEnds) {
    for (std::size_t i = 0; i < Histogram::buckets; ++i) {
        const std::uint64_t begin = Histogram::begin_of(i);
        const std::uint64_t end = Histogram::begin_of(i + 1);
        ASSERT_EQ(Histogram::bucket_of(begin), i);
        ASSERT_EQ(Histogram::bucket_of(end - 1), i);
        ASSERT_LE(end - 1 - begin, begin / 32) << "resolution";
    }
    EXPECT_EQ(Histogram::begin_of(Histogram::buckets), std::uint64_t{1} << Histogram::bits);
}

TEST(Histogram, SmallValuesAreExact) {
    const Histogram histogram = histogram_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 31});
    EXPECT_EQ(histogram.percentile({1'000}), 0u);
    EXPECT_EQ(histogram.percentile(share_50), 4u);
    EXPECT_EQ(histogram.percentile({9'000}), 8u);
    EXPECT_EQ(histogram.percentile(share_99), 31u);
}

TEST(Histogram, OneInAThousandIsSeenByTheShareAboveItOnly) {
    Histogram histogram;
    for (int i = 0; i < 999; ++i) histogram.add(10);
    histogram.add(6'000'000);
    EXPECT_EQ(histogram.percentile(share_99), 10u);
    EXPECT_EQ(histogram.percentile(share_99_9), 10u);
    EXPECT_EQ(histogram.percentile(share_99_99), 6'000'000u);
}

TEST(Histogram, ValuesBeyondTheLastBucketAreCountedAndTheLargestIsKnown) {
    Histogram histogram;
    histogram.add(UINT64_MAX);
    histogram.add(std::uint64_t{1} << Histogram::bits);
    EXPECT_EQ(histogram.in_bucket(Histogram::buckets - 1), 2u);
    EXPECT_EQ(histogram.max(), UINT64_MAX);
    EXPECT_EQ(histogram.percentile(share_50), UINT64_MAX);
}

TEST(Histogram, WhatCameSinceDoesNotShowWhatCameBefore) {
    Histogram histogram = histogram_of({1'000'000, 2'000'000});
    const Histogram before = histogram;
    histogram.add(100);
    const Histogram since = histogram.since(before);
    EXPECT_EQ(since.count(), 1u);
    EXPECT_EQ(since.sum(), 100u);
    EXPECT_GE(since.max(), 100u);
    EXPECT_LE(since.max(), 103u);
    EXPECT_EQ(since.percentile(share_99), since.max());
    EXPECT_EQ(histogram.since(histogram).max(), 0u);
}

RC_GTEST_PROP(HistogramProperty, APercentileIsTheOneOfTheSortedValuesOrSlightlyAbove, ()) {
    Values all = *rc::gen::nonEmpty(values());
    const auto parts = *rc::gen::inRange<std::uint16_t>(1, 10'001);
    const std::uint64_t found = histogram_of(all).percentile({parts});
    std::ranges::sort(all);
    const std::size_t rank = (all.size() * parts + 9'999) / 10'000; // from 1
    const std::uint64_t exact = all[rank - 1];
    RC_ASSERT(found >= exact);
    RC_ASSERT(found - exact <= exact / 32);
    RC_ASSERT(found <= all.back());
}

RC_GTEST_PROP(HistogramProperty, AddingAHistogramIsAddingItsValues, ()) {
    const Values first = *values(63);
    const Values second = *values(63);
    Histogram sum = histogram_of(first);
    sum.add(histogram_of(second));
    Values both = first;
    both.insert(both.end(), second.begin(), second.end());
    const Histogram whole = histogram_of(both);
    RC_ASSERT(sum.count() == whole.count());
    RC_ASSERT(sum.sum() == whole.sum());
    RC_ASSERT(sum.max() == whole.max());
    for (std::size_t i = 0; i < Histogram::buckets; ++i) RC_ASSERT(sum.in_bucket(i) == whole.in_bucket(i));
}

RC_GTEST_PROP(HistogramProperty, TheDifferenceIsWhatWasAdded, ()) {
    const Values first = *values(63);
    const Values second = *values(63);
    const Histogram before = histogram_of(first);
    Histogram after = before;
    for (const std::uint64_t value : second) after.add(value);
    const Histogram since = after.since(before);
    const Histogram alone = histogram_of(second);
    RC_ASSERT(since.count() == alone.count());
    RC_ASSERT(since.sum() == alone.sum());
    RC_ASSERT(since.max() >= alone.max());
    for (std::size_t i = 0; i < Histogram::buckets; ++i) RC_ASSERT(since.in_bucket(i) == alone.in_bucket(i));
}

} // namespace
} // namespace mmcpipe::base
