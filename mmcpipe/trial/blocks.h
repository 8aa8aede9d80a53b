#pragma once
// Conformance: blocks, one and many.

#include "mmcpipe/trial/case.h"

#include <cstdint>

namespace mmcpipe::trial {

base::Task<base::Result<Outcome>> single_blocks(Bench& bench);

/// 1 to 33 blocks in one request, looked at one by one; the other way round. unsupported_by_card: no CMD23.
base::Task<base::Result<Outcome>> blocks_in_one_write(Bench& bench, card::Bounding bounding);
base::Task<base::Result<Outcome>> blocks_in_one_read(Bench& bench, card::Bounding bounding);

/// For reading up to its end a card may report OUT_OF_RANGE, which is no error.
base::Task<base::Result<Outcome>> last_sectors(Bench& bench);

/// Block lengths by CMD16.
enum class Lengths : std::uint8_t { powers_of_two, odd };

/// One block, and as many as a sector has room for. unsupported_by_card: the CSD allows 512 bytes only.
base::Task<base::Result<Outcome>> short_blocks(Bench& bench, Lengths lengths);

} // namespace mmcpipe::trial
