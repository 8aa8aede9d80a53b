#pragma once
// mmc_test 37 to 44: 128 MiB, or half of a smaller card, in equal requests one behind the other, blocking and
// non-blocking. Contents are not verified.
//
// Every request is open-ended, ended by CMD12 and followed by CMD13. All use the same buffers. They begin at a quarter
// of the card, rounded down to 32 MiB, or to 1 MiB on a card with less before that. What is to be written is erased
// before, untimed.

#include "mmcpipe/block/pipeline.h"
#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// 37 to 40: a row for each request size of 4, 8, ... 512 KiB, 1 and 4 MiB, from one buffer. Where host, memory or
/// `test_area` allow less than a row asks for, it has what they allow: as many rows, with the size that was used.
base::Task<base::Result<Outcome>> multiple_by_size(Bench& bench, Sink& sink, host::Direction direction,
                                                   block::Depth depth);

/// 41 to 44: a row for requests of 512 KiB from 1, 8, 16, ... 512 buffers of equal size, or as many as the host allows.
base::Task<base::Result<Outcome>> multiple_by_elements(Bench& bench, Sink& sink, host::Direction direction,
                                                       block::Depth depth);

} // namespace mmcpipe::trial
