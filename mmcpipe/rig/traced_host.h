#pragma once
// TracedHost: a host that tells how long prepare and finish took. The core knows nothing of it.

#include "mmcpipe/host/host.h"

namespace mmcpipe::rig {

/// Hears of the acts of a request that take CPU time. `begin` gives a mark for `end`.
class PrepareTrace {
public:
    virtual std::int64_t begin() = 0;
    virtual void end(const char* what, std::int64_t mark, const host::Request& request) = 0;

protected:
    ~PrepareTrace() = default;
};

class TracedHost final : public host::Host {
public:
    TracedHost(host::Host& host, PrepareTrace* trace) : host_(host), trace_(trace) {}

    const host::Capabilities& capabilities() const override { return host_.capabilities(); }
    base::Task<base::Result<void>> apply(const host::Settings& settings) override { return host_.apply(settings); }
    base::Result<void> prepare(host::Request& request) override {
        const std::int64_t mark = trace_->begin();
        const auto result = host_.prepare(request);
        if (request.data) trace_->end("prepare", mark, request);
        return result;
    }
    void unprepare(host::Request& request) override { host_.unprepare(request); }
    void start(host::Request& request) override { host_.start(request); }
    void finish(host::Request& request) override {
        const std::int64_t mark = trace_->begin();
        host_.finish(request);
        if (request.data) trace_->end("finish", mark, request);
    }
    base::Result<void> reset_lines() override { return host_.reset_lines(); }
    base::Result<bool> busy() override { return host_.busy(); }
    bool card_present() override { return host_.card_present(); }
    const host::FlightRecord& record() const override { return host_.record(); }
    base::Executor& executor() override { return host_.executor(); }
    base::FrameArena& frames() override { return host_.frames(); }

private:
    host::Host& host_;
    PrepareTrace* trace_;
};

} // namespace mmcpipe::rig
