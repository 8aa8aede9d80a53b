// The PXA's DMA controller: descriptors, and the engine.

#include "mmcpipe/host/dma/pxa_channel.h"
#include "pxa_dma_fixture.h"

#include <string>

namespace mmcpipe::host::dma {
namespace {

using Writes = std::vector<FakeIo::Write>;

TEST_F(PxaDma, BothRequestLinesAreMappedToTheirChannelsForGood) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    EXPECT_EQ(io.registers[pxa::request_map(21)], 0x80u | 3);
    EXPECT_EQ(io.registers[pxa::request_map(22)], 0x80u | 5);
}

TEST_F(PxaDma, ADescriptorOfAReadTakesBytesFromTheFifoInBurstsOf32) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {4096, 8160, 512}));
    const auto list = channel.lists().descriptors(Slot::first);
    ASSERT_EQ(list.size(), 3u);
    const auto at = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(list.data()));
    EXPECT_EQ(at % 16, 0u);
    EXPECT_EQ(list[0].next, at + 16);
    EXPECT_EQ(list[1].next, at + 32);
    EXPECT_EQ(list[2].next, 1u) << "the last";
    EXPECT_EQ(list[0].source, 0x41100040u);
    EXPECT_EQ(list[0].target, 0x1000u);
    EXPECT_EQ(list[1].target, 0x2000u);
    // INCTRGADDR, FLOWSRC, 32 bytes, one byte wide, length
    EXPECT_EQ(list[0].command, 1u << 30 | 1u << 29 | 3u << 16 | 1u << 14 | 4096);
    EXPECT_EQ(list[1].command, 1u << 30 | 1u << 29 | 3u << 16 | 1u << 14 | 8160);
}

TEST_F(PxaDma, ADescriptorOfAWriteGoesTheOtherWay) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {64}, Direction::write));
    const pxa::Descriptor& only = channel.lists().descriptors(Slot::first)[0];
    EXPECT_EQ(only.source, 0x1000u);
    EXPECT_EQ(only.target, 0x41100044u);
    EXPECT_EQ(only.command, 1u << 31 | 1u << 28 | 3u << 16 | 1u << 14 | 64);
}

TEST_F(PxaDma, TheLongestElementIsTheMostWholeBurstsThatADescriptorHolds) {
    EXPECT_EQ(PxaChannel(controller, peripheral, 8191, 4).constraints().max_length, 8160u);
    EXPECT_EQ(PxaChannel(controller, peripheral, 1u << 20, 4).constraints().max_length, 8160u);
    EXPECT_EQ(PxaChannel(controller, peripheral, 1000, 4).constraints().max_length, 992u);
}

TEST_F(PxaDma, WhatTheControllerCannotMoveIsRefused) {
    PxaChannel channel(controller, peripheral, 8191, 2);
    EXPECT_EQ(prepare(channel, {}).error().code, base::Code::out_of_range);
    EXPECT_EQ(prepare(channel, {32, 32, 32}).error().code, base::Code::out_of_range);
    EXPECT_EQ(prepare(channel, {8192}).error().code, base::Code::out_of_range);
    EXPECT_EQ(prepare(channel, {48}).error().code, base::Code::misaligned);
    EXPECT_EQ(prepare(channel, {32}, Direction::read, Slot::first, 0x1004).error().code, base::Code::misaligned);
    EXPECT_EQ(channel.lists().statistics().lists, 0u);
}

TEST_F(PxaDma, NumberAndSizesOfTheDescriptorsAreCounted) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {8160, 32}));
    ASSERT_TRUE(prepare(channel, {512}, Direction::write, Slot::second));
    const ListStatistics& counted = channel.lists().statistics();
    EXPECT_EQ(counted.lists, 2u);
    EXPECT_EQ(counted.descriptors, 3u);
    EXPECT_EQ(counted.bytes, 8160u + 32 + 512);
    EXPECT_EQ(counted.shortest, 32u);
    EXPECT_EQ(counted.longest, 8160u);
}

TEST_F(PxaDma, AListIsPublishedAndThenStarted) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {32}));
    io.writes.clear();
    memory.log.clear();
    std::string before;
    io.on_write = [&](std::uint32_t, std::uint32_t value) {
        if ((value & run) != 0) before = memory.log;
    };
    channel.start(Slot::first);
    EXPECT_EQ(before, "p");
    const auto list =
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(channel.lists().descriptors(Slot::first).data()));
    EXPECT_EQ(io.writes, (Writes{{pxa::control(3), 7}, // what is left of an older list
                                 {pxa::next_descriptor(3), list},
                                 {pxa::control(3), run | stop_interrupt_enable}}));
}

TEST_F(PxaDma, EachSlotHasItsListAndEachDirectionItsChannel) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {32}, Direction::read, Slot::first));
    ASSERT_TRUE(prepare(channel, {64}, Direction::write, Slot::second, 0x8000));
    EXPECT_EQ(channel.lists().descriptors(Slot::first)[0].target, 0x1000u);
    EXPECT_EQ(channel.lists().descriptors(Slot::second)[0].source, 0x8000u);
    io.writes.clear();
    channel.start(Slot::second);
    EXPECT_EQ(io.writes.back(), FakeIo::Write(pxa::control(5), run | stop_interrupt_enable));
}

TEST_F(PxaDma, TheEndOfAListIsToldOnceAndAcknowledged) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    channel.set_listener(ends, Announce::every_end);
    ASSERT_TRUE(prepare(channel, {32}));
    channel.start(Slot::first);
    EXPECT_TRUE(stops());
    ASSERT_EQ(ends.results.size(), 1u);
    EXPECT_TRUE(ends.results[0]);
    EXPECT_EQ(io.writes.back(), FakeIo::Write(pxa::control(3), 7)) << "no more interrupts of it";
    stops();
    EXPECT_EQ(ends.results.size(), 1u);
}

TEST_F(PxaDma, AControllerThatStopsBeforeTheEndOfAListGoesOn) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    channel.set_listener(ends, Announce::every_end);
    ASSERT_TRUE(prepare(channel, {32, 32}));
    channel.start(Slot::first);
    stops(stopped, false);
    EXPECT_TRUE(ends.results.empty());
    EXPECT_EQ(io.writes.back(), FakeIo::Write(pxa::control(3), run | stop_interrupt_enable));
    stops();
    EXPECT_EQ(ends.results.size(), 1u);
}

TEST_F(PxaDma, ABusErrorEndsAListWithAnError) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    channel.set_listener(ends, Announce::every_end);
    ASSERT_TRUE(prepare(channel, {32, 32}));
    channel.start(Slot::first);
    stops(stopped | bus_error, false);
    ASSERT_EQ(ends.results.size(), 1u);
    ASSERT_FALSE(ends.results[0]);
    EXPECT_EQ(ends.results[0].error().code, base::Code::dma_error);
}

TEST_F(PxaDma, AnEndThatComesAfterTheListWasTerminatedIsNotTold) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    channel.set_listener(ends, Announce::every_end);
    ASSERT_TRUE(prepare(channel, {32}));
    channel.start(Slot::first);
    io.writes.clear();
    channel.terminate();
    EXPECT_EQ(io.writes, (Writes{{pxa::control(3), 7}})) << "neither run nor interrupts";
    stops();
    EXPECT_TRUE(ends.results.empty());
}

TEST_F(PxaDma, QuiesceWaitsUntilTheChannelHasStopped) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {32}));
    channel.start(Slot::first);
    channel.terminate();
    io.queues[pxa::control(3)] = {0, 0, 0, stopped};
    EXPECT_TRUE(channel.quiesce());
    EXPECT_TRUE(io.queues[pxa::control(3)].empty());
}

TEST_F(PxaDma, AChannelThatDoesNotStopIsASoftwareTimeOut) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {32}));
    channel.start(Slot::first);
    channel.terminate();
    io.registers[pxa::control(3)] = 0;
    io.on_read = [&](std::uint32_t) { environment.idle(environment.now() + base::microseconds(10)); };
    const auto quiet = channel.quiesce();
    ASSERT_FALSE(quiet);
    EXPECT_EQ(quiet.error().code, base::Code::software_timeout);
}

TEST_F(PxaDma, ThePositionChangesWithWhatIsMoved) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    ASSERT_TRUE(prepare(channel, {64}));
    channel.start(Slot::first);
    io.registers[pxa::source(3)] = 0x41100040;
    io.registers[pxa::target(3)] = 0x1000;
    const std::uint32_t before = channel.position();
    io.registers[pxa::target(3)] = 0x1020;
    EXPECT_NE(channel.position(), before);
}

TEST_F(PxaDma, AnInterruptOfAChannelThatNobodyHasIsNotOurs) {
    PxaChannel channel(controller, peripheral, 8191, 4);
    io.registers[pxa::interrupts] = 1u << 9;
    EXPECT_FALSE(line.interrupt());
}

} // namespace
} // namespace mmcpipe::host::dma
