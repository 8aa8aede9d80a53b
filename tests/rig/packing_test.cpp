// Packed commands below the block device: which requests go together, and what becomes of them when an entry fails.

#include "mmcpipe/block/device.h"
#include "mmcpipe/block/fifo.h"
#include "mmcpipe/block/turns.h"
#include "rig_fixture.h"

#include <array>
#include <random>
#include <vector>

namespace mmcpipe::rig {
namespace {

using block::Operation;
using sim::wire::Fault;

struct Packed : block::Request {
    int ended = 0;
    host::Buffer buffer{};
};

class PackingTest : public testing::Test {
protected:
    SimulatedBoard board{platform("ux500"), card_profile("emmc45-16gb")};
    block::Fifo fifo;
    block::AtOnce at_once;

    /// Requests of 4 KiB, none of which follows on another.
    template <std::size_t n>
    void scatter(std::array<Packed, n>& requests, Operation operation) {
        for (std::size_t i = 0; i < n; ++i) {
            Packed& r = requests[i];
            r.operation = operation;
            r.sector = 4096 + i * 64;
            r.sectors = 8;
            r.buffer = board.memory().allocate(4096);
            r.buffers = {&r.buffer, 1};
            r.done = [](block::Request& request) noexcept { ++static_cast<Packed&>(request).ended; };
            if (operation == Operation::write) {
                stamp(r.buffer, static_cast<std::uint32_t>(r.sector));
            } else {
                std::vector<std::byte> content(4096);
                stamp(content, static_cast<std::uint32_t>(r.sector));
                board.card().content().write(r.sector * 512, content);
            }
        }
    }

    /// All at once, to their end.
    template <std::size_t n>
    void process(Stack& stack, std::array<Packed, n>& requests, block::Packing packing) {
        block::Device device(stack.card(), fifo, at_once, {.packing = packing});
        for (Packed& r : requests) device.submit(r);
        device.stop();
        EXPECT_TRUE(stack.run(device.run()));
        for (const Packed& r : requests) EXPECT_EQ(r.ended, 1);
    }

    /// What the card holds where a request was written.
    bool holds(const Packed& r) {
        std::vector<std::byte> content(r.buffer.size());
        board.card().content().read(r.sector * 512, content);
        return std::ranges::equal(content, r.buffer);
    }
};

TEST_F(PackingTest, ScatteredWritesGoAsOneCommand) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Packed, 12> requests;
        scatter(requests, Operation::write);
        const std::uint64_t before = board.faults().commands(25);
        process(stack, requests, block::packing::write);
        EXPECT_EQ(board.faults().commands(25) - before, 1u);
        for (const Packed& r : requests) {
            EXPECT_FALSE(r.failure);
            EXPECT_EQ(r.done_bytes, 4096u);
            EXPECT_TRUE(holds(r));
        }
    });
}

TEST_F(PackingTest, ScatteredReadsGoAsOneCommandBehindItsHeader) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Packed, 12> requests;
        scatter(requests, Operation::read);
        const std::uint64_t headers = board.faults().commands(25);
        const std::uint64_t reads = board.faults().commands(18);
        process(stack, requests, block::packing::read);
        EXPECT_EQ(board.faults().commands(25) - headers, 1u);
        EXPECT_EQ(board.faults().commands(18) - reads, 1u);
        for (const Packed& r : requests) {
            EXPECT_FALSE(r.failure);
            EXPECT_TRUE(holds(r));
        }
    });
}

TEST_F(PackingTest, AWriteAmongReadsIsNotPackedWithThem) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Packed, 5> requests;
        scatter(requests, Operation::read);
        requests[2].operation = Operation::write;
        process(stack, requests, block::packing::both);
        for (const Packed& r : requests) {
            EXPECT_FALSE(r.failure);
            EXPECT_TRUE(holds(r));
        }
    });
}

TEST_F(PackingTest, AnEntryThatFailsIsSentAgainAloneAndSoAreThoseBehindIt) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Packed, 6> requests;
        scatter(requests, Operation::write);
        board.faults().plan({.kind = Fault::Kind::packed_entry_fails, .command = 25, .entry = 3});
        const std::uint64_t before = board.faults().commands(25);
        process(stack, requests, block::packing::write);
        EXPECT_EQ(board.faults().happened(), 1u);
        EXPECT_EQ(board.faults().commands(25) - before, 1u + 4);
        for (const Packed& r : requests) {
            EXPECT_FALSE(r.failure);
            EXPECT_EQ(r.done_bytes, 4096u);
            EXPECT_TRUE(holds(r));
        }
    });
}

TEST_F(PackingTest, AfterAnErrorOfTheBusNothingOfAPackIsTakenForDone) {
    for (const Fault::Kind kind : {Fault::Kind::block_damaged, Fault::Kind::response_lost, Fault::Kind::block_lost}) {
        board.faults().clear();
        board.run([&](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            std::array<Packed, 6> requests;
            scatter(requests, Operation::write);
            board.faults().plan({.kind = kind, .command = 25, .block = 20});
            const std::uint64_t before = board.faults().commands(25);
            process(stack, requests, block::packing::write);
            EXPECT_EQ(board.faults().happened(), 1u);
            EXPECT_EQ(board.faults().commands(25) - before, 1u + 6);
            for (const Packed& r : requests) {
                EXPECT_FALSE(r.failure);
                EXPECT_TRUE(holds(r));
            }
        });
    }
}

TEST_F(PackingTest, WhatOverlapsAnEntryThatFailedDoesNotOvertakeIt) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Packed, 6> requests;
        scatter(requests, Operation::write);
        requests[5].sector = requests[1].sector + 4;
        board.faults().plan({.kind = Fault::Kind::packed_entry_fails, .command = 25, .entry = 2});
        process(stack, requests, block::packing::write);
        EXPECT_EQ(board.faults().happened(), 1u);
        EXPECT_TRUE(holds(requests[5]));
        std::vector<std::byte> content(2048);
        board.card().content().read(requests[1].sector * 512, content);
        EXPECT_TRUE(std::ranges::equal(content, requests[1].buffer.first(2048)));
    });
}

TEST_F(PackingTest, ACardThatIsGoneEndsEveryEntryOnce) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Packed, 6> requests;
        scatter(requests, Operation::write);
        board.faults().plan({.kind = Fault::Kind::card_removed_at_block, .command = 25, .block = 20});
        process(stack, requests, block::packing::write);
        for (const Packed& r : requests) {
            ASSERT_TRUE(r.failure);
            EXPECT_EQ(r.failure->code, base::Code::removed);
            EXPECT_EQ(r.done_bytes, 0u);
        }
    });
}

TEST_F(PackingTest, WritesThatFollowOneAnotherAreMergedAndNotPacked) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        std::array<Packed, 8> requests;
        scatter(requests, Operation::write);
        for (std::size_t i = 1; i < requests.size(); ++i) requests[i].sector = requests[i - 1].end();
        const std::uint64_t before = board.faults().commands(23);
        process(stack, requests, block::packing::write);
        EXPECT_EQ(board.faults().commands(23), before);
        for (const Packed& r : requests) EXPECT_TRUE(holds(r));
    });
}

// A pack ends when the time that the scheduler gives it is used up.
TEST_F(PackingTest, WithReadersAPackIsAsLongAsTheTurnOfWrites) {
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        block::Turns turns({.write_within = base::milliseconds(1), .write_turn = base::milliseconds(1)});
        block::Device device(stack.card(), turns, at_once, {.packing = block::packing::adaptive});
        auto running = device.run();
        running.start();
        std::array<Packed, 40> writes;
        scatter(writes, Operation::write);
        for (Packed& r : writes) device.submit(r);
        stack.executor().run_until([&] { return std::ranges::all_of(writes, [](auto& r) { return r.ended == 1; }); });

        std::array<Packed, 2> reads;
        scatter(reads, Operation::read);
        for (Packed& r : reads) r.sector += 1 << 20;
        for (Packed& r : reads) device.submit(r);
        for (Packed& r : writes) device.submit(r);
        const std::uint64_t before = board.faults().commands(25);
        device.stop();
        stack.executor().run_until([&] { return running.done(); });
        for (const Packed& r : writes) EXPECT_EQ(r.ended, 2);
        EXPECT_GT(board.faults().commands(25) - before, 2u);
    });
}

struct Mixed : Packed {
    std::vector<std::byte> expected{};
};

// Random requests, packed as greedily as can be, with entries that fail: as if carried out one after another.
TEST_F(PackingTest, PackedRequestsBehaveAsIfCarriedOutInOrder) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
        board.faults().clear();
        const std::size_t allocated = board.memory().allocated();
        board.run([&](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            std::mt19937 random(seed);
            constexpr std::size_t sectors = 256;
            std::vector<std::byte> model(sectors * 512);
            board.card().content().read(0, model);
            std::array<Mixed, 80> requests;
            block::Device device(stack.card(), fifo, at_once, {.packing = block::packing::both});
            if (seed % 2 == 0)
                board.faults().plan({.kind = Fault::Kind::packed_entry_fails, .command = 25, .times = 4, .entry = 2});
            for (Mixed& r : requests) {
                r.operation = random() % 3 == 0 ? Operation::read : Operation::write;
                r.sector = random() % (sectors - 10);
                r.sectors = 1 + random() % 8;
                r.buffer = board.memory().allocate(r.sectors * 512);
                r.buffers = {&r.buffer, 1};
                r.done = [](block::Request& request) noexcept { ++static_cast<Packed&>(request).ended; };
                const auto part = std::span(model).subspan(r.sector * 512, r.sectors * 512);
                if (r.operation == Operation::write) {
                    std::ranges::generate(r.buffer, [&] { return static_cast<std::byte>(random()); });
                    std::ranges::copy(r.buffer, part.begin());
                } else {
                    r.expected.assign(part.begin(), part.end());
                }
                device.submit(r);
            }
            device.stop();
            EXPECT_TRUE(stack.run(device.run()));
            for (const Mixed& r : requests) {
                EXPECT_EQ(r.ended, 1);
                EXPECT_FALSE(r.failure);
                if (r.operation == Operation::read) {
                    EXPECT_TRUE(std::ranges::equal(r.buffer, r.expected));
                }
            }
            std::vector<std::byte> content(model.size());
            board.card().content().read(0, content);
            EXPECT_TRUE(content == model);
        });
        board.memory().release_to(allocated);
    }
}

} // namespace
} // namespace mmcpipe::rig
