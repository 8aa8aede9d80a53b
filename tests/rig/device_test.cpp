// The block device: requests of any size and shape, cut to what host, DMA and card carry.

#include "mmcpipe/block/device.h"

#include "mmcpipe/block/cut.h"
#include "rig_fixture.h"

#include <random>

namespace mmcpipe::rig {
namespace {

using block::next_piece;

std::vector<std::byte> memory(1u << 20);

/// Aligned like the memory.
std::span<std::byte> aligned() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return std::span(memory).subspan(4096 - address % 4096);
}

TEST(Cut, APieceIsAtMostWhatTheHostTakesInOneRequest) {
    const host::Buffer buffer = aligned().first(512 * 1024);
    const std::array list{buffer};
    EXPECT_EQ(next_piece(list, 0, 1024, {.max_blocks = 65535, .max_bytes = 1 << 24}), 1024u);
    EXPECT_EQ(next_piece(list, 0, 1024, {.max_blocks = 100, .max_bytes = 1 << 24}), 100u);
    EXPECT_EQ(next_piece(list, 0, 1024, {.max_blocks = 65535, .max_bytes = 65535}), 127u);
}

TEST(Cut, APieceHasAtMostTheElementsThatAListOfTheDmaHas) {
    std::vector<host::Buffer> list;
    for (std::size_t i = 0; i < 64; ++i) list.push_back(aligned().subspan(i * 4096, 1024));
    const host::Capabilities can{
        .max_blocks = 65535, .max_bytes = 1 << 24, .max_elements = 16, .element_alignment = 32};
    EXPECT_EQ(next_piece(list, 0, 128, can), 32u);
    EXPECT_EQ(next_piece(list, 60 * 1024, 8, can), 8u);
    EXPECT_EQ(next_piece(list, 512, 127, can), 31u);
}

TEST(Cut, ALongBufferTakesSeveralElements) {
    const std::array list{aligned().first(512 * 1024)};
    const host::Capabilities can{.max_blocks = 65535,
                                 .max_bytes = 1 << 24,
                                 .max_elements = 4,
                                 .max_element_bytes = 16380,
                                 .element_alignment = 4};
    EXPECT_EQ(next_piece(list, 0, 1024, can), 4u * 16380 / 512);
}

TEST(Cut, WhatLiesBesideTheAlignmentTakesElementsOfItsOwn) {
    std::vector<host::Buffer> list;
    for (std::size_t i = 0; i < 8; ++i) list.push_back(aligned().subspan(i * 4096 + 4, 512));
    const host::Capabilities can{.max_blocks = 65535, .max_bytes = 1 << 24, .max_elements = 6, .element_alignment = 32};
    EXPECT_EQ(next_piece(list, 0, 8, can), 2u); // head, middle and tail of each
}

TEST(Cut, APieceIsNeverEmpty) {
    std::vector<host::Buffer> list;
    for (std::size_t i = 0; i < 128; ++i) list.push_back(aligned().subspan(i * 64, 4));
    const host::Capabilities can{.max_blocks = 65535, .max_bytes = 1 << 24, .max_elements = 8, .element_alignment = 4};
    EXPECT_EQ(next_piece(list, 0, 1, can), 1u);
}

struct Counted : block::Request {
    int ended = 0;
    std::vector<host::Buffer> list;
};

class DeviceTest : public testing::TestWithParam<std::tuple<const char*, const char*, block::Depth>> {
protected:
    SimulatedBoard board{platform("ux500", {{"dma", std::get<0>(GetParam())}, {"dma_max_elements", "8"}}),
                         card_profile(std::get<1>(GetParam()))};

    /// Submits all at once, and runs the device to their end.
    void process(Stack& stack, std::span<Counted> requests) {
        block::Device device(stack.card(), std::get<2>(GetParam()), card::Bounding::open_ended);
        auto running = device.run();
        running.start();
        for (Counted& r : requests) {
            r.buffers = r.list;
            r.done = [](block::Request& request) noexcept { ++static_cast<Counted&>(request).ended; };
            device.submit(r);
        }
        device.stop();
        stack.executor().run_until([&] { return running.done(); });
        EXPECT_TRUE(running.take());
    }
};

TEST_P(DeviceTest, RequestsOfAnySizeOverAnyListOfBuffersArriveWhole) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::mt19937 random(7);
        constexpr std::size_t each = 96 * 1024;
        std::array<Counted, 12> requests;
        std::vector<std::vector<std::byte>> sent;
        std::uint64_t sector = 1000;
        for (Counted& r : requests) {
            r.direction = host::Direction::write;
            r.sector = sector;
            r.sectors = 1 + random() % 160;
            sector += r.sectors;
            const std::span<std::byte> all = board.memory().allocate(each);
            std::vector<std::byte> content(r.sectors * 512);
            stamp(content, static_cast<std::uint32_t>(r.sector));
            std::size_t at = 0;
            std::size_t gap = 0;
            while (at != content.size()) { // pieces of any length, at any address
                const std::size_t length =
                    std::min<std::size_t>(content.size() - at, 1 + random() % (random() % 4 == 0 ? 70 : 20'000));
                const host::Buffer piece = all.subspan(at + gap, length);
                std::ranges::copy(std::span(content).subspan(at, length), piece.begin());
                r.list.push_back(piece);
                at += length;
                if (gap < each - content.size() - 40) gap += random() % 40;
            }
            sent.push_back(std::move(content));
        }
        process(stack, requests);
        for (Counted& r : requests) {
            EXPECT_EQ(r.ended, 1);
            EXPECT_FALSE(r.failure);
            EXPECT_EQ(r.done_bytes, r.sectors * 512u);
            for (const host::Buffer b : r.list) std::ranges::fill(b, std::byte{0});
            r.direction = host::Direction::read;
            r.ended = 0;
        }
        process(stack, requests);
        for (std::size_t i = 0; i < requests.size(); ++i) {
            std::vector<std::byte> came;
            for (const host::Buffer b : requests[i].list) came.insert(came.end(), b.begin(), b.end());
            EXPECT_EQ(requests[i].ended, 1);
            EXPECT_FALSE(requests[i].failure);
            EXPECT_TRUE(std::ranges::equal(came, sent[i])) << "request " << i;
        }
    });
}

TEST_P(DeviceTest, ARequestThatCannotBeIsRefusedAtOnce) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const std::uint64_t end = stack.card().properties().capacity.sectors();
        const host::Buffer buffer = board.memory().allocate(1024);
        std::array<Counted, 4> requests;
        for (Counted& r : requests) r.list = {buffer};
        requests[0].sectors = 0;
        requests[1].sector = end - 1;
        requests[1].sectors = 2;
        requests[2].sector = UINT64_MAX;
        requests[2].sectors = 1;
        requests[3].sectors = 3; // more than the buffers hold
        process(stack, requests);
        for (const Counted& r : requests) {
            EXPECT_EQ(r.ended, 1);
            EXPECT_EQ(r.failure, base::Error(base::Code::out_of_range));
            EXPECT_EQ(r.done_bytes, 0u);
        }
    });
}

TEST_P(DeviceTest, ARequestThatFailsReportsWhatIsDoneAndTheNextOnesGoOn) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Counted, 2> requests;
        for (Counted& r : requests) {
            for (int i = 0; i < 32; ++i) r.list.push_back(board.memory().allocate(1024, 64));
            r.sectors = 64;
            r.sector = 2048;
        }
        // The card goes with the third transfer, if there are as many.
        board.faults().plan({.kind = sim::wire::Fault::Kind::card_removed, .command = 18, .occurrence = 3});
        process(stack, requests);
        EXPECT_EQ(requests[0].ended, 1);
        EXPECT_EQ(requests[1].ended, 1);
        for (const Counted& r : requests) {
            EXPECT_TRUE(r.failure ? r.done_bytes < 64u * 512 : r.done_bytes == 64u * 512);
            EXPECT_EQ(r.done_bytes % 512, 0u);
            if (r.failure) {
                EXPECT_EQ(r.failure->code, base::Code::removed);
            }
        }
        EXPECT_TRUE(requests[1].failure || board.faults().happened() == 0);
    });
}

TEST(Device, AListOfMoreElementsThanTheDmaTakesIsCutAndDoesNotGoByPio) {
    SimulatedBoard board(platform("ux500", {{"dma_max_elements", "8"}}), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        Counted request;
        for (int i = 0; i < 64; ++i) request.list.push_back(board.memory().allocate(1024, 64));
        request.buffers = request.list;
        request.sectors = 128;
        request.done = [](block::Request& r) noexcept { ++static_cast<Counted&>(r).ended; };
        const std::uint64_t by_hand = board.host_registers().accesses().fifo_words;
        block::Device device(stack.card(), block::Depth::non_blocking, card::Bounding::open_ended);
        device.submit(request);
        device.stop();
        EXPECT_TRUE(stack.run(device.run()));
        EXPECT_EQ(request.done_bytes, 64u * 1024);
        EXPECT_EQ(board.host_registers().accesses().fifo_words, by_hand);
    });
}

INSTANTIATE_TEST_SUITE_P(Pl18x, DeviceTest,
                         testing::Combine(testing::Values("pl080s", "pl080", "none"),
                                          testing::Values("ux500-emmc", "sdsc-2gb"),
                                          testing::Values(block::Depth::blocking, block::Depth::non_blocking)));

} // namespace
} // namespace mmcpipe::rig
