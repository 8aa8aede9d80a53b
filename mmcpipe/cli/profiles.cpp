#include "mmcpipe/cli/profiles.h"

#include "mmcpipe/measure/bad_input.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace mmcpipe::cli {

namespace {

namespace fs = std::filesystem;
using measure::BadInput;

fs::path folder(std::string_view table) { return data_root() / "profiles" / (std::string(table) + "s"); }

std::string names(std::string_view table) {
    std::string text;
    for (const Listed& listed : list_profiles(table)) text += (text.empty() ? "" : ", ") + listed.name;
    return text;
}

fs::path file_of(std::string_view table, const std::string& name) {
    if (name.find('/') != std::string::npos || name.ends_with(".toml")) return name;
    const fs::path file = folder(table) / (name + ".toml");
    if (fs::exists(file)) return file;
    throw BadInput(fmt::format("--{0}: no {0} \"{1}\", expected one of {2}, or a file as in ./{1}.toml", table, name,
                               names(table)));
}

/// The only one there is.
std::string default_platform() {
    const std::vector<Listed> platforms = list_profiles("platform");
    if (platforms.size() == 1) return platforms.front().name;
    throw BadInput(fmt::format("--platform is needed, expected one of {}", names("platform")));
}

std::string default_card(const sim::Profile& platform) {
    if (const sim::Entry* const card = platform.find("card")) return card->value;
    throw BadInput(fmt::format("--card is needed, expected one of {}", names("card")));
}

void apply(sim::Profile& profile, const std::vector<Setting>& settings, sim::Origin origin) {
    for (const Setting& setting : settings) {
        if (setting.table == profile.table()) profile.set(setting.key, setting.value, origin);
    }
}

} // namespace

fs::path data_root() {
    constexpr const char* marker = "profiles/platforms";
    if (const char* const given = std::getenv("MMCPIPE_DATA")) {
        if (fs::is_directory(fs::path(given) / marker)) return given;
        throw BadInput(fmt::format("MMCPIPE_DATA is \"{}\", expected a folder with {} in it", given, marker));
    }
    std::error_code ignored;
    for (fs::path place = fs::read_symlink("/proc/self/exe", ignored); place.has_relative_path();) {
        place = place.parent_path();
        for (const fs::path& root : {place, place / "share" / "mmcpipe"}) {
            if (fs::is_directory(root / marker)) return root;
        }
    }
    throw BadInput(fmt::format("no {} beside the program; set MMCPIPE_DATA to the folder that has it", marker));
}

std::vector<Listed> list_profiles(std::string_view table) {
    std::vector<Listed> listed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder(table))) {
        if (entry.path().extension() != ".toml") continue;
        const sim::Profile profile = sim::Profile::read(entry.path(), table);
        const sim::Entry* const summary = profile.find("summary");
        listed.push_back({.name = entry.path().stem().string(), .summary = summary != nullptr ? summary->value : ""});
    }
    std::ranges::sort(listed, {}, &Listed::name);
    return listed;
}

Setting::Setting(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::size_t dot = text.find('.');
    if (equals != std::string_view::npos && dot < equals) {
        table = text.substr(0, dot);
        key = text.substr(dot + 1, equals - dot - 1);
        value = text.substr(equals + 1);
    }
    if ((table != "platform" && table != "card") || key.empty()) {
        throw BadInput(fmt::format("--set: \"{}\", expected platform.KEY=VALUE or card.KEY=VALUE", text));
    }
}

Board load(const Selection& selection) {
    const std::vector<Setting> settings(selection.settings.begin(), selection.settings.end());

    const std::string platform = selection.platform.empty() ? default_platform() : selection.platform;
    sim::Profile platform_profile = sim::Profile::read(file_of("platform", platform), "platform");
    apply(platform_profile, settings, sim::Origin::given);

    const std::string card = selection.card.empty() ? default_card(platform_profile) : selection.card;
    sim::Profile card_profile = sim::Profile::read(file_of("card", card), "card");
    apply(card_profile, settings, sim::Origin::given);

    return {.platform = rig::read_platform(std::move(platform_profile)),
            .card = rig::read_card(std::move(card_profile))};
}

Board with(const Board& board, const std::vector<Setting>& settings, sim::Origin origin) {
    sim::Profile platform = board.platform.profile;
    sim::Profile card = board.card.profile;
    apply(platform, settings, origin);
    apply(card, settings, origin);
    return {.platform = rig::read_platform(std::move(platform)), .card = rig::read_card(std::move(card))};
}

} // namespace mmcpipe::cli
