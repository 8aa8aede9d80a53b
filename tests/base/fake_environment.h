#pragma once
// An environment whose clock stands still until somebody idles.

#include "mmcpipe/base/environment.h"

namespace mmcpipe::base {

class FakeEnvironment final : public Environment {
public:
    Instant now() override { return now_; }
    unsigned enter_critical() override { return static_cast<unsigned>(depth_++); }
    void leave_critical(unsigned state) override { depth_ = static_cast<int>(state); }
    void idle(Instant until) override {
        ++idles;
        idled_inside = depth_ > 0;
        if (!notified_) now_ = until;
        notified_ = false;
    }
    void notify() override { notified_ = true; }
    bool inside() const { return depth_ > 0; }

    int idles = 0;
    bool idled_inside = false;

private:
    Instant now_{};
    int depth_ = 0;
    bool notified_ = false;
};

} // namespace mmcpipe::base
