#pragma once
// mmc_test 25, 26, 35 and 36: buffers of scattered pages. No page follows its neighbour, so that there is an element of
// DMA for each.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// 25, 26: the largest request that the host does with an element for each page, in `test_area`.
base::Task<base::Result<Outcome>> best_case_scattered(Bench& bench, Sink& sink, host::Direction direction);

/// 35, 36: such requests one after another, from a quarter of the card on: 10 x 10 MiB, 5 x 100 MiB, 3 x 1000 MiB, each
/// at most a quarter of the card.
base::Task<base::Result<Outcome>> large_sequential(Bench& bench, Sink& sink, host::Direction direction);

} // namespace mmcpipe::trial
