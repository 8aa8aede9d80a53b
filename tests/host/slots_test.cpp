#include "mmcpipe/host/dma/slots.h"

#include "fake_memory.h"

#include <array>
#include <gtest/gtest.h>

namespace mmcpipe::host::dma {
namespace {

/// A channel that takes what it is given, or refuses it.
struct ListOnly final : Channel {
    const Constraints& constraints() const override { return limits; }
    void set_listener(Listener&, Announce) override {}
    base::Result<void> prepare(Slot slot, std::span<const Element>, Direction) override {
        prepared.push_back(slot);
        return answer;
    }
    void start(Slot) override {}
    void terminate() override {}
    base::Result<void> quiesce() override { return {}; }
    std::uint32_t position() override { return 0; }

    Constraints limits{.alignment = 4, .max_length = 4096, .max_elements = 2};
    base::Result<void> answer{};
    std::vector<Slot> prepared;
};

struct SlotsTest : testing::Test {
    SlotsTest() {
        for (Request& request : requests) {
            request.data.emplace();
            request.data->blocks = 1;
            request.data->buffers = {&buffer, 1};
        }
    }
    alignas(64) std::array<std::byte, 512> bytes{};
    Buffer buffer{bytes};
    FakeMemory memory{32};
    ListOnly channel;
    std::array<std::array<Element, 2>, 2> elements{};
    std::array<Mapping, 2> mappings{Mapping(memory, channel.limits, {elements[0], {}, {}}, BarrierPer::list),
                                    Mapping(memory, channel.limits, {elements[1], {}, {}}, BarrierPer::list)};
    Slots slots{{&mappings[0], &mappings[1]}};
    std::array<Request, 3> requests{};
};

TEST_F(SlotsTest, TwoRequestsHaveASlotEachAndAThirdHasNone) {
    EXPECT_TRUE(slots.map(requests[0], channel));
    EXPECT_TRUE(slots.map(requests[1], channel));
    EXPECT_FALSE(slots.map(requests[2], channel));
    EXPECT_EQ(slots.slot_of(requests[0]), Slot::first);
    EXPECT_EQ(slots.slot_of(requests[1]), Slot::second);
    EXPECT_EQ(requests[2].mapping, nullptr);
    EXPECT_EQ(channel.prepared, (std::vector{Slot::first, Slot::second}));
}

TEST_F(SlotsTest, ASlotIsFreeAgainAfterUnmapAndAfterForget) {
    slots.map(requests[0], channel);
    slots.map(requests[1], channel);
    memory.log.clear();
    slots.unmap(requests[0]);
    EXPECT_EQ(memory.log, "ib") << "the data is the CPU's";
    EXPECT_TRUE(slots.map(requests[2], channel));
    EXPECT_EQ(slots.slot_of(requests[2]), Slot::first);
    memory.log.clear();
    slots.forget(requests[1]);
    EXPECT_EQ(memory.log, "") << "DMA never ran";
    EXPECT_TRUE(slots.map(requests[0], channel));
    EXPECT_EQ(slots.slot_of(requests[0]), Slot::second);
}

TEST_F(SlotsTest, WhatTheEngineRefusesHoldsNoSlot) {
    channel.answer = base::fail(base::Code::out_of_range);
    EXPECT_FALSE(slots.map(requests[0], channel));
    EXPECT_EQ(requests[0].mapping, nullptr);
    channel.answer = {};
    EXPECT_TRUE(slots.map(requests[1], channel));
    EXPECT_EQ(slots.slot_of(requests[1]), Slot::first);
}

TEST_F(SlotsTest, WhatWasNotMappedNeedsNoUnmapping) {
    slots.unmap(requests[0]);
    slots.forget(requests[0]);
    EXPECT_EQ(memory.log, "");
}

} // namespace
} // namespace mmcpipe::host::dma
