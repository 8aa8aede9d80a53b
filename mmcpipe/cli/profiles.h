#pragma once
// Profiles by name, and with numbers changed by hand.

#include "mmcpipe/cli/options.h"
#include "mmcpipe/rig/card_profile.h"
#include "mmcpipe/rig/platform.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mmcpipe::cli {

/// Where profiles/ and data/ are: $MMCPIPE_DATA, or the nearest folder above the program that has profiles/platforms/,
/// or share/mmcpipe/profiles/platforms/, in it. Throws measure::BadInput if there is none.
std::filesystem::path data_root();

struct Listed {
    std::string name;
    std::string summary;
};
/// `table` is "platform" or "card". By name.
std::vector<Listed> list_profiles(std::string_view table);

/// One "platform.KEY=VALUE" or "card.KEY=VALUE". Throws measure::BadInput.
struct Setting {
    explicit Setting(std::string_view text);

    std::string table;
    std::string key;
    std::string value;
};

struct Board {
    rig::Platform platform;
    rig::CardProfile card;
};

/// Throws measure::BadInput and sim::ProfileError.
Board load(const Selection& selection);

/// The same board with numbers changed.
Board with(const Board& board, const std::vector<Setting>& settings, sim::Origin origin);

} // namespace mmcpipe::cli
