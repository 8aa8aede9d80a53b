#pragma once
// Is the board what its folder says? Asked before any driver runs, because a driver copes with an interrupt that never
// comes, slowly.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"

namespace firmware {

/// The clock goes on, and its alarm ends each sleep soon after its time. out_of_range (raw: microseconds that 5 ms
/// took).
mmcpipe::base::Task<mmcpipe::base::Result<void>> check_clock(mmcpipe::base::FrameArena& frames,
                                                             mmcpipe::base::Executor& executor);

/// The PL18x at `io` raises `line`, by mask 0, when it has sent a command. The slot may be empty. software_timeout (no
/// interrupt; raw: status of the controller).
mmcpipe::base::Task<mmcpipe::base::Result<void>> check_pl18x(mmcpipe::base::FrameArena& frames,
                                                             mmcpipe::base::Executor& executor, mmcpipe::port::Io& io,
                                                             mmcpipe::port::InterruptLine& line);

} // namespace firmware
