#pragma once
// mmc_test 15 to 18: a request that cannot go well says truthfully how many bytes are done.

#include "mmcpipe/trial/case.h"

#include <cstdint>

namespace mmcpipe::trial {

/// How the request is broken: host and card do not agree about what comes.
enum class Break : std::uint8_t {
    at_start, ///< one block to a command that has none (CMD13): no byte may be reported as done
    midway,   ///< two blocks to a command for one, and no stop: at most one block may be
};

/// The command itself has to go well and the data to time out. Another error is the case's error, none at all a
/// failure.
base::Task<base::Result<Outcome>> proper_size(Bench& bench, Break where, host::Direction direction);

} // namespace mmcpipe::trial
