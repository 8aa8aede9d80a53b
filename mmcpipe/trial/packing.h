#pragma once
// Conformance: packed commands (JESD84-B45 6.6.28). unsupported_by_card: it has none, or takes fewer than three
// entries.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// Three entries far apart, the second of them in front of the first, looked at one by one.
base::Task<base::Result<Outcome>> packed_write(Bench& bench);
/// The other way round.
base::Task<base::Result<Outcome>> packed_read(Bench& bench);
/// The second of three entries lies beyond the end: the status names it, the first is written, the third is not.
base::Task<base::Result<Outcome>> packed_failure(Bench& bench);

} // namespace mmcpipe::trial
