#pragma once
// The PXA MMC driver over registers that the test plays, with a DMA channel that notes what is asked of it.

#include "fake_io.h"
#include "fake_memory.h"
#include "mmcpipe/host/dma/mapping.h"
#include "mmcpipe/host/pxamci/driver.h"
#include "mmcpipe/host/pxamci/registers.h"
#include "mmcpipe/host/transaction.h"
#include "tests/base/fake_environment.h"

#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace mmcpipe::host::pxamci {

/// Notes its calls in the log of the registers: a write to an offset that no register has.
class FakeChannel final : public dma::Channel {
public:
    static constexpr std::uint32_t started = 0xd0;
    static constexpr std::uint32_t terminated = 0xd1;
    static constexpr std::uint32_t quiesced = 0xd2;

    explicit FakeChannel(FakeIo& log) : io(log) {}
    const dma::Constraints& constraints() const override { return limits; }
    void set_listener(dma::Listener& its_listener, dma::Announce) override { listener = &its_listener; }
    base::Result<void> prepare(dma::Slot, std::span<const dma::Element>, Direction) override { return {}; }
    void start(dma::Slot slot) override { io.write(started, static_cast<std::uint32_t>(slot)); }
    void terminate() override { io.write(terminated, 0); }
    base::Result<void> quiesce() override {
        io.write(quiesced, 0);
        return quiet;
    }
    std::uint32_t position() override { return moved; }

    FakeIo& io;
    dma::Constraints limits{.alignment = 32, .max_length = 8160, .max_elements = 16};
    dma::Listener* listener = nullptr;
    base::Result<void> quiet{};
    std::uint32_t moved = 0;
};

class PxamciTest : public testing::Test {
protected:
    static constexpr std::uint32_t r1 = 0x900;

    PxamciTest() {
        io.on_write = [this](std::uint32_t at, std::uint32_t value) {
            if (at != offset::clock) return;
            if ((value & clock::stop) != 0 && clock_stops) {
                io.registers[offset::interrupts] |= interrupt::clock_is_off;
                io.registers[offset::status] &= ~status::clock_on;
            }
            if ((value & clock::start) != 0) { // clears the status
                io.registers[offset::interrupts] = 0;
                io.registers[offset::status] = status::clock_on;
            }
        };
        request.done = [](Request& ended) noexcept { static_cast<Noting&>(ended).fixture->ended = true; };
        request.fixture = this;
    }

    void make(const Variant& variant, bool with_dma = false, DmaEnd end = DmaEnd::listener) {
        Wiring wiring{io, line, board};
        if (with_dma) {
            wiring.dma = &channel;
            wiring.dma_end = end;
            wiring.mappings = {&mappings[0], &mappings[1]};
        }
        driver.emplace(wiring, variant, executor, frames);
        run_task(driver->apply({.supply = port::Supply::v3_3, .clock = {25'000'000}, .width = BusWidth::x4}));
        io.writes.clear();
    }
    /// Takes the driver away, when what it is at has ended, be it by the watchdog.
    void drop() {
        executor.run_until([&] { return !started || ended; });
        started = false;
        driver.reset();
        io.registers.clear();
        io.queues.clear();
    }
    void run_task(base::Task<base::Result<void>> task) {
        task.start();
        executor.run_until([&] { return task.done(); });
        ASSERT_TRUE(task.take());
    }

    void command(spec::Command command) {
        request.set_block_count.reset();
        request.data.reset();
        request.stop.reset();
        request.command = {};
        request.command.command = command;
    }
    /// Data of so many blocks, with CMD12 behind it.
    void data(Direction direction, std::uint32_t blocks, std::uint32_t block_size = 512) {
        command(direction == Direction::read ? spec::read_multiple_block({0}) : spec::write_multiple_block({0}));
        buffer = std::span(memory_of_data).first(std::size_t{blocks} * block_size);
        request.data.emplace();
        request.data->direction = direction;
        request.data->blocks = blocks;
        request.data->block_size = block_size;
        request.data->buffers = {&buffer, 1};
        request.data->timeout = base::milliseconds(100);
        request.stop.emplace();
        request.stop->command = spec::stop_transmission(spec::Transfer::read);
    }
    void start() {
        ended = false;
        started = true;
        ASSERT_TRUE(driver->prepare(request));
        driver->start(request);
    }
    /// The controller says so, in MMC_STAT and MMC_I_REG.
    void say(std::uint32_t status_bits, std::uint32_t interrupt_bits) {
        io.registers[offset::status] |= status_bits;
        io.registers[offset::interrupts] |= interrupt_bits;
    }
    /// It says that the command is over, answered by `word`.
    void respond(std::uint32_t word = r1) {
        io.queues[offset::response] = {0x3f00 | word >> 24, word >> 8 & 0xffff, (word & 0xff) << 8};
        say(status::command_done, interrupt::command_done);
        EXPECT_TRUE(line.interrupt());
    }
    /// It says that the data is over.
    void end_data(std::uint32_t errors = 0) {
        say(status::data_done | errors, interrupt::data_done);
        EXPECT_TRUE(line.interrupt());
    }
    /// Lets the executor hear of the end.
    void drain() { executor.drain(); }

    /// What was written to one register, in order.
    std::vector<std::uint32_t> written(std::uint32_t at) const {
        std::vector<std::uint32_t> values;
        for (const auto& [offset, value] : io.writes)
            if (offset == at) values.push_back(value);
        return values;
    }
    /// How often.
    std::size_t count(std::uint32_t at) const { return written(at).size(); }
    /// The place of the last write to it among all; -1: there is none.
    int last(std::uint32_t at) const {
        for (int i = static_cast<int>(io.writes.size()); i-- > 0;)
            if (io.writes[static_cast<std::size_t>(i)].first == at) return i;
        return -1;
    }
    std::uint32_t unmasked() const { return ~io.registers.at(offset::mask) & 0x1fff; }

    struct Noting : Request {
        PxamciTest* fixture = nullptr;
    };

    base::FakeEnvironment environment;
    base::Executor executor{environment};
    base::StaticFrameArena<16384> frames;
    FakeIo io;
    FakeLine line;
    FakeBoard board;
    FakeMemory memory{32};
    FakeChannel channel{io};
    alignas(64) std::array<std::byte, 16384> memory_of_data{};
    std::array<std::array<dma::Element, 16>, 2> elements{};
    std::array<dma::Mapping, 2> mappings{
        dma::Mapping(memory, channel.limits, {elements[0], {}, {}}, dma::BarrierPer::list),
        dma::Mapping(memory, channel.limits, {elements[1], {}, {}}, dma::BarrierPer::list)};
    std::optional<Driver> driver;
    Buffer buffer;
    Noting request;
    bool started = false;
    bool ended = false;
    bool clock_stops = true;
};

} // namespace mmcpipe::host::pxamci
