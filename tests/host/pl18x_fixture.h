#pragma once
// The driver of the PL18x over registers that a test plays.

#include "mmcpipe/base/arena.h"
#include "mmcpipe/host/pl18x/driver.h"
#include "mmcpipe/host/pl18x/registers.h"
#include "mmcpipe/host/transaction.h"
#include "tests/base/fake_environment.h"

#include <array>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace mmcpipe::host::pl18x {

/// Registers that keep what is written to them; `clear` takes bits out of `status`, the FIFO counts its words.
class PlayedRegisters final : public port::Io {
public:
    std::uint32_t read(std::uint32_t at) override { return values[at]; }
    void write(std::uint32_t at, std::uint32_t value) override {
        writes.emplace_back(at, value);
        if (at == offset::clear) {
            values[offset::status] &= ~value;
        } else {
            values[at] = value;
        }
    }
    void write_relaxed(std::uint32_t at, std::uint32_t value) override { write(at, value); }
    void read_fifo(std::uint32_t, std::span<std::uint32_t> words) override {
        for (std::uint32_t& word : words) word = fifo_words++;
        if (on_fifo) on_fifo();
    }
    void read_fifo_bytes(std::uint32_t, std::span<std::byte>) override {}
    void write_fifo_bytes(std::uint32_t, std::span<const std::byte>) override {}
    void write_fifo(std::uint32_t, std::span<const std::uint32_t> words) override {
        fifo_words += static_cast<std::uint32_t>(words.size());
        if (on_fifo) on_fifo();
    }

    std::map<std::uint32_t, std::uint32_t> values;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> writes;
    std::uint32_t fifo_words = 0; ///< that went through it
    std::function<void()> on_fifo;
};

class PlayedLine final : public port::InterruptLine {
public:
    void attach(port::InterruptHandler& handler) override { handler_ = &handler; }
    void detach(port::InterruptHandler&) override { handler_ = nullptr; }
    bool interrupt() { return handler_->interrupt(); }

private:
    port::InterruptHandler* handler_ = nullptr;
};

class FourLines final : public port::Board {
public:
    base::Result<void> set_supply(port::Supply) override { return {}; }
    base::Result<void> set_signal(port::Signal) override { return {}; }
    base::Result<void> hold_reset(bool) override { return base::fail(base::Code::not_possible); }
    unsigned bus_width() const override { return 4; }
    base::Hertz base_clock() const override { return base::megahertz(100); }
    bool has(port::Supply supply) const override { return supply == port::Supply::v3_3; }
    bool card_present() override { return true; }
    bool write_protected() override { return false; }
};

struct Pl18xFixture : testing::Test {
    /// One block by PIO, or `blocks` of them.
    Request& block(Direction direction, std::uint32_t blocks = 1) {
        request.command.command = direction == Direction::read ? spec::read_single_block({0}) : spec::write_block({0});
        request.data.emplace();
        request.data->direction = direction;
        request.data->blocks = blocks;
        request.data->buffers = {&buffer, 1};
        return request;
    }
    void interrupt(std::uint32_t status_bits) {
        io.values[offset::status] |= status_bits;
        EXPECT_TRUE(line.interrupt());
    }

    base::FakeEnvironment environment;
    base::Executor executor{environment};
    base::StaticFrameArena<4096> frames;
    PlayedRegisters io;
    PlayedLine line;
    FourLines board;
    Driver driver{{io, line, board}, st_v2, executor, frames};
    alignas(64) std::array<std::byte, 65536> memory{};
    Buffer buffer = memory;
    Transaction request{executor};
};

} // namespace mmcpipe::host::pl18x
