// The block device: requests of any size and shape, cut to what host, DMA and card carry.

#include "mmcpipe/block/device.h"

#include "mmcpipe/block/by_deadline.h"
#include "mmcpipe/block/cut.h"
#include "mmcpipe/block/fair.h"
#include "mmcpipe/block/fifo.h"
#include "mmcpipe/block/turns.h"
#include "rig_fixture.h"

#include <memory>
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
    EXPECT_EQ(next_piece(list, 0, 1024, {.max_blocks = 65535, .max_bytes = 1 << 24}).sectors, 1024u);
    EXPECT_EQ(next_piece(list, 0, 1024, {.max_blocks = 100, .max_bytes = 1 << 24}).sectors, 100u);
    EXPECT_EQ(next_piece(list, 0, 1024, {.max_blocks = 65535, .max_bytes = 65535}).sectors, 127u);
}

TEST(Cut, APieceHasAtMostTheElementsThatAListOfTheDmaHas) {
    std::vector<host::Buffer> list;
    for (std::size_t i = 0; i < 64; ++i) list.push_back(aligned().subspan(i * 4096, 1024));
    const host::Capabilities can{
        .max_blocks = 65535, .max_bytes = 1 << 24, .max_elements = 16, .element_alignment = 32};
    EXPECT_EQ(next_piece(list, 0, 128, can).sectors, 32u);
    EXPECT_EQ(next_piece(list, 60 * 1024, 8, can).sectors, 8u);
    EXPECT_EQ(next_piece(list, 512, 127, can).sectors, 31u);
}

TEST(Cut, ALongBufferTakesSeveralElements) {
    const std::array list{aligned().first(512 * 1024)};
    const host::Capabilities can{.max_blocks = 65535,
                                 .max_bytes = 1 << 24,
                                 .max_elements = 4,
                                 .max_element_bytes = 16380,
                                 .element_alignment = 4};
    EXPECT_EQ(next_piece(list, 0, 1024, can).sectors, 4u * 16380 / 512);
}

TEST(Cut, WhatLiesBesideTheAlignmentTakesElementsOfItsOwn) {
    std::vector<host::Buffer> list;
    for (std::size_t i = 0; i < 8; ++i) list.push_back(aligned().subspan(i * 4096 + 4, 512));
    const host::Capabilities can{.max_blocks = 65535, .max_bytes = 1 << 24, .max_elements = 6, .element_alignment = 32};
    EXPECT_EQ(next_piece(list, 0, 8, can).sectors, 2u); // head, middle and tail of each
}

TEST(Cut, APieceIsNeverEmpty) {
    std::vector<host::Buffer> list;
    for (std::size_t i = 0; i < 128; ++i) list.push_back(aligned().subspan(i * 64, 4));
    const host::Capabilities can{.max_blocks = 65535, .max_bytes = 1 << 24, .max_elements = 8, .element_alignment = 4};
    EXPECT_EQ(next_piece(list, 0, 1, can).sectors, 1u);
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
        block::Fifo fifo;
        block::AtOnce at_once;
        block::Device device(stack.card(), fifo, at_once, {.depth = std::get<2>(GetParam())});
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
            r.operation = block::Operation::write;
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
            r.operation = block::Operation::read;
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
        block::Fifo fifo;
        block::AtOnce at_once;
        block::Device device(stack.card(), fifo, at_once);
        device.submit(request);
        device.stop();
        EXPECT_TRUE(stack.run(device.run()));
        EXPECT_EQ(request.done_bytes, 64u * 1024);
        EXPECT_EQ(board.host_registers().accesses().fifo_words, by_hand);
    });
}

TEST(Device, RequestsThatFollowOneAnotherGoAsOneTransfer) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        block::Fifo fifo;
        block::AtOnce at_once;
        block::Device device(stack.card(), fifo, at_once);
        std::array<Counted, 6> requests;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            Counted& r = requests[i];
            r.operation = block::Operation::write;
            r.list = {board.memory().allocate(4096), board.memory().allocate(4096)};
            stamp(r.list[0], static_cast<std::uint32_t>(16 * i));
            stamp(r.list[1], static_cast<std::uint32_t>(16 * i + 8));
            r.buffers = r.list;
            r.sector = 16 * i;
            r.sectors = 16;
            r.done = [](block::Request& request) noexcept { ++static_cast<Counted&>(request).ended; };
            device.submit(r);
        }
        device.stop();
        const std::uint64_t before = board.faults().commands(25);
        EXPECT_TRUE(stack.run(device.run()));
        EXPECT_EQ(board.faults().commands(25) - before, 1u);
        for (const Counted& r : requests) EXPECT_EQ(r.done_bytes, 8192u);
        std::vector<std::byte> expected;
        for (const Counted& r : requests) {
            for (const host::Buffer b : r.list) expected.insert(expected.end(), b.begin(), b.end());
        }
        std::vector<std::byte> content(expected.size());
        board.card().content().read(0, content);
        EXPECT_TRUE(content == expected);
    });
}

TEST(Device, OfMergedRequestsThoseThatAreWholeEndWell) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        block::Fifo fifo;
        block::AtOnce at_once;
        block::Device device(stack.card(), fifo, at_once);
        std::array<Counted, 3> requests;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            Counted& r = requests[i];
            r.list = {board.memory().allocate(8192)};
            r.buffers = r.list;
            r.sector = 16 * i;
            r.sectors = 16;
            r.done = [](block::Request& request) noexcept { ++static_cast<Counted&>(request).ended; };
            device.submit(r);
        }
        device.stop();
        board.faults().plan({.kind = sim::wire::Fault::Kind::card_removed_at_block, .command = 18, .block = 25});
        EXPECT_TRUE(stack.run(device.run()));
        EXPECT_EQ(board.faults().happened(), 1u);
        for (const Counted& r : requests) EXPECT_EQ(r.ended, 1);
        EXPECT_FALSE(requests[0].failure);
        EXPECT_EQ(requests[0].done_bytes, 8192u);
        EXPECT_EQ(requests[1].failure->code, base::Code::removed);
        EXPECT_LT(requests[1].done_bytes, 8192u);
        EXPECT_EQ(requests[2].failure->code, base::Code::removed);
        EXPECT_EQ(requests[2].done_bytes, 0u);
    });
}

TEST(Device, DiscardedSectorsReadAsErasedAndOthersStay) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        block::Fifo fifo;
        block::AtOnce at_once;
        block::Device device(stack.card(), fifo, at_once);
        std::array<Counted, 4> requests;
        for (Counted& r : requests) {
            r.list = {board.memory().allocate(4096)};
            r.buffers = r.list;
            r.sectors = 8;
            r.done = [](block::Request& request) noexcept { ++static_cast<Counted&>(request).ended; };
        }
        std::ranges::fill(requests[0].list[0], std::byte{0x5a});
        requests[0].operation = block::Operation::write;
        requests[1].operation = block::Operation::discard;
        requests[1].sector = 2;
        requests[1].sectors = 4;
        requests[3].operation = block::Operation::flush;
        for (Counted& r : requests) device.submit(r); // all at once: they keep their order
        device.stop();
        EXPECT_TRUE(stack.run(device.run()));
        for (const Counted& r : requests) {
            EXPECT_EQ(r.ended, 1);
            EXPECT_FALSE(r.failure);
        }
        const host::Buffer read = requests[2].list[0];
        EXPECT_EQ(read[2 * 512 - 1], std::byte{0x5a});
        EXPECT_NE(read[2 * 512], std::byte{0x5a});
        EXPECT_NE(read[6 * 512 - 1], std::byte{0x5a});
        EXPECT_EQ(read[6 * 512], std::byte{0x5a});
    });
}

TEST(Device, StatisticsSayWhatWasDoneAndWhereTheTimeWent) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        block::Fifo fifo;
        block::AtOnce at_once;
        const auto kept = std::make_unique<block::Statistics>(); // too large for the stack of a simulated thread
        block::Statistics& statistics = *kept;
        block::Device device(stack.card(), fifo, at_once, {.most_sectors = 128, .statistics = &statistics});
        std::array<Counted, 5> requests;
        const std::array<std::uint64_t, 5> sectors{0, 16, 1000, 5000, 9000};
        const std::array<std::uint32_t, 5> sizes{16, 16, 8, 256, 8};
        for (std::size_t i = 0; i < requests.size(); ++i) {
            Counted& r = requests[i];
            r.list = {board.memory().allocate(sizes[i] * 512)};
            r.buffers = r.list;
            r.sector = sectors[i];
            r.sectors = sizes[i];
            r.done = [](block::Request& request) noexcept { ++static_cast<Counted&>(request).ended; };
            device.submit(r);
        }
        board.faults().plan({.kind = sim::wire::Fault::Kind::block_damaged, .command = 18, .occurrence = 2});
        device.stop();
        EXPECT_TRUE(stack.run(device.run()));

        const block::Statistics::Way& reads = statistics.of(host::Direction::read);
        EXPECT_EQ(reads.requests, 5u);
        EXPECT_EQ(reads.sectors, 16u + 16 + 8 + 256 + 8);
        EXPECT_EQ(reads.failures, 0u);
        EXPECT_EQ(reads.transfers, 5u); // two merged to one, one cut to two
        EXPECT_EQ(reads.merged, 1u);
        EXPECT_EQ(reads.resent, 1u);
        EXPECT_EQ(reads.latency.count(), 5u);
        EXPECT_EQ(statistics.of(host::Direction::write).requests, 0u);
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < block::phases; ++i) {
            const base::Histogram& spent = reads.spent[i];
            EXPECT_LE(spent.max(), reads.latency.max()) << name(static_cast<block::Phase>(i));
            if (static_cast<block::Phase>(i) != block::Phase::waiting) total += spent.sum();
        }
        const auto of = [&](block::Phase phase) { return reads.spent[static_cast<std::size_t>(phase)]; };
        EXPECT_EQ(of(block::Phase::waiting).count(), 5u);
        EXPECT_EQ(of(block::Phase::settling).count(), 5u);
        EXPECT_EQ(of(block::Phase::finishing).count(), 5u);
        // The data takes the most, and no less than the bus allows: 304 sectors on 8 lines at 52 MHz.
        EXPECT_GT(of(block::Phase::data).sum() * 2, total);
        EXPECT_GT(of(block::Phase::data).sum(), 304u * 512 * 1000 / 52);
    });
}

/// Sends the same request again and again.
struct Saturating : block::Request {
    block::Device* device = nullptr;
    unsigned left = 0;
};

base::Task<base::Result<void>> ask_status(block::Device& device, card::Card& card, unsigned times) {
    block::Arbiter::Claim claim(card.executor());
    for (unsigned i = 0; i < times; ++i) {
        co_await device.arbiter().claim(claim);
        const auto status = co_await base::outcome(card.link().status());
        device.arbiter().release(claim);
        if (!status) co_return base::fail(status.error());
    }
    co_return {};
}

TEST(Arbiter, ASecondClientGetsTheBusWithinALeaseUnderASaturatedQueue) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        block::Fifo fifo;
        block::AtOnce at_once;
        block::Device device(stack.card(), fifo, at_once, {.merge = false, .lease = base::milliseconds(20)});
        auto running = device.run();
        running.start();
        const host::Buffer buffer = board.memory().allocate(64 * 1024);
        std::array<Saturating, 8> requests;
        for (Saturating& r : requests) {
            r.device = &device;
            r.left = 100;
            r.buffers = {&buffer, 1};
            r.sectors = 128;
            r.done = [](block::Request& request) noexcept {
                Saturating& it = static_cast<Saturating&>(request);
                if (--it.left != 0) it.device->submit(it);
            };
            device.submit(r);
        }
        const base::Instant began = stack.executor().now();
        EXPECT_TRUE(stack.run(ask_status(device, stack.card(), 10)));
        const base::Duration took = stack.executor().now() - began;
        // A lease, and what is under way at its end: two transfers of about 4 ms.
        EXPECT_LT(took, base::milliseconds(10 * (20 + 10)));
        EXPECT_GT(took, base::milliseconds(9 * 20)); // and the queue got its lease between
        EXPECT_GT(requests[0].left, 0u);
        device.stop();
        stack.executor().run_until([&] { return running.done(); });
        for (const Saturating& r : requests) EXPECT_EQ(r.left, 0u);
    });
}

TEST(Arbiter, AnIdleBusIsGrantedAtOnce) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        block::Fifo fifo;
        block::AtOnce at_once;
        block::Device device(stack.card(), fifo, at_once);
        auto running = device.run();
        running.start();
        const base::Instant began = stack.executor().now();
        EXPECT_TRUE(stack.run(ask_status(device, stack.card(), 3)));
        EXPECT_LT(stack.executor().now() - began, base::milliseconds(1));
        device.stop();
        stack.executor().run_until([&] { return running.done(); });
    });
}

base::Task<base::Result<void>> pause(card::Card& card, base::Duration length) {
    co_await base::Sleep(card.executor(), length);
    co_return {};
}

struct Mixed : Counted {
    std::vector<std::byte> expected{}; ///< of a read
};

// Random requests over a few sectors, all under way at once: as if each had been carried out when it was submitted.
template <class S>
void behaves_as_if_in_order(unsigned seed) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        S scheduler;
        block::AtOnce at_once;
        block::Device device(stack.card(), scheduler, at_once, {.most_sectors = 24});
        auto running = device.run();
        running.start();

        std::mt19937 random(seed);
        constexpr std::size_t sectors = 96;
        std::vector<std::byte> model(sectors * 512);
        board.card().content().read(0, model);
        std::array<Mixed, 60> requests;
        for (Mixed& r : requests) {
            r.operation = random() % 2 == 0 ? block::Operation::read : block::Operation::write;
            r.sector = random() % (sectors - 40) / 4 * 4;
            r.sectors = 4 * (1 + random() % 10);
            r.stream = static_cast<std::uint16_t>(random() % 3);
            r.list = {board.memory().allocate(r.sectors * 512)};
            r.buffers = r.list;
            r.done = [](block::Request& request) noexcept { ++static_cast<Counted&>(request).ended; };
            const auto part = std::span(model).subspan(r.sector * 512, r.sectors * 512);
            if (r.operation == block::Operation::write) {
                std::ranges::generate(r.list[0], [&] { return static_cast<std::byte>(random()); });
                std::ranges::copy(r.list[0], part.begin());
            } else {
                r.expected.assign(part.begin(), part.end());
            }
            device.submit(r);
            if (random() % 3 != 0) continue;
            EXPECT_TRUE(stack.run(pause(stack.card(), base::microseconds(random() % 3000))));
        }
        device.stop();
        stack.executor().run_until([&] { return running.done(); });
        for (std::size_t i = 0; i < requests.size(); ++i) {
            EXPECT_EQ(requests[i].ended, 1);
            EXPECT_FALSE(requests[i].failure);
            if (requests[i].operation != block::Operation::read) continue;
            EXPECT_TRUE(std::ranges::equal(requests[i].list[0], requests[i].expected)) << "request " << i;
        }
        std::vector<std::byte> content(model.size());
        board.card().content().read(0, content);
        EXPECT_TRUE(content == model);
    });
}

TEST(DeviceProperty, OverlappingRequestsBehaveAsIfCarriedOutInOrder) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        behaves_as_if_in_order<block::Fifo>(seed);
        behaves_as_if_in_order<block::ByDeadline>(seed);
        behaves_as_if_in_order<block::Fair>(seed);
        behaves_as_if_in_order<block::Turns>(seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Pl18x, DeviceTest,
                         testing::Combine(testing::Values("pl080s", "pl080", "none"),
                                          testing::Values("ux500-emmc", "sdsc-2gb"),
                                          testing::Values(block::Depth::blocking, block::Depth::non_blocking)));

} // namespace
} // namespace mmcpipe::rig
