#include "self_check.h"

#include "mmcpipe/host/pl18x/registers.h"
#include "mmcpipe/spec/command.h"
#include "print.h"

namespace firmware {

using namespace mmcpipe;
using base::Result;
using base::Task;

namespace {

namespace pl18x = host::pl18x;

constexpr std::uint32_t command_ends = pl18x::status::response_end | pl18x::status::command_sent;

/// One command by hand, its end seen on one of the slot's lines.
class CommandProbe final : port::InterruptHandler {
public:
    CommandProbe(Slot& slot, base::Executor& executor, base::FrameArena& frames)
        : io_(slot.io), executor_(executor), frames_(frames) {}

    base::FrameArena& frames() { return frames_; }

    /// The first response register.
    Task<Result<std::uint32_t>> send(spec::Command what, port::InterruptLine& line, std::uint32_t mask) {
        io_.write(pl18x::offset::power, pl18x::power::State::of(pl18x::power::Control::on));
        io_.write(pl18x::offset::clock, pl18x::clock::Divider::of(29) | pl18x::clock::Enable::of(true)); // 400 kHz
        co_await base::Sleep(executor_, base::milliseconds(1)); // 74 clocks before the first command
        io_.write(pl18x::offset::clear, pl18x::status::clearable);
        io_.write(mask, command_ends);
        line.attach(*this);
        io_.write(pl18x::offset::argument, what.argument);
        io_.write(pl18x::offset::command, pl18x::command::Index::of(what.index) | pl18x::command::Enable::of(true) |
                                              pl18x::command::Response::of(what.response != spec::Response::none));
        const bool in_time = co_await ended_.before(executor_.now() + base::milliseconds(100));
        io_.write(mask, 0);
        line.detach(*this);
        if (!in_time) co_return base::fail(base::Code::software_timeout, io_.read(pl18x::offset::status));
        co_return io_.read(pl18x::offset::response0);
    }

private:
    struct Wake : base::Work {
        explicit Wake(CommandProbe& owner) : Work(wake), probe(owner) {}
        static void wake(base::Work& work) noexcept { static_cast<Wake&>(work).probe.ended_.set(); }
        CommandProbe& probe;
    };

    bool interrupt() noexcept override {
        const std::uint32_t seen = io_.read(pl18x::offset::status) & command_ends;
        if (seen == 0) return false;
        io_.write(pl18x::offset::clear, seen);
        io_.read(pl18x::offset::status);
        executor_.post(wake_);
        return true;
    }

    port::Io& io_;
    base::Executor& executor_;
    base::FrameArena& frames_;
    base::Event ended_{executor_};
    Wake wake_{*this};
};

Task<Result<void>> check_clock(base::FrameArena&, base::Executor& executor) {
    const base::Instant start = executor.now();
    for (int i = 0; i < 5; ++i) co_await base::Sleep(executor, base::milliseconds(1));
    const base::Duration slept = executor.now() - start;
    const std::uint32_t slept_us = static_cast<std::uint32_t>(slept.ns) / 1000;
    print("clock: 5 sleeps of 1 ms took ", slept_us, " us\n");
    if (slept < base::milliseconds(5) || slept > base::milliseconds(6)) {
        co_return base::fail(base::Code::out_of_range, slept_us);
    }
    co_return {};
}

} // namespace

Task<Result<void>> check_board(base::FrameArena& frames, base::Executor& executor, Slot& slot) {
    co_await check_clock(frames, executor);

    CommandProbe probe(slot, executor, frames);
    co_await probe.send(spec::go_idle_state(), slot.line_0, pl18x::offset::mask0);
    const spec::sd::InterfaceCondition condition;
    const spec::Command ask = spec::sd::send_if_cond(condition);
    const std::uint32_t echo = co_await probe.send(ask, slot.line_1, pl18x::offset::mask1);
    if (spec::sd::InterfaceCondition::in(echo) != condition) co_return base::fail(base::Code::bad_register, echo);
    print("interrupts: both lines\n");
    co_return {};
}

} // namespace firmware
