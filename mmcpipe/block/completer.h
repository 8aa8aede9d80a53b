#pragma once
// Completer: how a client hears that its request has ended. The device holds no lock then, and has none.

#include "mmcpipe/block/request.h"

namespace mmcpipe::block {

class Completer {
public:
    /// On the executor, exactly once a request; `request.done` is called before, or some time after, this returns.
    virtual void complete(Request& request) noexcept = 0;

protected:
    ~Completer() = default;
};

/// At once.
class AtOnce final : public Completer {
public:
    void complete(Request& request) noexcept override { request.done(request); }
};

} // namespace mmcpipe::block
