#pragma once
// Stamped sectors: written and looked at one by one, as the plainest way to put data on a card and to see what is
// there.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/trial/bench.h"

#include <cstdint>

namespace mmcpipe::trial {

/// Where the conformance suite writes: the first of the sectors in the middle of the card. An erase unit begins there.
std::uint32_t ground(const Bench& bench);

/// Writes sectors with the pattern of `seed`. Both use the first 512 bytes of the bench's memory.
base::Task<base::Result<void>> stamp(Bench& bench, std::uint32_t sector, std::uint32_t count, std::uint32_t seed);
/// True if the sectors hold it.
base::Task<base::Result<bool>> stamped(Bench& bench, std::uint32_t sector, std::uint32_t count, std::uint32_t seed);

} // namespace mmcpipe::trial
