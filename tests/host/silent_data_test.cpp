// What the PL18x driver does with cells that behave as the simulator's never do.

#include "mmcpipe/host/pl18x/driver.h"
#include "mmcpipe/host/pl18x/registers.h"
#include "mmcpipe/host/transaction.h"
#include "mmcpipe/spec/r1.h"
#include "tests/base/fake_environment.h"

#include <array>
#include <gtest/gtest.h>
#include <map>

namespace mmcpipe::host::pl18x {
namespace {

/// A cell that answers every command at once, and whose data neither comes nor times out.
class SilentData final : public port::Io, public port::InterruptLine {
public:
    std::uint32_t read(std::uint32_t offset) override { return registers_[offset]; }
    void write(std::uint32_t offset, std::uint32_t value) override {
        if (offset == offset::clear) {
            registers_[offset::status] &= ~value;
            return;
        }
        registers_[offset] = value;
        if (offset == offset::data_length) registers_[offset::data_count] = value;
        if (offset == offset::command && command::Enable::get(value)) {
            registers_[offset::status] |= status::response_end;
            registers_[offset::response0] = answer;
        }
        if ((registers_[offset::status] & registers_[offset::mask0]) != 0) handler_->interrupt();
    }
    void write_relaxed(std::uint32_t offset, std::uint32_t value) override { write(offset, value); }
    void read_fifo(std::uint32_t, std::span<std::uint32_t>) override {}
    void write_fifo(std::uint32_t, std::span<const std::uint32_t>) override {}
    void read_fifo_bytes(std::uint32_t, std::span<std::byte>) override {}
    void write_fifo_bytes(std::uint32_t, std::span<const std::byte>) override {}
    void attach(port::InterruptHandler& handler) override { handler_ = &handler; }
    void detach(port::InterruptHandler&) override { handler_ = nullptr; }

    std::uint32_t answer = 0;

private:
    std::map<std::uint32_t, std::uint32_t> registers_{};
    port::InterruptHandler* handler_ = nullptr;
};

class PlainBoard final : public port::Board {
public:
    base::Result<void> set_supply(port::Supply) override { return {}; }
    base::Result<void> set_signal(port::Signal) override { return {}; }
    base::Result<void> hold_reset(bool) override { return base::fail(base::Code::not_possible); }
    unsigned bus_width() const override { return 4; }
    base::Hertz base_clock() const override { return base::megahertz(24); }
    bool has(port::Supply supply) const override { return supply == port::Supply::v3_3; }
    bool card_present() override { return true; }
    bool write_protected() override { return false; }
};

TEST(Pl18x, AReadWhoseDataNeverComesStillHasTheAnswerOfTheCard) {
    base::FakeEnvironment environment;
    base::Executor executor(environment);
    base::StaticFrameArena<4096> frames;
    SilentData cell;
    PlainBoard board;
    Driver driver({cell, cell, board}, arm_pl181, executor, frames);
    cell.answer = spec::r1::AddressOutOfRange::mask;

    std::array<std::byte, 512> memory{};
    const std::array<Buffer, 1> buffers{Buffer(memory)};
    Transaction request(executor);
    request.command.command = spec::read_single_block({.argument = 0});
    request.data = Data{.blocks = 1, .buffers = buffers, .timeout = base::milliseconds(100)};
    auto task = transact(driver, request);
    task.start();
    executor.run_until([&] { return task.done(); });

    const base::Result<void> ended = task.take();
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, base::Code::software_timeout);
    EXPECT_FALSE(request.command.error);
    EXPECT_EQ(request.command.response[0], cell.answer);
    EXPECT_EQ(request.bytes_done, 0u);
}

} // namespace
} // namespace mmcpipe::host::pl18x
