#pragma once
// From `main` into the coroutines and back.

#include "firmware/run/semihosting.h"
#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/task.h"

namespace firmware {

/// Runs a task, and says so if it fails.
template <class R>
R run_to_end(mmcpipe::base::Executor& executor, mmcpipe::base::Task<R> task) {
    task.start();
    executor.run_until([&] { return task.done(); });
    const R result = task.take();
    if (!result) print("FAILED: ", name(result.error().code), ", raw ", Hex{result.error().raw}, "\n");
    return result;
}

} // namespace firmware
