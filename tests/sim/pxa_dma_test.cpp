// The model of the PXA's DMA controller.

#include "mmcpipe/sim/dma/pxa.h"
#include "tests/sim/memory_fixture.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace mmcpipe::sim::dma {
namespace {

constexpr port::BusAddress receive_fifo = 0x4110'0040;
constexpr port::BusAddress transmit_fifo = 0x4110'0044;
// DCMD, for each direction, without a length
constexpr std::uint32_t inward = 1u << 30 | 1u << 29 | 3u << 16 | 1u << 14;
constexpr std::uint32_t outward = 1u << 31 | 1u << 28 | 3u << 16 | 1u << 14;
constexpr std::uint32_t end_interrupt_enable = 1u << 21;
// DCSR
constexpr std::uint32_t run = 1u << 31;
constexpr std::uint32_t stop_interrupt_enable = 1u << 29;
constexpr std::uint32_t bus_error = 1, end_interrupt = 4, stopped = 8;

constexpr std::uint32_t dcsr(unsigned channel) { return 4 * channel; }
constexpr std::uint32_t ddadr(unsigned channel) { return 0x200 + 16 * channel; }
constexpr std::uint32_t dtadr(unsigned channel) { return 0x208 + 16 * channel; }
constexpr std::uint32_t dint = 0xf0;
constexpr std::uint32_t dalgn = 0xa0;

struct Asking final : Peripheral {
    void dma_ready() override { ++ready; }
    int ready = 0;
};

class PxaDmaModel : public MemoryTest {
protected:
    PxaDmaModel() {
        model.write(0x100 + 4 * 21, 0x80 | 2);
        model.write(0x100 + 4 * 22, 0x80 | 3);
        list = memory.allocate_coherent(4096, 16);
    }
    struct Descriptor {
        port::BusAddress memory;
        std::uint32_t command;
    };
    /// Writes a list, and publishes it.
    void set(const std::vector<Descriptor>& descriptors, bool to_memory = true) {
        for (std::size_t i = 0; i < descriptors.size(); ++i) {
            const bool last = i + 1 == descriptors.size();
            const auto memory_address = static_cast<std::uint32_t>(descriptors[i].memory);
            const std::uint32_t words[4] = {
                last ? 1u : static_cast<std::uint32_t>(memory.bus_address(list.data()) + 16 * (i + 1)),
                to_memory ? static_cast<std::uint32_t>(receive_fifo) : memory_address,
                to_memory ? memory_address : static_cast<std::uint32_t>(transmit_fifo), descriptors[i].command};
            std::memcpy(list.data() + 16 * i, words, 16);
        }
        memory.publish(list);
    }
    void start(unsigned channel, std::uint32_t bits = 0) {
        model.write(ddadr(channel), static_cast<std::uint32_t>(memory.bus_address(list.data())));
        model.write(dcsr(channel), run | bits);
    }
    Chunk data(std::size_t size) { return {PageRef::filled(new_data), 0, static_cast<std::uint16_t>(size)}; }

    InterruptLine line{machine};
    wire::Faults faults;
    Pxa model{engine, memory, line, &faults};
    Asking peripheral;
    Channel& receive = model.wire(21, peripheral, receive_fifo);
    Channel& transmit = model.wire(22, peripheral, transmit_fifo);
    std::span<std::byte> list;
};

TEST_F(PxaDmaModel, AListMovesWhatComesIntoItsPiecesAndStops) {
    const Bytes a = buffer(64, old_data);
    const Bytes b = buffer(96, old_data);
    set({{address(a), inward | 64}, {address(b), inward | 96}});
    start(2);
    EXPECT_EQ(peripheral.ready, 1);
    EXPECT_TRUE(receive.runs(true));
    EXPECT_FALSE(transmit.runs(false));
    EXPECT_EQ(receive.push(data(100)), 100u);
    EXPECT_EQ(model.read(dtadr(2)), address(b) + 36);
    EXPECT_EQ(model.read(dcsr(2)), run);
    EXPECT_EQ(receive.push(data(100)), 60u) << "the rest";
    EXPECT_EQ(model.read(dcsr(2)), stopped);
    invalidate_now(a);
    invalidate_now(b);
    EXPECT_TRUE(all(a, new_data) && all(b, new_data));
}

TEST_F(PxaDmaModel, TheOtherWayItGivesTheDataOfItsPieces) {
    const Bytes a = buffer(64, stored);
    set({{address(a), outward | 64}}, false);
    start(3);
    const Chunk first = transmit.pull(48);
    EXPECT_EQ(first.length, 48u);
    EXPECT_TRUE(all(bytes(first), stored));
    EXPECT_EQ(transmit.pull(48).length, 16u);
    EXPECT_TRUE(transmit.pull(48).empty());
}

TEST_F(PxaDmaModel, AnEndInterruptsOnlyIfItsDescriptorSaysSo) {
    const Bytes a = buffer(64, old_data);
    for (const bool wanted : {false, true}) {
        set({{address(a), inward | 32 | (wanted ? end_interrupt_enable : 0)}, {address(a), inward | 32}});
        start(2);
        receive.push(data(32));
        EXPECT_EQ(line.up(), wanted);
        EXPECT_EQ(model.read(dint), wanted ? 1u << 2 : 0);
        receive.push(data(32));
    }
    EXPECT_EQ(model.read(dcsr(2)), stopped | end_interrupt);
    model.write(dcsr(2), end_interrupt);
    EXPECT_FALSE(line.up());
}

TEST_F(PxaDmaModel, ThatItHasStoppedInterruptsWhileThatIsEnabled) {
    const Bytes a = buffer(64, old_data);
    set({{address(a), inward | 64}});
    start(2, stop_interrupt_enable);
    EXPECT_FALSE(line.up());
    receive.push(data(64));
    EXPECT_TRUE(line.up());
    model.write(dcsr(2), 0);
    EXPECT_FALSE(line.up());
}

TEST_F(PxaDmaModel, AChannelThatIsStoppedMovesNothingMore) {
    const Bytes a = buffer(64, old_data);
    set({{address(a), inward | 64}});
    start(2);
    receive.push(data(32));
    model.write(dcsr(2), 0);
    EXPECT_EQ(model.read(dcsr(2)), stopped);
    EXPECT_EQ(receive.push(data(32)), 0u);
    EXPECT_FALSE(line.up());
}

TEST_F(PxaDmaModel, WhatIsNotSetUpForItsFifoIsABusError) {
    const Bytes a = buffer(64, old_data);
    const std::vector<std::uint32_t> wrong = {
        (inward & ~(1u << 14)) | 3u << 14, // four bytes wide
        inward & ~(1u << 30),              // the target stays
        inward | 1u << 31,                 // the source does not
        outward,                           // the other direction
    };
    for (const std::uint32_t command : wrong) {
        set({{address(a), command | 64}});
        start(2);
        EXPECT_EQ(model.read(dcsr(2)), stopped | bus_error) << command;
        EXPECT_TRUE(line.up());
        model.write(dcsr(2), bus_error);
        EXPECT_FALSE(line.up());
    }
}

TEST_F(PxaDmaModel, MemoryThatIsNotThereIsABusError) {
    set({{0x1000, inward | 64}});
    start(2);
    EXPECT_EQ(receive.push(data(32)), 0u);
    EXPECT_EQ(model.read(dcsr(2)), stopped | bus_error);
}

TEST_F(PxaDmaModel, AListThatWasNotPublishedIsABusError) {
    const Bytes a = buffer(64, old_data);
    set({{address(a), inward | 64}});
    model.write(ddadr(2), static_cast<std::uint32_t>(memory.bus_address(list.data()) + 2048)); // zeros
    model.write(dcsr(2), run);
    EXPECT_EQ(model.read(dcsr(2)), stopped | bus_error);
}

TEST_F(PxaDmaModel, WithoutItsMapARequestReachesNoChannel) {
    const Bytes a = buffer(64, old_data);
    set({{address(a), inward | 64}});
    start(2);
    model.write(0x100 + 4 * 21, 2);
    EXPECT_FALSE(receive.runs(true));
    EXPECT_EQ(receive.push(data(32)), 0u);
}

TEST_F(PxaDmaModel, TheLowBitsOfAnAddressCountOnlyWithByteAlignment) {
    const Bytes a = buffer(64, old_data);
    for (const bool aligned_by_byte : {false, true}) {
        model.write(dalgn, aligned_by_byte ? 1u << 2 : 0);
        set({{address(a) + 4, inward | 32}});
        start(2);
        EXPECT_EQ(model.read(dtadr(2)), address(a) + (aligned_by_byte ? 4 : 0));
        receive.push(data(32));
    }
}

TEST_F(PxaDmaModel, APlannedFaultIsABusErrorInTheMidstOfAList) {
    const Bytes a = buffer(1024, old_data);
    faults.plan({.kind = wire::Fault::Kind::dma_error, .bytes = 512});
    set({{address(a), inward | 1024}});
    start(2);
    EXPECT_EQ(receive.push(data(512)), 512u);
    EXPECT_EQ(receive.push(data(512)), 0u);
    EXPECT_EQ(model.read(dcsr(2)), stopped | bus_error);
    EXPECT_EQ(faults.happened(), 1u);
}

} // namespace
} // namespace mmcpipe::sim::dma
