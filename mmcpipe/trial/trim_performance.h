#pragma once
// mmc_test 29 and 32: TRIM by the number of sectors, from one up to all of `test_area`.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// 29: one of each size. unsupported_by_card: it has no TRIM.
base::Task<base::Result<Outcome>> single_trim_by_size(Bench& bench, Sink& sink);

/// 32: the whole area in pieces of each size.
base::Task<base::Result<Outcome>> consecutive_trim_by_size(Bench& bench, Sink& sink);

} // namespace mmcpipe::trial
