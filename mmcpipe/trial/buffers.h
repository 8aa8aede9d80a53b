#pragma once
// Conformance: buffers, wherever they lie.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// Eight blocks in pieces of 1 to 512 bytes, most of them at odd addresses.
base::Task<base::Result<Outcome>> odd_pieces(Bench& bench);

/// One and three blocks in one buffer that begins up to 31 bytes behind a cache line, and ends as far in one.
base::Task<base::Result<Outcome>> odd_addresses(Bench& bench);

/// Two requests prepared, the second one taken back, the first one carried out; then the second one after all.
base::Task<base::Result<Outcome>> taken_back(Bench& bench);

} // namespace mmcpipe::trial
