// When the pipeline prepares what arrives late.

#include "rig_fixture.h"

namespace mmcpipe::rig {
namespace {

/// Two writes: the first is there at once, the second when `arrival` is due.
struct LateSource final : block::Source {
    struct Arrival : base::Deadline {
        explicit Arrival(LateSource& o) : Deadline(due), owner(o) {}
        static void due(base::Deadline& deadline) noexcept {
            LateSource& source = static_cast<Arrival&>(deadline).owner;
            source.there = 2;
            source.pipeline->arrived();
        }
        LateSource& owner;
    };

    block::Transfer* next() noexcept override { return given < there ? &transfers[given++] : nullptr; }
    void over(block::Transfer& transfer) noexcept override {
        ended[static_cast<std::size_t>(&transfer - transfers.data())] = executor->now();
        if (&transfer == &transfers[1]) pipeline->stop();
    }

    std::array<block::Transfer, 2> transfers{};
    std::array<base::Instant, 2> ended{};
    std::size_t there = 1;
    std::size_t given = 0;
    base::Executor* executor = nullptr;
    block::Pipeline* pipeline = nullptr;
    Arrival arrival{*this};
};

/// The first write leaves the card busy for 20 ms, and the second one arrives after 8.
void run_late(LateSource& source, block::Depth depth) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const std::array<host::Buffer, 2> buffers{board.memory().allocate(4096), board.memory().allocate(4096)};
        for (std::size_t i = 0; i < 2; ++i) {
            source.transfers[i].wanted = {host::Direction::write,   card::Bounding::open_ended, 4096 + 8 * i, 8, 512,
                                          std::span(&buffers[i], 1)};
        }
        block::Pipeline pipeline(stack.card(), source, depth);
        source.executor = &stack.executor();
        source.pipeline = &pipeline;
        board.faults().plan(
            {.kind = sim::wire::Fault::Kind::busy_after_command, .command = 12, .length = sim::milliseconds(20)});
        stack.executor().arm(source.arrival, base::milliseconds(8));
        EXPECT_TRUE(stack.run(pipeline.run()));
        EXPECT_EQ(board.faults().happened(), 1u);
    });
    EXPECT_FALSE(source.transfers[0].failure || source.transfers[1].failure);
}

TEST(PipelineTest, ATransferThatArrivesWhileTheOneBeforeSettlesIsPreparedThen) {
    LateSource source;
    run_late(source, block::Depth::non_blocking);
    const auto& [first, second] = source.transfers;
    EXPECT_GT(second.phases.prepared, first.phases.woken) << "it arrived while the first was on the wire";
    EXPECT_LT(second.phases.prepared + base::milliseconds(5), source.ended[0]) << "it waited for the first to settle";
    // It is on the wire before the first is finished.
    EXPECT_LT(second.phases.started, first.phases.finished);
}

TEST(PipelineTest, ABlockingPipelineTakesWhatArrivesOnlyWhenTheTransferBeforeIsOver) {
    LateSource source;
    run_late(source, block::Depth::blocking);
    EXPECT_GE(source.transfers[1].phases.prepared, source.ended[0]);
}

} // namespace
} // namespace mmcpipe::rig
