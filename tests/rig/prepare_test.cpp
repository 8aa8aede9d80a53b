// What host.h promises of prepare, with a DMA engine.

#include "rig_fixture.h"

namespace mmcpipe::rig {
namespace {

struct PrepareTest : testing::Test {
    static constexpr std::uint64_t sector = 4096;

    void fill(Stack& stack, host::Request& request, std::span<const host::Buffer> buffers, std::uint32_t blocks) {
        const card::Transfer wanted{host::Direction::read, card::Bounding::open_ended, sector, blocks, 512, buffers};
        ASSERT_TRUE(stack.card().fill(request, wanted));
    }
};

TEST_F(PrepareTest, TwoRequestsHoldPreparedDataAndAThirdIsRefusedUntilOneIsGivenBack) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const host::Buffer buffer = board.memory().allocate(4096);
        std::vector<std::unique_ptr<host::Transaction>> requests;
        for (int i = 0; i < 3; ++i) {
            requests.push_back(std::make_unique<host::Transaction>(stack.executor()));
            fill(stack, *requests.back(), {&buffer, 1}, 8);
        }
        host::Host& host = stack.host();
        EXPECT_TRUE(host.prepare(*requests[0]));
        EXPECT_TRUE(host.prepare(*requests[1]));
        const auto third = host.prepare(*requests[2]);
        ASSERT_FALSE(third);
        EXPECT_EQ(third.error().code, base::Code::out_of_range);

        // A request without data is no third one.
        host::Transaction status(stack.executor());
        status.command.command = spec::send_status(stack.card().peer().rca);
        EXPECT_TRUE(host.prepare(status));

        host.unprepare(*requests[0]);
        EXPECT_TRUE(host.prepare(*requests[2]));
        host.unprepare(*requests[1]);
        host.unprepare(*requests[2]);
    });
}

/// Lists that are too long for the engine.
class FallbackTest : public PrepareTest, public testing::WithParamInterface<const char*> {};

TEST_P(FallbackTest, DataThatTheEngineCannotMoveGoesByPioAndTheFlightRecordSaysSo) {
    SimulatedBoard board(platform("ux500", {{"dma_max_elements", "4"}, {"barrier_per", GetParam()}}),
                         card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        EXPECT_TRUE(stack.host().capabilities().pio);
        const host::Buffer out = board.memory().allocate(8192);
        const host::Buffer in = board.memory().allocate(65536);
        stamp(out, 1);
        EXPECT_FALSE(transfer(stack, host::Direction::write, sector, std::array{out}));

        std::vector<host::Buffer> pieces;
        for (std::size_t i = 0; i < 8; ++i) pieces.push_back(in.subspan(8192 * i, 1024));
        EXPECT_FALSE(transfer(stack, host::Direction::read, sector, pieces));
        const host::FlightRecord& record = stack.host().record();
        EXPECT_TRUE(record[record.size() - 2].pio) << "before the last CMD13";
        // A barrier for something else later must not drop what PIO has stored.
        EXPECT_FALSE(transfer(stack, host::Direction::read, sector, std::array{out}));
        EXPECT_FALSE(record[record.size() - 2].pio);
        std::vector<std::byte> all;
        for (const host::Buffer piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
        EXPECT_TRUE(has_stamp(all, 1));
    });
}

INSTANTIATE_TEST_SUITE_P(Barriers, FallbackTest, testing::Values("element", "list"),
                         [](const auto& which) { return which.param; });

} // namespace
} // namespace mmcpipe::rig
