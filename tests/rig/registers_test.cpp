// A card reads its registers into itself, wherever it stands: where DMA does not reach, or in lines that others share.

#include "rig_fixture.h"

#include <memory>
#include <new>

namespace mmcpipe::rig {
namespace {

/// The slot of a simulated board, for a card of the test's own.
class SlotBoard final : public port::Board {
public:
    explicit SlotBoard(SimulatedBoard& board) : board_(board) {}
    base::Result<void> set_supply(port::Supply supply) override {
        board_.bus().power(supply != port::Supply::off);
        return {};
    }
    base::Result<void> set_signal(port::Signal) override { return {}; }
    base::Result<void> hold_reset(bool) override { return base::fail(base::Code::not_possible); }
    unsigned bus_width() const override { return 4; }
    base::Hertz base_clock() const override { return base::megahertz(100); }
    bool has(port::Supply supply) const override { return supply == port::Supply::v3_3; }
    bool card_present() override { return true; }
    bool write_protected() override { return false; }

private:
    SimulatedBoard& board_;
};

bool read_by_dma(const host::FlightRecord& record) {
    for (std::size_t i = 0; i < record.size(); ++i)
        if (record[i].command.index == 8 && record[i].bytes_done == 512) return !record[i].pio;
    return false;
}

class RegistersTest : public testing::TestWithParam<const char*> {
protected:
    RegistersTest() : board(platform("ux500", {{"cache_line", GetParam()}}), card_profile("ux500-emmc")) {}

    /// Brings a card up, which the stack's own does not know.
    void bring_up(Stack& stack, card::Card& card) {
        ASSERT_TRUE(stack.run(card.bring_up()));
        EXPECT_TRUE(read_by_dma(stack.host().record()));
        ASSERT_TRUE(card.ext_csd());
        EXPECT_EQ(card.properties().capacity.bytes, std::uint64_t{7456} << 20);
        EXPECT_EQ((*card.ext_csd())[spec::mmc::ext_csd::ext_csd_rev], 5u);
    }

    SimulatedBoard board;
    SlotBoard slot{board};
};

TEST_P(RegistersTest, WhereDmaDoesNotReachTheyComeThroughTheBounceBuffer) {
    board.run([&](Stack& stack) {
        const auto card = std::make_unique<card::Card>(stack.host(), slot);
        bring_up(stack, *card);
    });
}

TEST_P(RegistersTest, InLinesThatOthersShareTheyHarmNobody) {
    board.run([&](Stack& stack) {
        const std::size_t place = 64; // the longest lines have two cards' halves in them
        const host::Buffer memory = board.memory().allocate(place + sizeof(card::Card) + 64);
        stamp(memory, 1);
        auto* const card = new (memory.data() + place) card::Card(stack.host(), slot);
        bring_up(stack, *card);
        card->~Card();
        std::vector<std::byte> before(memory.size());
        stamp(before, 1);
        EXPECT_TRUE(std::ranges::equal(memory.first(place), std::span(before).first(place)));
        EXPECT_TRUE(std::ranges::equal(memory.last(64), std::span(before).last(64)));
        EXPECT_EQ(board.memory().counters().lines_evicted, 0u);
    });
}

INSTANTIATE_TEST_SUITE_P(Lines, RegistersTest, testing::Values("1", "32", "64", "128"),
                         [](const auto& which) { return std::string("of_") + which.param; });

} // namespace
} // namespace mmcpipe::rig
