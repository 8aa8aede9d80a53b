#pragma once
// Cases by their numbers: "37-44", "1,3,5-8".

#include "mmcpipe/trial/case.h"

#include <string_view>
#include <vector>

namespace mmcpipe::cli {

/// In the order given. Throws measure::BadInput for what is no list of numbers, a range that runs backwards, or a
/// number that no case has.
std::vector<const trial::Case*> cases_of(std::string_view list);

} // namespace mmcpipe::cli
