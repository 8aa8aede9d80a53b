#pragma once
// mmc_test 23, 24, 27, 28, 30 and 31: one request, and requests one after another, by their size. Contents are not
// verified.
//
// Each runs in `test_area`. Areas to be read are erased and written before, areas to be written erased. Sizes double
// from one sector up to the largest request of host, area and memory, which is always the last.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// 23, 24: the largest request.
base::Task<base::Result<Outcome>> best_case(Bench& bench, Sink& sink, host::Direction direction);

/// 27, 28: one request of each size.
base::Task<base::Result<Outcome>> single_by_size(Bench& bench, Sink& sink, host::Direction direction);

/// 30, 31: the whole area in requests of each size.
base::Task<base::Result<Outcome>> consecutive_by_size(Bench& bench, Sink& sink, host::Direction direction);

} // namespace mmcpipe::trial
