// What a driver owes to caches that are not coherent with DMA. Each of these tests fails when the call that it is named
// after is taken out of the driver.

#include "rig_fixture.h"

namespace mmcpipe::rig {
namespace {

struct CoherencyTest : testing::Test {
    SimulatedBoard board{platform("ux500"), card_profile("ux500-emmc")};

    /// Brings the card up, and calls `body` with a buffer of 64 KiB.
    void run(const std::function<void(Stack&, host::Buffer)>& body) {
        board.run([&](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            body(stack, board.memory().allocate(65536));
        });
    }
    void put_on_card(std::uint64_t sector, std::uint32_t seed, std::size_t bytes = 65536) {
        std::vector<std::byte> content(bytes);
        stamp(content, seed);
        for (std::size_t at = 0; at < bytes; at += sim::page_size) {
            board.card().content().write(sector * 512 + at,
                                         sim::chunk_of(std::span(content).subspan(at, sim::page_size)));
        }
    }
};

TEST_F(CoherencyTest, InvalidateAtPrepareKeepsDirtyLinesFromBeingEvictedOverWhatARead) {
    run([&](Stack& stack, host::Buffer buffer) {
        put_on_card(4096, 1);
        stamp(buffer, 2); // the CPU leaves dirty lines behind
        EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{buffer}));
        EXPECT_TRUE(has_stamp(buffer, 1));
        EXPECT_EQ(board.memory().counters().lines_evicted, 0u);
    });
}

TEST_F(CoherencyTest, InvalidateAtFinishShowsTheCpuWhatAReadHasBrought) {
    run([&](Stack& stack, host::Buffer buffer) {
        put_on_card(4096, 1);
        EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{buffer}));
        EXPECT_TRUE(has_stamp(buffer, 1));
    });
}

TEST_F(CoherencyTest, CleanAtPrepareBringsAWriteToWhereDmaSeesIt) {
    run([&](Stack& stack, host::Buffer buffer) {
        stamp(buffer, 3);
        EXPECT_FALSE(transfer(stack, host::Direction::write, 4096, std::array{buffer}));
        std::vector<std::byte> expected(4096);
        stamp(expected, 3);
        EXPECT_TRUE(std::ranges::equal(sim::bytes(board.card().content().read(4096 * 512, 4096)), expected));
    });
}

TEST_F(CoherencyTest, BarrierBeforeTheDoorbellCompletesTheCleaningOfAWrite) {
    run([&](Stack& stack, host::Buffer buffer) {
        for (std::uint32_t seed = 10; seed < 14;
             ++seed) { // the second time the lines are in DRAM already, with older data
            stamp(buffer, seed);
            EXPECT_FALSE(transfer(stack, host::Direction::write, 4096, std::array{buffer}));
            host::Buffer back = board.memory().allocate(65536);
            EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{back}));
            EXPECT_TRUE(has_stamp(back, seed));
        }
    });
}

TEST_F(CoherencyTest, PublishBeforeTheDoorbellShowsTheEngineItsDescriptors) {
    run([&](Stack& stack, host::Buffer buffer) {
        // Two lists of different elements: the engine must not find the older one, nor rubbish.
        for (const std::size_t element : {std::size_t{4096}, std::size_t{1024}, std::size_t{8192}}) {
            std::vector<host::Buffer> list;
            for (std::size_t at = 65536; at != 0; at -= element) list.push_back(buffer.subspan(at - element, element));
            stamp(buffer, static_cast<std::uint32_t>(element));
            EXPECT_FALSE(transfer(stack, host::Direction::write, 4096, list));
            std::memset(buffer.data(), 0, buffer.size());
            EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, list));
            EXPECT_TRUE(has_stamp(buffer, static_cast<std::uint32_t>(element)));
        }
    });
}

TEST_F(CoherencyTest, FinishIsCalledBeforeTheClientHearsOfTheEnd) {
    run([&](Stack& stack, host::Buffer buffer) {
        put_on_card(4096, 1);
        put_on_card(4096 + 64, 2);
        std::array<block::Transfer, 2> transfers;
        std::array<host::Buffer, 2> halves{buffer.first(32768), buffer.last(32768)};
        for (std::size_t i = 0; i < 2; ++i) {
            transfers[i].wanted = {host::Direction::read,   card::Bounding::open_ended, 4096 + 64 * i, 64, 512,
                                   std::span(&halves[i], 1)};
        }
        struct Checked final : block::Source {
            block::Transfer* next() noexcept override { return given < 2 ? &(*list)[given++] : nullptr; }
            void over(block::Transfer& t) noexcept override {
                const auto i = static_cast<std::uint32_t>(&t - list->data());
                right += has_stamp(t.wanted.buffers[0], 1 + i) ? 1 : 0;
                if (++ended == 2) pipeline->stop();
            }
            std::array<block::Transfer, 2>* list = nullptr;
            block::Pipeline* pipeline = nullptr;
            unsigned given = 0;
            unsigned ended = 0;
            int right = 0;
        } source;
        block::Pipeline pipeline(stack.card(), source, block::Depth::non_blocking);
        source.list = &transfers;
        source.pipeline = &pipeline;
        EXPECT_TRUE(stack.run(pipeline.run()));
        EXPECT_EQ(source.right, 2);
    });
}

TEST_F(CoherencyTest, NeighboursOfAnUnalignedBufferKeepWhatTheCpuWritesThereMeanwhile) {
    run([&](Stack& stack, host::Buffer buffer) {
        put_on_card(4096, 1, 4096);
        stamp(buffer, 9);
        const host::Buffer middle = buffer.subspan(100, 4096);
        EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{middle}));
        EXPECT_TRUE(has_stamp(middle, 1));
        std::vector<std::byte> around(buffer.size());
        stamp(around, 9);
        EXPECT_TRUE(std::ranges::equal(buffer.first(100), std::span(around).first(100)));
        EXPECT_TRUE(std::ranges::equal(buffer.subspan(4196), std::span(around).subspan(4196)));
    });
}

} // namespace
} // namespace mmcpipe::rig
