#pragma once
// The cases that an image tries, and what came out of them: a line each.

#include "firmware/run/json_results.h"
#include "mmcpipe/trial/bench.h"
#include "mmcpipe/trial/case.h"

#include <cstdint>
#include <span>

namespace firmware {

struct Suite {
    const char* name;
    std::span<const mmcpipe::trial::Case> cases;
};

/// How many cases ended how.
struct Tally {
    std::uint32_t ok = 0;
    std::uint32_t unsupported = 0;
    std::uint32_t failed = 0;
    std::uint32_t errors = 0;
    std::uint32_t not_tried = 0;

    bool good() const { return failed == 0 && errors == 0; }
};

/// Tries a suite's cases, but for those that only take time, and adds to `tally`. The host's flight record is shown
/// with the first case that goes wrong. `json`: hears of the cases, too; may be nullptr. The only error is
/// out_of_frames.
mmcpipe::base::Task<mmcpipe::base::Result<void>> run_cases(mmcpipe::trial::Bench& bench, const Suite& suite,
                                                           Tally& tally, JsonResults* json);

} // namespace firmware
