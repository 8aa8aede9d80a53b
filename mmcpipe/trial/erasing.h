#pragma once
// Conformance: erase and trim.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// Both: unsupported_by_card: it cannot.
base::Task<base::Result<Outcome>> erased_units(Bench& bench);
base::Task<base::Result<Outcome>> trimmed_sectors(Bench& bench);

} // namespace mmcpipe::trial
