#pragma once
// mmc_test 1 to 14 and 19 to 22: single and multiple blocks, blocks shorter than a sector, buffers at odd addresses;
// from sector 0 on.
//
// The kernel writes the same byte sequence to every sector. Here every sector, and every time that it is written, has
// its own pattern, so a block in the wrong place and a write that never happened are found as well.

#include "mmcpipe/trial/case.h"

#include <cstdint>

namespace mmcpipe::trial {

/// 1, 2: one sector, not verified.
base::Task<base::Result<Outcome>> basic(Bench& bench, host::Direction direction);

/// What is transferred.
enum class Shape : std::uint8_t {
    single,           ///< one sector
    multi,            ///< two pages, or what the host does in one request
    powers_of_two,    ///< one block of 1, 2, 4, ... 256 bytes
    weird_sizes,      ///< one block of 3, 10, 17, ... 507 bytes
    misaligned,       ///< one sector, its buffer 1 to 7 bytes behind an aligned address
    misaligned_multi, ///< the same with as much as `multi`
};

/// 3 to 14. A write is read back sector by sector, and with it what lies behind it, up to the end of its last sector or
/// the whole next one: that has not changed. unsupported_by_card: the CSD does not allow blocks of other sizes.
base::Task<base::Result<Outcome>> verified(Bench& bench, Shape shape, host::Direction direction);

/// 19 to 22: memory that a CPU cannot reach without mapping it. There is none here.
base::Task<base::Result<Outcome>> high_memory(Bench& bench);

} // namespace mmcpipe::trial
