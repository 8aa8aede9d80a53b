// Programmed I/O by a cell that cannot stop the card's clock: a CPU that comes too late loses data, and is told so.

#include "rig_fixture.h"

namespace mmcpipe::rig {
namespace {

using sim::wire::Fault;

constexpr std::uint64_t sector = 4096;
constexpr std::size_t size = 4096;

struct FifoTest : testing::Test {
    FifoTest()
        : board(platform("ux500", {{"cell", "arm_pl181"}, {"dma", "none"}, {"bus_width", "1"}}),
                card_profile("sdhc-16gb")) {}

    /// Brings the card up, and writes what has the stamp 1.
    void run(const std::function<void(Stack&)>& body) {
        board.run([&](Stack& stack) {
            buffer = board.memory().allocate(size);
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            stamp(buffer, 1);
            ASSERT_FALSE(transfer(stack, host::Direction::write, sector, std::array{buffer}));
            body(stack);
        });
    }

    /// The n-th interrupt of the data comes so late that the FIFO, 64 bytes or 20 us of one line, runs over or dry.
    void hold_off(std::uint8_t command, std::uint32_t nth) {
        board.faults().plan({.kind = Fault::Kind::interrupt_late,
                             .command = command,
                             .occurrence = nth,
                             .length = sim::microseconds(100)});
    }

    /// One request as it is, without recovery.
    void one_request(Stack& stack, host::Transaction& request, host::Direction direction) {
        const card::Transfer wanted{direction, card::Bounding::open_ended, sector, size / 512, 512, {&buffer, 1}};
        ASSERT_TRUE(stack.card().fill(request, wanted));
        (void)stack.run(host::transact(stack.host(), request));
        ASSERT_TRUE(request.error);
        const auto verdict = stack.run(stack.card().recover(request, *request.error, 1));
        ASSERT_TRUE(verdict);
        EXPECT_TRUE(verdict->retry);
    }

    void expect_it_works(Stack& stack) {
        stamp(buffer, 3);
        EXPECT_FALSE(transfer(stack, host::Direction::write, sector, std::array{buffer}));
        std::ranges::fill(buffer, std::byte{0});
        EXPECT_FALSE(transfer(stack, host::Direction::read, sector, std::array{buffer}));
        EXPECT_TRUE(has_stamp(buffer, 3));
    }

    SimulatedBoard board;
    host::Buffer buffer;
};

TEST_F(FifoTest, AReadThatTheCpuDoesNotFetchInTimeIsAnOverrunWithTheBlocksBeforeItDone) {
    run([&](Stack& stack) {
        for (const std::uint32_t late : {1u, 2u, 16u, 17u, 40u, 100u}) {
            SCOPED_TRACE(late);
            host::Transaction request(stack.executor());
            std::ranges::fill(buffer, std::byte{0});
            board.faults().clear();
            hold_off(18, late);
            one_request(stack, request, host::Direction::read);
            EXPECT_EQ(board.faults().happened(), 1u);
            EXPECT_EQ(request.error->code, base::Code::overrun);
            EXPECT_EQ(request.bytes_done % 512, 0u);
            EXPECT_LT(request.bytes_done, size);
            // An interrupt fetches at least half a FIFO: 32 bytes.
            EXPECT_GE(request.bytes_done + 512, (late - 1) * 32 / 512 * 512);
            std::vector<std::byte> expected(size);
            stamp(expected, 1);
            EXPECT_TRUE(
                std::ranges::equal(buffer.first(request.bytes_done), std::span(expected).first(request.bytes_done)));
        }
        expect_it_works(stack);
    });
}

TEST_F(FifoTest, AWriteThatTheCpuDoesNotFeedInTimeIsAnUnderrunAndNoWrongByteIsOnTheCard) {
    run([&](Stack& stack) {
        // The first interrupt is the response; until the second has been served no data is sent.
        for (const std::uint32_t late : {3u, 4u, 10u, 40u}) {
            SCOPED_TRACE(late);
            host::Transaction request(stack.executor());
            stamp(buffer, 2);
            board.faults().clear();
            hold_off(25, late);
            one_request(stack, request, host::Direction::write);
            EXPECT_EQ(board.faults().happened(), 1u);
            EXPECT_EQ(request.error->code, base::Code::underrun);
            EXPECT_EQ(request.bytes_done % 512, 0u);
            EXPECT_LT(request.bytes_done, size);
            // Each block is the new one or, from the first that is not known to be done on, may be the old one.
            std::vector<std::byte> before(size);
            stamp(before, 1);
            const sim::Chunk there = board.card().content().read(sector * 512, size);
            for (std::size_t at = 0; at < size; at += 512) {
                const auto block = sim::bytes(there).subspan(at, 512);
                const bool is_new = std::ranges::equal(block, std::span(buffer).subspan(at, 512));
                const bool is_old = std::ranges::equal(block, std::span(before).subspan(at, 512));
                EXPECT_TRUE(is_new || (is_old && at >= request.bytes_done)) << "block " << at / 512;
            }
            stamp(buffer, 1);
            EXPECT_FALSE(transfer(stack, host::Direction::write, sector, std::array{buffer}));
        }
        expect_it_works(stack);
    });
}

TEST_F(FifoTest, ThePipelineSendsTheRestAgain) {
    run([&](Stack& stack) {
        std::ranges::fill(buffer, std::byte{0});
        hold_off(18, 40);
        EXPECT_FALSE(transfer(stack, host::Direction::read, sector, std::array{buffer}));
        EXPECT_TRUE(has_stamp(buffer, 1));
        stamp(buffer, 2);
        hold_off(25, 10);
        EXPECT_FALSE(transfer(stack, host::Direction::write, sector, std::array{buffer}));
        std::ranges::fill(buffer, std::byte{0});
        EXPECT_FALSE(transfer(stack, host::Direction::read, sector, std::array{buffer}));
        EXPECT_TRUE(has_stamp(buffer, 2));
        EXPECT_EQ(board.faults().happened(), 2u);
    });
}

} // namespace
} // namespace mmcpipe::rig
