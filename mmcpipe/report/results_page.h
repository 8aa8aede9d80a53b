#pragma once
// docs/results.md: what the simulator predicts, and by how much it misses what was measured.

#include "mmcpipe/measure/compare.h"
#include "mmcpipe/measure/results.h"
#include "mmcpipe/sim/profile.h"

#include <span>
#include <string>
#include <vector>

namespace mmcpipe::report {

struct ResultsPage {
    std::string command; ///< that writes it
    const sim::Profile& platform;
    const sim::Profile& card;
    std::string log; ///< the published log, as its readers find it
    const measure::Published& published;
    std::span<const measure::CaseResult> results;
};

/// Markdown.
std::string text_of(const ResultsPage& page);

} // namespace mmcpipe::report
