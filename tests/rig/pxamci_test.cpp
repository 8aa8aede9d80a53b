// The PXA's MMC controller with its DMA, as a whole.

#include "rig_fixture.h"

#include <memory>

namespace mmcpipe::rig {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Reads and writes 64 KiB each; what was built for that.
host::dma::ListStatistics lists_of(const Settings& settings) {
    SimulatedBoard board(platform("pxa270", settings), card_profile("sdhc-16gb"));
    host::dma::ListStatistics lists;
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const host::Buffer buffer = board.memory().allocate(65536);
        ASSERT_NE(stack.dma_lists(), nullptr);
        const host::dma::ListStatistics before = *stack.dma_lists();
        stamp(buffer, 1);
        EXPECT_FALSE(transfer(stack, host::Direction::write, 4096, std::array{buffer}));
        stamp(buffer, 2);
        EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{buffer}));
        EXPECT_TRUE(has_stamp(buffer, 1));
        lists = *stack.dma_lists();
        lists.lists -= before.lists;
        lists.descriptors -= before.descriptors;
        lists.bytes -= before.bytes;
    });
    return lists;
}

TEST(PxamciBoard, TheDriversOwnChainHasADescriptorAPage) {
    const host::dma::ListStatistics lists = lists_of({{"dma", "pxa_chain"}});
    EXPECT_EQ(lists.lists, 2u);
    EXPECT_EQ(lists.descriptors, 32u);
    EXPECT_EQ(lists.bytes, 131072u);
    EXPECT_EQ(lists.longest, 4096u);
}

TEST(PxamciBoard, TheEngineFillsItsDescriptors) {
    const host::dma::ListStatistics lists = lists_of({});
    EXPECT_EQ(lists.lists, 2u);
    EXPECT_EQ(lists.descriptors, 18u) << "8 of 8,160 bytes and one of 256, twice";
    EXPECT_EQ(lists.bytes, 131072u);
    EXPECT_EQ(lists.longest, 8160u);
}

TEST(PxamciBoard, WithoutDmaNobodyCounts) {
    SimulatedBoard board(platform("pxa270", {{"dma", "none"}}), card_profile("sdhc-16gb"));
    board.run([&](Stack& stack) { EXPECT_EQ(stack.dma_lists(), nullptr); });
}

TEST(PxamciBoard, ACardWhoseRegistersBeginWithOneComesUpDespiteTheErratum) {
    SimulatedBoard board(platform("pxa270"), card_profile("sdhc-16gb", {{"cid", "9b544d534131364743000000000129a5"}}));
    board.run([&](Stack& stack) {
        EXPECT_TRUE(stack.run(stack.card().bring_up()));
        for (std::size_t i = 0; i < stack.host().record().size(); ++i)
            EXPECT_FALSE(stack.host().record()[i].error) << unsigned{stack.host().record()[i].command.index};
    });
}

TEST(PxamciBoard, RequestsThatArePreparedWhileAnotherIsOnTheWireKeepTheirDataApart) {
    for (const char* dma : {"pxa", "pxa_chain", "none"}) {
        SimulatedBoard board(platform("pxa270", {{"dma", dma}}), card_profile("sdhc-16gb"));
        board.run([&](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            constexpr std::size_t count = 8;
            constexpr std::size_t size = 20480;
            std::array<host::Buffer, count> buffers;
            std::array<block::Transfer, count> transfers;
            for (const host::Direction direction : {host::Direction::write, host::Direction::read}) {
                std::vector<block::Transfer*> list;
                for (std::uint32_t i = 0; i < count; ++i) {
                    if (direction == host::Direction::write) buffers[i] = board.memory().allocate(size);
                    stamp(buffers[i], direction == host::Direction::write ? i : 99);
                    transfers[i].wanted = {direction, card::Bounding::open_ended, 4096 + 40 * i, 40,
                                           512,       std::span(&buffers[i], 1)};
                    list.push_back(&transfers[i]);
                }
                EXPECT_EQ(pipe(stack, list, block::Depth::non_blocking), list);
                for (const block::Transfer& t : transfers) EXPECT_FALSE(t.failure);
            }
            for (std::uint32_t i = 0; i < count; ++i) EXPECT_TRUE(has_stamp(buffers[i], i)) << dma << " " << i;
        });
        EXPECT_EQ(board.memory().counters().lines_evicted, 0u);
    }
}

TEST(PxamciBoard, TheWireCarriesWhatItsLinesAndItsClockAllow) {
    for (const auto& [lines, bytes_per_second] : {std::pair{"1", 2'437'500.0}, std::pair{"4", 9'750'000.0}}) {
        SimulatedBoard board(platform("pxa270", {{"bus_width", lines}}),
                             card_profile("sdhc-16gb", {{"read_access", "0us"}, {"read_block_gap", "0us"}}));
        board.run([&](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            const host::Buffer buffer = board.memory().allocate(262144);
            const base::Instant begin = stack.executor().now();
            EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{buffer}));
            const double took = static_cast<double>((stack.executor().now() - begin).ns) * 1e-9;
            EXPECT_LT(262144 / took, bytes_per_second);
            EXPECT_GT(262144 / took, 0.94 * bytes_per_second);
        });
    }
}

} // namespace
} // namespace mmcpipe::rig
