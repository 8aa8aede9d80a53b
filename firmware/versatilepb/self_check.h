#pragma once
// Is the board what board.h says? Asked before any driver runs, because a driver copes with an interrupt that never
// comes, slowly.

#include "board.h"
#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/task.h"

namespace firmware {

/// The clock goes on, its alarm ends each sleep soon after its time, and the end of a command arrives on both lines of
/// `slot`, which holds an SD card of version 2.00 or later. Errors: out_of_range (raw: microseconds that 5 ms took),
/// software_timeout (no interrupt; raw: status of the controller), bad_register (raw: a wrong echo).
mmcpipe::base::Task<mmcpipe::base::Result<void>> check_board(mmcpipe::base::FrameArena& frames,
                                                             mmcpipe::base::Executor& executor, Slot& slot);

} // namespace firmware
