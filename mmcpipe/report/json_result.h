#pragma once
// Results as JSON, for other tools. Keys and their order do not change.

#include "mmcpipe/measure/results.h"

#include <span>
#include <string>
#include <string_view>

namespace mmcpipe::report {

/// {"platform":s,"card":s,"cases":[{"case":n,"name":s,"result":s,"transfers":[
///     {"requests":n,"sectors":n,"request_bytes":n,"sg_len":n,"seconds":x}]}]}
/// with a line end at the end. `result` is OK, FAILED, UNSUPPORTED by host, UNSUPPORTED by card or ERROR; seconds are
/// exact to 1 ns.
std::string json(std::string_view platform, std::string_view card, std::span<const measure::CaseResult> results);

} // namespace mmcpipe::report
