#pragma once
// Conformance: the block device above the pipeline.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// Random reads and writes over few sectors, all submitted at once, so that they are reordered, cut, merged and packed:
/// each read brings what the writes before it left, and so does the card in the end.
base::Task<base::Result<Outcome>> queued_traffic(Bench& bench);

} // namespace mmcpipe::trial
