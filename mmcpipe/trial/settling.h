#pragma once
// Conformance: the end of what a card does after a write.

#include "mmcpipe/card/settle.h"
#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// Writes, waits as told, and reads at once. unsupported_by_host: it cannot see DAT0.
base::Task<base::Result<Outcome>> write_and_settle(Bench& bench, card::Confirm how);

} // namespace mmcpipe::trial
