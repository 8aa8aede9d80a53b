#include "mmcpipe/cli/profiles.h"

#include "mmcpipe/measure/bad_input.h"
#include "tests/report/temporary.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

namespace mmcpipe::cli {
namespace {

/// Sets a variable of the environment for as long as it lives.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        if (const char* const before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        if (before_) {
            setenv(name_, before_->c_str(), 1);
        } else {
            unsetenv(name_);
        }
    }

private:
    const char* name_;
    std::optional<std::string> before_;
};

constexpr const char* card = "ux500-emmc";

std::string complaint(const Selection& selection) {
    const std::string bad_input = test::complaint<measure::BadInput>([&] {
        try {
            load(selection);
        } catch (const sim::ProfileError& error) {
            throw measure::BadInput(error.what());
        }
    });
    return bad_input;
}

TEST(Profiles, EveryShippedProfileLoads) {
    const std::vector<Listed> platforms = list_profiles("platform");
    const std::vector<Listed> cards = list_profiles("card");
    EXPECT_FALSE(platforms.empty());
    EXPECT_FALSE(cards.empty());
    for (const Listed& platform : platforms) {
        for (const Listed& listed : cards) {
            const Board board = load({.platform = platform.name, .card = listed.name, .settings = {}});
            EXPECT_EQ(board.platform.name, platform.name);
            EXPECT_EQ(board.card.name, listed.name);
        }
    }
}

TEST(Profiles, EveryProfileSaysInALineWhatItIs) {
    for (const char* table : {"platform", "card"}) {
        for (const Listed& listed : list_profiles(table)) EXPECT_NE(listed.summary, "") << listed.name;
    }
}

TEST(Profiles, AnUnknownNameIsAnsweredWithTheKnownOnes) {
    const std::string text = complaint({.platform = "none", .card = card, .settings = {}});
    EXPECT_TRUE(text.starts_with("--platform: no platform \"none\", expected one of ")) << text;
    EXPECT_NE(text.find(list_profiles("platform").front().name), std::string::npos);
    EXPECT_TRUE(complaint({.platform = "ux500", .card = "none", .settings = {}})
                    .starts_with("--card: no card \"none\", expected one of "));
}

TEST(Profiles, ThePlatformNeedsNoNameIfItIsTheOnlyOne) {
    const test::TemporaryFolder folder;
    const std::filesystem::path shipped = data_root() / "profiles";
    std::filesystem::create_directory(folder.path() / "profiles");
    std::filesystem::copy(shipped / "cards", folder.path() / "profiles" / "cards",
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directory(folder.path() / "profiles" / "platforms");
    const std::string platform = test::content_of(shipped / "platforms" / "ux500.toml");
    folder.file("profiles/platforms/ux500.toml", platform);
    const Environment environment("MMCPIPE_DATA", folder.path().string());
    EXPECT_EQ(load({.platform = "", .card = card, .settings = {}}).platform.name, "ux500");
    folder.file("profiles/platforms/other.toml", platform);
    EXPECT_EQ(complaint({.platform = "", .card = card, .settings = {}}),
              "--platform is needed, expected one of other, ux500");
}

TEST(Profiles, AFileIsTakenAsItIs) {
    const test::TemporaryFolder folder;
    const std::string copy =
        folder.file("mine.toml", test::content_of(data_root() / "profiles" / "cards" / (std::string(card) + ".toml")));
    EXPECT_EQ(load({.platform = "ux500", .card = copy, .settings = {}}).card.name, card);
    const std::string missing = (folder.path() / "missing.toml").string();
    EXPECT_EQ(complaint({.platform = "ux500", .card = missing, .settings = {}}), missing + ": cannot be read");
}

TEST(Profiles, ASettingReplacesANumber) {
    const Board board =
        load({.platform = "ux500", .card = card, .settings = {"platform.wake=1us", "card.read_gap=7us"}});
    EXPECT_EQ(board.platform.costs.wake, sim::microseconds(1));
    EXPECT_EQ(board.card.profile.find("read_gap")->value, "7us");
    EXPECT_EQ(board.card.profile.find("read_gap")->origin, sim::Origin::given);
}

TEST(Profiles, ASettingThatIsNoneIsShown) {
    for (const char* text :
         {"wake=1us", "board.wake=1us", "platform.wake", "platform.=1us", "", "=", "platform=wake.1"}) {
        EXPECT_EQ(complaint({.platform = "ux500", .card = card, .settings = {text}}),
                  "--set: \"" + std::string(text) + "\", expected platform.KEY=VALUE or card.KEY=VALUE");
    }
}

TEST(Profiles, ASettingWithoutAKeyOfThatNameOrOutOfRangeIsNamed) {
    const auto of = [](const char* setting) {
        return complaint({.platform = "ux500", .card = card, .settings = {setting}});
    };
    EXPECT_TRUE(of("platform.wakeup=1us").starts_with("--set platform.wakeup: no key platform.wakeup; known are "))
        << of("platform.wakeup=1us");
    EXPECT_TRUE(
        of("platform.wake=1h").starts_with("--set platform.wake: platform.wake is \"1h\", expected a time from "))
        << of("platform.wake=1h");
    EXPECT_NE(of("card.read_gap=1000s"), "");
}

/// The complaint about a copy of the card's profile with one text in place of another.
std::string complaint_about(const std::string& before, const std::string& after) {
    const test::TemporaryFolder folder;
    std::string text = test::content_of(data_root() / "profiles" / "cards" / (std::string(card) + ".toml"));
    const std::size_t at = text.find(before);
    if (at == std::string::npos) return "the profile has no " + before;
    text.replace(at, before.size(), after);
    const std::string file = folder.file("mine.toml", text);
    const std::string said = complaint({.platform = "ux500", .card = file, .settings = {}});
    return said.starts_with(file + ":") ? said.substr(file.size() + 1) : said;
}

TEST(Profiles, ACapacityThatIsNoWholeNumberOfSectorsIsRefused) {
    const auto of = [](const char* capacity) {
        return complaint({.platform = "ux500", .card = card, .settings = {"card.capacity=" + std::string(capacity)}});
    };
    EXPECT_EQ(of("8388609B"), "--set card.capacity: card.capacity is \"8388609B\", expected a size from 1MiB to "
                              "2199023255040B, a multiple of 512B");
    EXPECT_EQ(of("8388608B"), "");
    EXPECT_NE(complaint_about("\"7456MiB\"", "\"7456000001B\"").find(": card.capacity is \"7456000001B\", expected"),
              std::string::npos);
}

TEST(Profiles, ANumberWithoutAnOriginIsRefusedAndSoIsOneWithoutANoteThatNeedsIt) {
    const std::string switch_time = "{ value = \"1ms\", origin = \"derived\", note = \"not measured: only bring-up "
                                    "switches\" }";
    const auto of = [&](const char* after) {
        const std::string said = complaint_about(switch_time, after);
        return said.substr(said.find(' ') + 1); // without the line
    };
    EXPECT_EQ(of("\"1ms\""),
              "card.switch_time has no origin, expected one of datasheet, derived, fitted, unexplained, given");
    EXPECT_EQ(of("{ value = \"1ms\" }"),
              "card.switch_time has no origin, expected one of datasheet, derived, fitted, unexplained, given");
    for (const std::string origin : {"derived", "fitted", "unexplained"}) {
        EXPECT_EQ(of(("{ value = \"1ms\", origin = \"" + origin + "\" }").c_str()),
                  "card.switch_time is " + origin + " and has no note, expected one that says from what");
    }
    for (const std::string origin : {"datasheet", "given"}) {
        EXPECT_EQ(complaint_about(switch_time, "{ value = \"1ms\", origin = \"" + origin + "\" }"), "");
    }
}

TEST(Profiles, TheEnvironmentMayNameAnotherRoot) {
    const test::TemporaryFolder folder;
    const Environment environment("MMCPIPE_DATA", folder.path().string());
    EXPECT_EQ(test::complaint<measure::BadInput>([] { data_root(); }),
              "MMCPIPE_DATA is \"" + folder.path().string() + "\", expected a folder with profiles/platforms in it");
    std::filesystem::create_directories(folder.path() / "profiles" / "platforms");
    EXPECT_EQ(data_root(), folder.path());
    EXPECT_TRUE(list_profiles("platform").empty());
}

TEST(Profiles, WithChangesNumbersAndSaysWhereTheyComeFrom) {
    const Board board = load({.platform = "ux500", .card = card, .settings = {}});
    const Board changed = with(board, {Setting("platform.wake=9us")}, sim::Origin::fitted);
    EXPECT_EQ(changed.platform.costs.wake, sim::microseconds(9));
    EXPECT_EQ(changed.platform.profile.find("wake")->origin, sim::Origin::fitted);
    EXPECT_NE(board.platform.costs.wake, sim::microseconds(9));
}

} // namespace
} // namespace mmcpipe::cli
