#pragma once
// The PXA's DMA controller over registers that the test plays.

#include "fake_io.h"
#include "fake_memory.h"
#include "mmcpipe/host/dma/pxa.h"
#include "tests/base/fake_environment.h"

#include <gtest/gtest.h>
#include <vector>

namespace mmcpipe::host::dma {

constexpr PxaPeripheral peripheral{.receive = {.channel = 3, .request = 21, .fifo = 0x41100040},
                                   .transmit = {.channel = 5, .request = 22, .fifo = 0x41100044}};
constexpr std::uint32_t run = 1u << 31;
constexpr std::uint32_t stop_interrupt_enable = 1u << 29;
constexpr std::uint32_t stopped = 1u << 3;
constexpr std::uint32_t bus_error = 1u << 0;

struct Ends final : Listener {
    void dma_ended(base::Result<void> result) noexcept override { results.push_back(result); }
    std::vector<base::Result<void>> results;
};

class PxaDma : public testing::Test {
protected:
    PxaDma() {
        for (unsigned n = 0; n < pxa::channels; ++n) io.registers[pxa::control(n)] = stopped;
    }
    /// Channel 3 stops, and says so.
    bool stops(std::uint32_t status = stopped, bool last = true) {
        io.registers[pxa::control(3)] = status;
        io.registers[pxa::next_descriptor(3)] = last ? 1 : 0x40;
        io.registers[pxa::interrupts] = 1u << 3;
        return line.interrupt();
    }
    /// A read of these lengths, one behind the other from `address` on.
    base::Result<void> prepare(Channel& channel, std::vector<std::uint32_t> lengths,
                               Direction direction = Direction::read, Slot slot = Slot::first,
                               port::BusAddress address = 0x1000) {
        std::vector<Element> elements;
        for (const std::uint32_t length : lengths) {
            elements.push_back({address, length});
            address += length;
        }
        return channel.prepare(slot, elements, direction);
    }

    base::FakeEnvironment environment;
    FakeIo io;
    FakeLine line;
    FakeMemory memory{32};
    Pxa controller{io, line, memory, environment};
    Ends ends;
};

} // namespace mmcpipe::host::dma
