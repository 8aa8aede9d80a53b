#pragma once
// Registers that a test plays the device behind: writes are noted in their order, reads give what the test has set.

#include "mmcpipe/port/board.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace mmcpipe::host {

class FakeIo final : public port::Io {
public:
    using Write = std::pair<std::uint32_t, std::uint32_t>; ///< offset, value

    std::uint32_t read(std::uint32_t offset) override {
        ++reads[offset];
        if (on_read) on_read(offset);
        std::deque<std::uint32_t>& queue = queues[offset];
        if (queue.empty()) return registers[offset];
        const std::uint32_t value = queue.front();
        queue.pop_front();
        return value;
    }
    void write(std::uint32_t offset, std::uint32_t value) override {
        writes.emplace_back(offset, value);
        registers[offset] = value;
        if (on_write) on_write(offset, value);
    }
    void write_relaxed(std::uint32_t offset, std::uint32_t value) override { write(offset, value); }
    void read_fifo(std::uint32_t offset, std::span<std::uint32_t> words) override {
        for (std::uint32_t& word : words) word = read(offset);
    }
    void write_fifo(std::uint32_t offset, std::span<const std::uint32_t> words) override {
        for (const std::uint32_t word : words) write(offset, word);
    }
    void read_fifo_bytes(std::uint32_t offset, std::span<std::byte> bytes) override {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(read(offset));
    }
    void write_fifo_bytes(std::uint32_t offset, std::span<const std::byte> bytes) override {
        for (const std::byte byte : bytes) write(offset, std::to_integer<std::uint32_t>(byte));
    }

    std::map<std::uint32_t, std::uint32_t> registers;          ///< what reads give
    std::map<std::uint32_t, std::deque<std::uint32_t>> queues; ///< what they give before that, once each
    std::map<std::uint32_t, int> reads;
    std::vector<Write> writes;
    std::function<void(std::uint32_t)> on_read;
    std::function<void(std::uint32_t, std::uint32_t)> on_write;
};

/// A line that a test raises.
class FakeLine final : public port::InterruptLine {
public:
    void attach(port::InterruptHandler& handler) override { handler_ = &handler; }
    void detach(port::InterruptHandler&) override { handler_ = nullptr; }
    /// True if the handler says that it was its device's.
    bool interrupt() { return handler_->interrupt(); }

private:
    port::InterruptHandler* handler_ = nullptr;
};

class FakeBoard final : public port::Board {
public:
    base::Result<void> set_supply(port::Supply) override { return {}; }
    base::Result<void> set_signal(port::Signal) override { return {}; }
    base::Result<void> hold_reset(bool) override { return base::fail(base::Code::not_possible); }
    unsigned bus_width() const override { return lines; }
    base::Hertz base_clock() const override { return clock; }
    bool has(port::Supply supply) const override { return supply == port::Supply::v3_3; }
    bool card_present() override { return true; }
    bool write_protected() override { return false; }

    unsigned lines = 4;
    base::Hertz clock{19'500'000};
};

} // namespace mmcpipe::host
