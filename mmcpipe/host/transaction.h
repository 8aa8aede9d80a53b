#pragma once
// Transaction: a request that a coroutine can wait for. For sequences, one request after another; the I/O path
// pipelines requests itself.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/host/request.h"

#include <optional>

namespace mmcpipe::host {

class Transaction : public Request {
public:
    explicit Transaction(base::Executor& executor) : ended_(executor) {
        done = [](Request& request) noexcept { static_cast<Transaction&>(request).ended_.set(); };
    }

    /// `co_await transaction.ended()` after `Host::start`. Needs no time-out: start has armed the host's own, and the
    /// request ends by an answer, an error, or that.
    base::Event::Awaiter ended() { return ended_.wait(); }

private:
    base::Event ended_;
};

/// The first error of a request that has ended: its own, or else that of the first of its phases that has one.
std::optional<base::Error> first_error(const Request& request);

/// Prepares, starts, waits for the end, finishes. Fails with prepare's usage error or with the request's first error.
/// An answer with R1 error bits is an answer: the card layer judges it.
base::Task<base::Result<void>> transact(Host& host, Transaction& transaction);

} // namespace mmcpipe::host
