#pragma once
// CardProfile: one type of card, its registers as they are read from it and what its flash costs, read from a profile.
// docs/simulator.md describes the keys.

#include "mmcpipe/sim/card/emmc.h"
#include "mmcpipe/sim/card/sd_card.h"
#include "mmcpipe/sim/profile.h"
#include "mmcpipe/sim/wire/card.h"

#include <memory>
#include <string>
#include <variant>

namespace mmcpipe::rig {

struct CardProfile {
    std::string name;
    std::string summary; ///< one line for `mmcpipe list cards`
    std::variant<sim::card::EmmcProfile, sim::card::SdProfile> card;
    sim::Profile profile; ///< what it was made from
};

/// Throws sim::ProfileError.
CardProfile read_card(sim::Profile profile);

/// A new card of that type, with nothing on it.
std::unique_ptr<sim::card::Core> make_card(const CardProfile& profile);

} // namespace mmcpipe::rig
