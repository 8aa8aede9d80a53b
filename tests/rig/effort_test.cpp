// What a request costs in register accesses and interrupts, exactly. Each is real time on a board; a change that adds
// one has to say so here.

#include "rig_fixture.h"

namespace mmcpipe::rig {
namespace {

struct Effort {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0; ///< ordered
    std::uint64_t relaxed = 0;
    std::uint64_t interrupts = 0;

    bool operator==(const Effort&) const = default;
    Effort operator-(const Effort& o) const {
        return {reads - o.reads, writes - o.writes, relaxed - o.relaxed, interrupts - o.interrupts};
    }
};

void PrintTo(const Effort& e, std::ostream* out) {
    *out << e.reads << " reads, " << e.writes << " ordered and " << e.relaxed << " relaxed writes, " << e.interrupts
         << " interrupts";
}

struct Both {
    Effort host;
    Effort dma;
};

Both so_far(const SimulatedBoard& board) {
    const auto of = [](const sim::Window& window, const sim::InterruptLine& line) {
        const sim::Accesses& a = window.accesses();
        return Effort{a.reads, a.writes, a.relaxed_writes, line.taken()};
    };
    return {of(board.host_registers(), board.host_line()), of(board.dma_registers(), board.dma_line())};
}

/// Of one transfer of 4 KiB, its CMD12 and its CMD13.
Both effort_of(host::Direction direction) {
    Both effort;
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc", {{"partial_program", "0us"}}));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const host::Buffer buffer = board.memory().allocate(4096);
        EXPECT_FALSE(transfer(stack, direction, 4096, std::array{buffer})); // from the second one on all are alike
        const Both before = so_far(board);
        const std::uint64_t spurious = board.host_line().spurious() + board.dma_line().spurious();
        EXPECT_FALSE(transfer(stack, direction, 4096, std::array{buffer}));
        const Both after = so_far(board);
        effort = {after.host - before.host, after.dma - before.dma};
        EXPECT_EQ(board.host_line().spurious() + board.dma_line().spurious(), spurious);
    });
    return effort;
}

TEST(EffortTest, OfARead) {
    const auto [host, dma] = effort_of(host::Direction::read);
    EXPECT_EQ(host, (Effort{6, 4, 11, 3}));
    EXPECT_EQ(dma, (Effort{2, 0, 6, 0}));
}

TEST(EffortTest, OfAWrite) {
    const auto [host, dma] = effort_of(host::Direction::write);
    EXPECT_EQ(host, (Effort{8, 4, 12, 4}));
    EXPECT_EQ(dma, (Effort{2, 0, 6, 0}));
}

} // namespace
} // namespace mmcpipe::rig
