#pragma once
// Cases on a simulated board.

#include "mmcpipe/cli/profiles.h"
#include "mmcpipe/sim/trace.h"
#include "mmcpipe/trial/case.h"

#include <span>

namespace mmcpipe::cli {

/// Powers a new board up, brings its card up and tries the cases in order. `trace` may be nullptr. Throws
/// std::runtime_error if the card does not come up, or if a model finds that the hardware was misused.
void run(const Board& board, std::span<const trial::Case* const> cases, trial::Sink& sink, sim::Trace* trace = nullptr);

} // namespace mmcpipe::cli
