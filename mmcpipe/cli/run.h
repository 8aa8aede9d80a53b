#pragma once
// Cases on a simulated board.

#include "mmcpipe/cli/profiles.h"
#include "mmcpipe/host/flight_record.h"
#include "mmcpipe/sim/trace.h"
#include "mmcpipe/trial/case.h"

#include <functional>
#include <span>

namespace mmcpipe::cli {

/// Hears of what the host did last.
using Evidence = std::function<void(const host::FlightRecord&)>;

/// Powers a new board up, brings its card up and tries the cases in order. `trace` may be nullptr; `evidence`
/// is called once, at the end of the first case that is FAILED or ERROR, or if the card does not come up. Throws
/// std::runtime_error if the card does not come up, or if a model finds that the hardware was misused.
void run(const Board& board, std::span<const trial::Case* const> cases, trial::Sink& sink, sim::Trace* trace = nullptr,
         const Evidence& evidence = {});

} // namespace mmcpipe::cli
