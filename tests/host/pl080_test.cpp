// How a channel of the PL080 is found at its end, which it does not interrupt for.

#include "mmcpipe/host/dma/pl080.h"

#include "fake_memory.h"
#include "tests/base/fake_environment.h"

#include <functional>
#include <gtest/gtest.h>
#include <map>

namespace mmcpipe::host::dma {
namespace {

using namespace pl080;

/// The controller's registers as a test plays them: `on_read` before each read.
class PlayedPl080 final : public port::Io {
public:
    std::uint32_t read(std::uint32_t at) override {
        if (on_read) on_read(at);
        return values[at];
    }
    void write(std::uint32_t at, std::uint32_t value) override {
        if (at == int_error_clear) {
            values[int_error_status] &= ~value;
            values[raw_error_status] &= ~value;
        } else {
            values[at] = value;
        }
        const std::uint32_t configuration = channel_base + channel_configuration(Layout::pl080);
        if (at == configuration) values[enabled_channels] = value & 1;
    }
    void write_relaxed(std::uint32_t at, std::uint32_t value) override { write(at, value); }
    void read_fifo(std::uint32_t, std::span<std::uint32_t>) override {}
    void write_fifo(std::uint32_t, std::span<const std::uint32_t>) override {}
    void read_fifo_bytes(std::uint32_t, std::span<std::byte>) override {}
    void write_fifo_bytes(std::uint32_t, std::span<const std::byte>) override {}

    void end_list() { values[enabled_channels] = 0; }
    void fail() {
        values[int_error_status] |= 1;
        values[raw_error_status] |= 1;
        values[enabled_channels] = 0;
    }

    std::map<std::uint32_t, std::uint32_t> values;
    std::function<void(std::uint32_t)> on_read;
};

struct Pl080Fixture : testing::Test, port::InterruptLine, Listener {
    void attach(port::InterruptHandler& handler) override { handler_ = &handler; }
    void detach(port::InterruptHandler&) override {}
    void dma_ended(base::Result<void> result) noexcept override { heard.push_back(result); }

    Pl080Fixture() { channel.set_listener(*this, Announce::errors); }
    void start() {
        const std::array<Element, 1> list{{{0x1000, 512}}};
        ASSERT_TRUE(channel.prepare(Slot::first, list, Direction::read));
        channel.start(Slot::first);
    }
    /// From now on time passes with each read.
    void let_time_pass() {
        io.on_read = [this](std::uint32_t) { environment.idle(environment.now() + base::microseconds(10)); };
    }

    PlayedPl080 io;
    base::FakeEnvironment environment;
    FakeMemory memory{32};
    port::InterruptHandler* handler_ = nullptr;
    Pl080 controller{io, *this, memory, environment};
    Pl080Channel channel{controller, {0, 0, 0x4000'0080, 8}, Layout::pl080, 4096, 4};
    std::vector<base::Result<void>> heard;
};

TEST_F(Pl080Fixture, AListWhoseEndIsNotToBeAnnouncedAsksForNoTerminalCount) {
    start();
    EXPECT_EQ(io.values[channel_base + control] >> 31, 0u);
    channel.set_listener(*this, Announce::every_end);
    start();
    EXPECT_EQ(io.values[channel_base + control] >> 31, 1u);
}

TEST_F(Pl080Fixture, AListThatHasEndedIsFoundByTwoLooksAndThenKnown) {
    start();
    io.end_list();
    int reads = 0;
    io.on_read = [&](std::uint32_t) { ++reads; };
    EXPECT_TRUE(channel.quiesce());
    EXPECT_EQ(reads, 2) << "that it is disabled, and that there was no error";
    EXPECT_TRUE(channel.quiesce());
    EXPECT_EQ(reads, 2);
}

TEST_F(Pl080Fixture, TheLastBurstsOfAListAreWaitedFor) {
    start();
    int looks = 0;
    io.on_read = [&](std::uint32_t) {
        if (++looks == 20) io.end_list();
    };
    EXPECT_TRUE(channel.quiesce());
    EXPECT_GE(looks, 20);
}

TEST_F(Pl080Fixture, AListThatDoesNotEndIsATimeOutAndCanBeStopped) {
    start();
    let_time_pass();
    const auto quiet = channel.quiesce();
    ASSERT_FALSE(quiet);
    EXPECT_EQ(quiet.error().code, base::Code::software_timeout);
    channel.terminate();
    EXPECT_TRUE(channel.quiesce());
    EXPECT_LT(environment.now() - base::Instant{}, base::milliseconds(3));
}

TEST_F(Pl080Fixture, ABusErrorIsHeardOfAtOnceAndAgainWhenTheChannelIsLookedAt) {
    start();
    io.fail();
    EXPECT_TRUE(handler_->interrupt());
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0].error().code, base::Code::dma_error);
    EXPECT_EQ(io.values[int_error_status], 0u);
    EXPECT_EQ(channel.quiesce().error().code, base::Code::dma_error);
}

TEST_F(Pl080Fixture, ABusErrorIsFoundWithInterruptsOut) {
    start();
    io.fail();
    EXPECT_EQ(channel.quiesce().error().code, base::Code::dma_error);
    EXPECT_FALSE(handler_->interrupt()) << "it has been dealt with";
    EXPECT_TRUE(heard.empty());
}

TEST_F(Pl080Fixture, AChannelThatWasToldToStopIsQuietWhenItIsDisabled) {
    start();
    channel.terminate();
    io.values[enabled_channels] = 1; // its last access is under way
    int looks = 0;
    io.on_read = [&](std::uint32_t) {
        if (++looks == 5) io.values[enabled_channels] = 0;
    };
    EXPECT_TRUE(channel.quiesce());
    EXPECT_GE(looks, 5);
    EXPECT_TRUE(heard.empty());
}

} // namespace
} // namespace mmcpipe::host::dma
