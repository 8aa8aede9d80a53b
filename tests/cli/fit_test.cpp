#include "mmcpipe/cli/fit.h"

#include "mmcpipe/measure/bad_input.h"
#include "tests/report/temporary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mmcpipe::cli {
namespace {

using testing::HasSubstr;

const Board& board() {
    static const Board board = load({.platform = "ux500", .card = "ux500-emmc", .settings = {"platform.wake=100us"}});
    return board;
}

std::string complaint(std::string_view text) {
    try {
        parameter_of(text, board());
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST(Fit, AKeyStartsAtItsValueAndReachesATenthAndTenTimes) {
    const measure::Parameter wake = parameter_of("platform.wake", board());
    EXPECT_EQ(wake.name, "platform.wake");
    EXPECT_EQ(wake.start, 100e6);
    EXPECT_EQ(wake.least, 10e6);
    EXPECT_EQ(wake.most, 1000e6);
}

TEST(Fit, BoundsMayBeGiven) {
    const measure::Parameter wake = parameter_of("platform.wake=20us..0.5ms", board());
    EXPECT_EQ(wake.least, 20e6);
    EXPECT_EQ(wake.most, 500e6);
}

TEST(Fit, WhatCannotBeFittedIsNamed) {
    EXPECT_THAT(complaint("wake"), HasSubstr("\"wake\", expected platform.KEY or card.KEY"));
    EXPECT_THAT(complaint("platform.wakeup"), HasSubstr("has no key platform.wakeup"));
    EXPECT_THAT(complaint("platform.cell"), HasSubstr("expected a time from"));
    EXPECT_THAT(complaint("platform.wake=20us"), HasSubstr("has the bounds \"20us\", expected two times"));
    EXPECT_THAT(complaint("platform.wake=20us..9h"), HasSubstr("\"9h\", expected a time from"));
    EXPECT_THAT(complaint("platform.wake=20us..50s"), HasSubstr("expected a time from"))
        << "more than the profile allows";
}

TEST(Fit, ValuesBecomeSettings) {
    const std::vector<measure::Parameter> parameters{parameter_of("platform.wake", board()),
                                                     parameter_of("card.read_gap", board())};
    const std::vector<Setting> settings = settings_of(parameters, std::vector{131'400'000.0, 77.4});
    EXPECT_EQ(settings[0].table, "platform");
    EXPECT_EQ(settings[0].key, "wake");
    EXPECT_EQ(settings[0].value, "131.4us");
    EXPECT_EQ(settings[1].table, "card");
    EXPECT_EQ(settings[1].value, "77ps");
}

TEST(Fit, ATimeIsWrittenInTheLargestUnitThatItHasOneOf) {
    const std::vector<measure::Parameter> parameters(6, parameter_of("platform.wake", board()));
    const std::vector<Setting> settings =
        settings_of(parameters, std::vector{1.0, 1e3, 999'999.0, 1e6, 2.5e9, 1.0000001e12});
    std::vector<std::string> values;
    for (const Setting& setting : settings) values.push_back(setting.value);
    EXPECT_THAT(values, testing::ElementsAre("1ps", "1ns", "999.999ns", "1us", "2.5ms", "1.0000001s"));
}

TEST(Fit, FourDigitsAreEnough) {
    EXPECT_EQ(rounded(std::vector{131'449'999.0, 131'450'001.0, 7.0}),
              (std::vector{131'400'000.0, 131'500'000.0, 7.0}));
}

TEST(Fit, AFileKeepsEverythingButTheNumbersThatChanged) {
    const test::TemporaryFolder folder;
    const std::string file =
        folder.file("p.toml", "# a comment\n[platform]\nname = \"p\"\n\n"
                              "wake = { value = \"1us\", origin = \"derived\", note = \"say \\\"why\\\"\" }\n"
                              "wake_up = \"5us\"\n");
    sim::Profile profile = sim::Profile::read(file, "platform");
    EXPECT_EQ(file_text(profile), test::content_of(file));
    profile.set("wake", "131.4us", sim::Origin::fitted);
    profile.set("more", "2us", sim::Origin::given);
    EXPECT_EQ(file_text(profile), "# a comment\n[platform]\nname = \"p\"\n\n"
                                  "wake = { value = \"131.4us\", origin = \"fitted\", note = \"say \\\"why\\\"\" }\n"
                                  "wake_up = \"5us\"\n"
                                  "more = { value = \"2us\", origin = \"given\" }\n");
    const std::string again = folder.file("q.toml", file_text(profile));
    EXPECT_EQ(sim::Profile::read(again, "platform").find("wake")->note, "say \"why\"");
}

} // namespace
} // namespace mmcpipe::cli
