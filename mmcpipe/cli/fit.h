#pragma once
// A fit as the command line names it, between the numbers of profiles and those of measure/calibrate.h.

#include "mmcpipe/cli/profiles.h"
#include "mmcpipe/measure/calibrate.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mmcpipe::cli {

/// "platform.KEY", "card.KEY=LEAST..MOST": times of a profile; in picoseconds. Without bounds they are a tenth and ten
/// times of the value in the profile. Throws measure::BadInput and sim::ProfileError: no such key, no time, a value of
/// zero, bounds that the profile does not allow.
measure::Parameter parameter_of(std::string_view text, const Board& board);

/// The settings that these values of the parameters mean.
std::vector<Setting> settings_of(std::span<const measure::Parameter> parameters, std::span<const double> picoseconds);

/// Values with four significant digits: what a profile should say of a number that was fitted.
std::vector<double> rounded(std::span<const double> values);

/// The file that a profile was read from, with the entries that were changed since, by --set or by a fit.
std::string file_text(const sim::Profile& profile);

} // namespace mmcpipe::cli
