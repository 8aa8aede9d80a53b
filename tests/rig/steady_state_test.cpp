// What holds for every run: the same again, and nothing allocated on the way.

#include "rig_fixture.h"
#include "tests/sim/allocations.h"

namespace mmcpipe::rig {
namespace {

/// `count` equal transfers, one sector range after another, two at a time.
class Repeat final : public block::Source {
public:
    Repeat(const card::Transfer& first, std::uint32_t count) : wanted_(first), left_(count), open_(count) {}

    block::Transfer* next() noexcept override {
        if (left_ == 0) return nullptr;
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            if (used_[i]) continue;
            used_[i] = true;
            --left_;
            lanes_[i].wanted = wanted_;
            wanted_.sector += wanted_.blocks;
            return &lanes_[i];
        }
        return nullptr;
    }
    void over(block::Transfer& transfer) noexcept override {
        used_[static_cast<std::size_t>(&transfer - lanes_.data())] = false;
        failed += transfer.failure ? 1 : 0;
        if (--open_ == warm) allocations_then = sim::allocations();
        if (open_ == 0)
            pipeline->stop();
        else
            pipeline->arrived();
    }

    block::Pipeline* pipeline = nullptr;
    int failed = 0;
    std::uint32_t warm = 0; ///< transfers left when counting begins
    std::size_t allocations_then = 0;

private:
    card::Transfer wanted_;
    std::array<block::Transfer, 2> lanes_{};
    std::array<bool, 2> used_{};
    std::uint32_t left_;
    std::uint32_t open_;
};

TEST(SteadyState, AHundredThousandRequestsAllocateNothing) {
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const host::Buffer buffer = board.memory().allocate(4096);
        Repeat source({host::Direction::read, card::Bounding::open_ended, 0, 8, 512, std::span(&buffer, 1)}, 101'000);
        block::Pipeline pipeline(stack.card(), source, block::Depth::non_blocking);
        source.pipeline = &pipeline;
        source.warm = 100'000;
        EXPECT_TRUE(stack.run(pipeline.run()));
        EXPECT_EQ(source.failed, 0);
        EXPECT_EQ(sim::allocations() - source.allocations_then, 0u);
    });
}

struct TextTrace final : sim::Trace {
    void span(const sim::Span& s) override {
        text += std::to_string(static_cast<int>(s.lane)) + s.name + std::to_string(s.from.ps) + ' ' +
                std::to_string(s.to.ps) + '\n';
    }
    std::string text;
};

std::string traced_run() {
    TextTrace trace;
    SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"), &trace);
    board.run([&](Stack& stack) {
        EXPECT_TRUE(stack.run(stack.card().bring_up()));
        const host::Buffer buffer = board.memory().allocate(65536);
        EXPECT_FALSE(transfer(stack, host::Direction::write, 4096, std::array{buffer}));
        EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{buffer}));
    });
    return trace.text;
}

TEST(SteadyState, TheSameRunTwiceGivesTheSameTraceByteForByte) {
    const std::string once = traced_run();
    EXPECT_GT(once.size(), 1000u);
    EXPECT_EQ(traced_run(), once);
}

} // namespace
} // namespace mmcpipe::rig
