#include "mmcpipe/measure/calibrate.h"

#include "mmcpipe/measure/bad_input.h"
#include "tests/report/temporary.h"

#include <gtest/gtest.h>
#include <stdexcept>

namespace mmcpipe::measure {
namespace {

/// A fixed part and a part for each page of a request.
std::vector<base::Duration> times(std::span<const double> values) {
    std::vector<base::Duration> result;
    for (const double pages : {1, 2, 4, 8, 16, 128, 1024})
        result.push_back({static_cast<std::int64_t>(values[0] + pages * values[1])});
    return result;
}

std::vector<Target> targets(std::span<const double> truth, double tolerance = 1) {
    std::vector<Target> all;
    for (const base::Duration time : times(truth)) all.push_back({.published = time, .tolerance_percent = tolerance});
    return all;
}

const std::vector<Parameter> parameters{{.name = "fixed", .start = 100'000, .least = 10'000, .most = 1'000'000},
                                        {.name = "page", .start = 100'000, .least = 10'000, .most = 1'000'000}};
constexpr double truth[] = {431'000, 27'500};

TEST(Calibrate, ItFindsTheNumbersThatMadeTheTimes) {
    const Fit fit = calibrate(times, parameters, targets(truth), 1000);
    EXPECT_TRUE(fit.converged);
    EXPECT_NEAR(fit.values[0] / truth[0], 1, 0.001);
    EXPECT_NEAR(fit.values[1] / truth[1], 1, 0.001);
    EXPECT_LT(fit.sum, 0.001);
    EXPECT_GT(fit.sum_at_start, 1000);
    EXPECT_LT(fit.evaluations, 200u);
}

TEST(Calibrate, TheSameInputGivesTheSameOutput) {
    const Fit one = calibrate(times, parameters, targets(truth), 1000);
    const Fit two = calibrate(times, parameters, targets(truth), 1000);
    EXPECT_EQ(one.values, two.values);
    EXPECT_EQ(one.evaluations, two.evaluations);
}

TEST(Calibrate, ASingleNumberCanBeFitted) {
    const auto model = [](std::span<const double> values) { return times(std::vector{truth[0], values[0]}); };
    const Fit fit = calibrate(model, std::span(parameters).last(1), targets(truth), 1000);
    EXPECT_NEAR(fit.values[0] / truth[1], 1, 0.001);
}

TEST(Calibrate, ARowWithANarrowToleranceWeighsMore) {
    // One number cannot meet both rows.
    const auto model = [](std::span<const double> values) {
        const base::Duration time{static_cast<std::int64_t>(values[0])};
        return std::vector{time, time};
    };
    const auto fitted = [&](double first, double second) {
        const std::vector<Target> both{{.published = base::nanoseconds(200'000), .tolerance_percent = first},
                                       {.published = base::nanoseconds(210'000), .tolerance_percent = second}};
        return calibrate(model, std::span(parameters).first(1), both, 1000).values[0];
    };
    EXPECT_NEAR(fitted(0.1, 5), 200'000, 100);
    EXPECT_NEAR(fitted(5, 0.1), 210'000, 100);
    EXPECT_NEAR(fitted(1, 1), 204'762, 300);
}

TEST(Calibrate, NumbersStayWithinTheirBounds) {
    std::vector<Parameter> bounded = parameters;
    bounded[0].most = 200'000;
    const auto model = [&](std::span<const double> values) {
        EXPECT_LE(values[0], 200'000 * 1.000001);
        EXPECT_GE(values[1], 10'000 * 0.999999);
        return times(values);
    };
    EXPECT_NEAR(calibrate(model, bounded, targets(truth), 1000).values[0], 200'000, 200);
}

TEST(Calibrate, ItStopsWhenTheEvaluationsAreUsedUp) {
    const Fit fit = calibrate(times, parameters, targets(truth), 7);
    EXPECT_FALSE(fit.converged);
    EXPECT_EQ(fit.evaluations, 7u);
}

TEST(Calibrate, TheBestIsNeverWorseThanTheStart) {
    const Fit fit = calibrate(times, parameters, targets(std::vector{100'000.0, 100'000.0}), 50);
    EXPECT_LE(fit.sum, fit.sum_at_start);
    EXPECT_EQ(fit.sum, sum_of_squares(times(fit.values), targets(std::vector{100'000.0, 100'000.0})));
}

TEST(Calibrate, TheWatcherHearsOfEveryEvaluation) {
    unsigned last = 0;
    double best = 1e300;
    const Fit fit = calibrate(times, parameters, targets(truth), 20, [&](unsigned evaluations, double sum) {
        EXPECT_EQ(evaluations, ++last);
        EXPECT_LE(sum, best);
        best = sum;
    });
    EXPECT_EQ(fit.evaluations, last);
    EXPECT_EQ(fit.sum, best);
}

TEST(Calibrate, BoundsThatExcludeTheStartAreAnError) {
    const auto complaint = [](double start, double least, double most) {
        const std::vector<Parameter> one{{.name = "wake", .start = start, .least = least, .most = most}};
        return test::complaint<BadInput>([&] { calibrate(times, one, {}, 10); });
    };
    EXPECT_EQ(complaint(5, 10, 20),
              "wake starts at 5 with bounds 10 to 20; the bounds must be above zero and around the start");
    EXPECT_NE(complaint(25, 10, 20), "");
    EXPECT_NE(complaint(0, 0, 20), "");
    EXPECT_NE(complaint(10, 10, 10), "");
}

TEST(Calibrate, WhatTheModelThrowsIsPassedOn) {
    const auto model = [](std::span<const double>) -> std::vector<base::Duration> {
        throw BadInput("the card does not come up");
    };
    EXPECT_EQ(test::complaint<BadInput>([&] { calibrate(model, parameters, targets(truth), 10); }),
              "the card does not come up");
}

TEST(Calibrate, AModelThatLosesARowIsAnError) {
    const auto model = [](std::span<const double>) { return std::vector<base::Duration>(3); };
    EXPECT_THROW(calibrate(model, parameters, targets(truth), 10), std::logic_error);
}

} // namespace
} // namespace mmcpipe::measure
