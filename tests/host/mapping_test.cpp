#include "mmcpipe/host/dma/mapping.h"

#include "fake_memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck.h>

namespace mmcpipe::host::dma {
namespace {

struct Bench {
    explicit Bench(std::size_t line = 32, Constraints c = {.alignment = 4, .max_length = 65536, .max_elements = 64},
                   BarrierPer per = BarrierPer::element)
        : memory(line),
          constraints(c),
          mapping(memory, constraints, {elements, bounced, memory.allocate_coherent(4096, 64)}, per) {}

    base::Result<void> map(Direction direction, std::vector<Buffer> list, std::uint32_t bytes,
                           std::uint32_t offset = 0) {
        buffers = std::move(list);
        Data data;
        data.direction = direction;
        data.block_size = bytes;
        data.blocks = 1;
        data.buffers = buffers;
        data.offset = offset;
        return mapping.map(data);
    }

    alignas(64) std::array<std::byte, 65536> arena{};
    FakeMemory memory;
    std::array<Element, 64> elements{};
    std::array<Mapping::Bounced, 128> bounced{};
    Constraints constraints;
    Mapping mapping;
    std::vector<Buffer> buffers;
};

Buffer piece(Bench& b, std::size_t at, std::size_t size) { return std::span(b.arena).subspan(at, size); }

TEST(Mapping, AnAlignedReadIsOneElementInvalidatedBeforeAndAfter) {
    Bench b;
    ASSERT_TRUE(b.map(Direction::read, {piece(b, 0, 4096)}, 4096));
    EXPECT_EQ(b.mapping.elements().size(), 1u);
    EXPECT_EQ(b.mapping.bounced_bytes(), 0u);
    EXPECT_EQ(b.memory.log, "ib");
    b.mapping.unmap();
    EXPECT_EQ(b.memory.log, "ibib");
}

TEST(Mapping, AnAlignedWriteIsCleanedOnce) {
    Bench b;
    ASSERT_TRUE(b.map(Direction::write, {piece(b, 0, 4096)}, 4096));
    b.mapping.unmap();
    EXPECT_EQ(b.memory.log, "cb");
}

TEST(Mapping, OneBarrierAListInsteadOfOneAnElementWhenAskedFor) {
    Bench b(32, {.alignment = 4, .max_length = 65536, .max_elements = 64}, BarrierPer::list);
    ASSERT_TRUE(b.map(Direction::read, {piece(b, 0, 1024), piece(b, 2048, 1024), piece(b, 4096, 1024)}, 3072));
    EXPECT_EQ(b.memory.log, "iiib");
}

TEST(Mapping, NothingIsMaintainedWhereDmaIsCoherent) {
    Bench b(1);
    ASSERT_TRUE(b.map(Direction::read, {piece(b, 4, 1000)}, 1000));
    b.mapping.unmap();
    EXPECT_EQ(b.memory.log, "");
    EXPECT_EQ(b.mapping.bounced_bytes(), 0u) << "no line is shared with anybody";
}

TEST(Mapping, ALineSharedWithANeighbourIsBouncedInAReadAndCleanedInAWrite) {
    Bench b;
    ASSERT_TRUE(b.map(Direction::read, {piece(b, 8, 512)}, 512));
    EXPECT_EQ(b.mapping.bounced_bytes(), 24u + 8u);
    EXPECT_EQ(b.mapping.elements().size(), 3u);
    for (const auto& [what, range] : b.memory.ranges) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range.data()) % 32, 0u);
        EXPECT_EQ(range.size() % 32, 0u);
    }
    ASSERT_TRUE(b.map(Direction::write, {piece(b, 8, 512)}, 512));
    EXPECT_EQ(b.mapping.bounced_bytes(), 0u);
}

TEST(Mapping, ABufferThatDmaCannotAddressGoesThroughTheBounceBuffer) {
    Bench b(32, {.alignment = 4, .max_length = 65536, .max_elements = 64, .boundary = 0, .last_address = 0xff});
    ASSERT_TRUE(b.map(Direction::write, {piece(b, 0, 512)}, 512));
    EXPECT_EQ(b.mapping.bounced_bytes(), 512u);
}

TEST(Mapping, ElementsEndAtTheEnginesLengthAndBoundary) {
    Bench b(32, {.alignment = 4, .max_length = 1000, .max_elements = 64, .boundary = 4096});
    ASSERT_TRUE(b.map(Direction::write, {piece(b, 3584, 4096)}, 4096));
    for (const Element& e : b.mapping.elements()) {
        EXPECT_LE(e.length, 1000u);
        EXPECT_EQ(e.address / 4096, (e.address + e.length - 1) / 4096);
    }
}

TEST(Mapping, TooManyElementsAreOutOfRange) {
    Bench b(32, {.alignment = 4, .max_length = 512, .max_elements = 3});
    EXPECT_EQ(b.map(Direction::write, {piece(b, 0, 2048)}, 2048).error().code, base::Code::out_of_range);
}

TEST(Mapping, WhatWasMaintainedBeforeAMapFailedIsCompleteWhenItReturns) {
    Bench b(32, {.alignment = 4, .max_length = 512, .max_elements = 3}, BarrierPer::list);
    EXPECT_FALSE(b.map(Direction::read, {piece(b, 0, 2048)}, 2048));
    EXPECT_EQ(b.memory.log, "ib");
}

TEST(Mapping, MoreBounceBytesThanThereIsRoomForAreOutOfRange) {
    Bench b;
    EXPECT_EQ(b.map(Direction::write, {piece(b, 1, 8192)}, 8192).error().code, base::Code::out_of_range);
}

TEST(Mapping, BuffersShorterThanTheDataAreOutOfRange) {
    Bench b;
    EXPECT_EQ(b.map(Direction::write, {piece(b, 0, 256)}, 512).error().code, base::Code::out_of_range);
}

TEST(Mapping, TheOffsetLeavesOutWhatLiesBeforeItAndEndsWithTheBuffers) {
    Bench b;
    const std::vector<Buffer> list{piece(b, 0, 256), piece(b, 512, 0), piece(b, 1024, 512)};
    ASSERT_TRUE(b.map(Direction::write, list, 512, 256));
    ASSERT_EQ(b.mapping.elements().size(), 1u);
    EXPECT_EQ(FakeMemory::at(b.mapping.elements()[0].address), b.arena.data() + 1024);
    ASSERT_TRUE(b.map(Direction::write, list, 64, 704));
    EXPECT_EQ(FakeMemory::at(b.mapping.elements()[0].address), b.arena.data() + 1024 + 448);
    for (const std::uint32_t offset : {260u, 768u, 772u, 0xffff'fffcu})
        EXPECT_EQ(b.map(Direction::write, list, 512, offset).error().code, base::Code::out_of_range) << offset;
}

TEST(Mapping, DataThatIsNoMultipleOfTheEnginesWidthIsMisaligned) {
    Bench b;
    EXPECT_EQ(b.map(Direction::write, {piece(b, 0, 510)}, 510).error().code, base::Code::misaligned);
}

/// Any list of buffers, any offset: what DMA moves through the elements is what the client sees, and nothing beside it
/// changes.
TEST(MappingProperty, DataComesThroughAnyListOfBuffersAndNothingBesideItIsTouched) {
    EXPECT_TRUE(rc::check([] {
        const auto line = *rc::gen::element<std::size_t>(1, 32, 64);
        const auto alignment = *rc::gen::element<std::uint32_t>(1, 4, 8);
        const auto boundary = *rc::gen::element<std::uint64_t>(0, 256, 4096);
        Bench b(line, {.alignment = alignment,
                       .max_length = 8 * alignment * *rc::gen::inRange<std::uint32_t>(1, 50),
                       .max_elements = 64,
                       .boundary = boundary});
        const auto direction = *rc::gen::element(Direction::read, Direction::write);

        std::vector<Buffer> list;
        std::size_t at = *rc::gen::inRange<std::size_t>(0, 64);
        std::size_t total = 0;
        const auto pieces = *rc::gen::inRange(1, 8);
        for (int i = 0; i < pieces; ++i) {
            const auto size = *rc::gen::inRange<std::size_t>(0, 700);
            list.push_back(std::span(b.arena).subspan(at, size));
            at += size + *rc::gen::inRange<std::size_t>(0, 100);
            total += size;
        }
        const auto offset = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(total) + 1);
        const auto bytes = static_cast<std::uint32_t>((total - offset) & ~std::size_t{alignment - 1});
        RC_PRE(bytes > 0u);

        for (std::size_t i = 0; i < b.arena.size(); ++i) b.arena[i] = static_cast<std::byte>(i * 7 + i / 256);
        const auto before = b.arena;
        const auto mapped = b.map(direction, list, bytes, offset);
        RC_PRE(mapped.has_value()); // too many elements: refused as a whole

        // The stream as the client has it.
        std::vector<std::byte*> stream;
        for (const Buffer buffer : list)
            for (std::byte& byte : buffer) stream.push_back(&byte);
        stream = {stream.begin() + offset, stream.begin() + offset + bytes};

        std::size_t position = 0;
        for (const Element& e : b.mapping.elements()) {
            RC_ASSERT(e.length > 0u && e.length <= b.constraints.max_length);
            RC_ASSERT(e.address % alignment == 0 && e.length % alignment == 0);
            if (boundary != 0) RC_ASSERT(e.address / boundary == (e.address + e.length - 1) / boundary);
            for (std::uint32_t i = 0; i < e.length; ++i, ++position) {
                std::byte& byte = FakeMemory::at(e.address)[i];
                if (direction == Direction::write) {
                    RC_ASSERT(byte == *stream[position]);
                } else {
                    byte = static_cast<std::byte>(position * 13 + 5);
                }
            }
        }
        RC_ASSERT(position == bytes);
        b.mapping.unmap();
        if (direction == Direction::read) {
            for (std::size_t i = 0; i < bytes; ++i) RC_ASSERT(*stream[i] == static_cast<std::byte>(i * 13 + 5));
        }
        auto expected = before;
        if (direction == Direction::read) {
            for (std::size_t i = 0; i < bytes; ++i)
                expected[static_cast<std::size_t>(stream[i] - b.arena.data())] = *stream[i];
        }
        RC_ASSERT(b.arena == expected);
    }));
}

} // namespace
} // namespace mmcpipe::host::dma
