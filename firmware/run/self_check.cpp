#include "firmware/run/self_check.h"

#include "firmware/run/semihosting.h"
#include "mmcpipe/host/pl18x/registers.h"
#include "mmcpipe/spec/command.h"

namespace firmware {

using namespace mmcpipe;
using base::Result;
using base::Task;

namespace {

namespace pl18x = host::pl18x;

/// Waits for a PL18x to say that it has sent a command.
class SentListener final : public port::InterruptHandler {
public:
    SentListener(port::Io& io, base::Executor& executor) : io_(io), executor_(executor), sent_(executor) {}

    base::Event::Awaiter before(base::Instant limit) { return sent_.before(limit); }

private:
    struct Wake : base::Work {
        explicit Wake(SentListener& owner) : Work(wake), listener(owner) {}
        static void wake(base::Work& work) noexcept { static_cast<Wake&>(work).listener.sent_.set(); }
        SentListener& listener;
    };

    bool interrupt() noexcept override {
        if ((io_.read(pl18x::offset::status) & pl18x::status::command_sent) == 0) return false;
        io_.write(pl18x::offset::clear, pl18x::status::command_sent);
        io_.read(pl18x::offset::status);
        executor_.post(wake_);
        return true;
    }

    port::Io& io_;
    base::Executor& executor_;
    base::Event sent_;
    Wake wake_{*this};
};

} // namespace

Task<Result<void>> check_clock(base::FrameArena&, base::Executor& executor) {
    const base::Instant start = executor.now();
    for (int i = 0; i < 5; ++i) co_await base::Sleep(executor, base::milliseconds(1));
    const base::Duration slept = executor.now() - start;
    print("clock: 5 sleeps of 1 ms took ", Seconds{slept}, " s\n");
    if (slept < base::milliseconds(5) || slept > base::milliseconds(6)) {
        co_return base::fail(base::Code::out_of_range, static_cast<std::uint32_t>(slept.ns) / 1000);
    }
    co_return {};
}

Task<Result<void>> check_pl18x(base::FrameArena&, base::Executor& executor, port::Io& io, port::InterruptLine& line) {
    io.write(pl18x::offset::power, pl18x::power::State::of(pl18x::power::Control::on));
    io.write(pl18x::offset::clock, pl18x::clock::Divider::of(255) | pl18x::clock::Enable::of(true)); // the slowest
    io.write(pl18x::offset::clear, pl18x::status::clearable);
    io.write(pl18x::offset::mask0, pl18x::status::command_sent);
    SentListener listener(io, executor);
    line.attach(listener);

    // CMD0: nobody answers, whether or not there is a card.
    const spec::Command reset = spec::go_idle_state();
    io.write(pl18x::offset::argument, reset.argument);
    io.write(pl18x::offset::command, pl18x::command::Index::of(reset.index) | pl18x::command::Enable::of(true));
    const bool in_time = co_await listener.before(executor.now() + base::milliseconds(100));

    io.write(pl18x::offset::mask0, 0);
    line.detach(listener);
    if (!in_time) co_return base::fail(base::Code::software_timeout, io.read(pl18x::offset::status));
    print("interrupt: arrives\n");
    co_return {};
}

} // namespace firmware
