#pragma once
// Conformance: requests through the pipeline, each prepared while the one before is on the wire.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// 4 MiB, or what memory and card have, in one list of three buffers: written and read back in pieces as large as the
/// host does, four at least.
base::Task<base::Result<Outcome>> cut_request(Bench& bench);

/// 200 reads and writes of 1 to 128 sectors, at random within 512 sectors.
base::Task<base::Result<Outcome>> large_traffic(Bench& bench);

/// 100 writes at random, each followed by a read of the same sectors.
base::Task<base::Result<Outcome>> read_behind_write(Bench& bench);

/// 1,000 reads and writes of 1 to 8 sectors, at random within 256 sectors; then every one of these is looked at.
base::Task<base::Result<Outcome>> small_traffic(Bench& bench);

} // namespace mmcpipe::trial
