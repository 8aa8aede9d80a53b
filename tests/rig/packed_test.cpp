// Packed commands and data on both edges, through drivers and models.

#include "mmcpipe/card/packed.h"

#include "mmcpipe/card/settle.h"
#include "mmcpipe/trial/packing.h"
#include "rig_fixture.h"

#include <array>

namespace mmcpipe::rig {
namespace {

using card::PackedPart;
using sim::wire::Fault;
using spec::mmc::PackedDirection;
using spec::mmc::PackedEntry;
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Kind {
    const char* platform;
    Settings settings;
};

TEST(PackedOnTheRig, EveryHostCarriesThemOut) {
    const Kind kinds[] = {{"ux500", {}},
                          {"ux500", {{"dma", "none"}}},
                          {"ux500", {{"bus_width", "8"}, {"cell", "st_v3"}}},
                          {"pxa270", {}},
                          {"pxa270", {{"dma", "none"}}}};
    for (const Kind& kind : kinds) {
        SimulatedBoard board(platform(kind.platform, kind.settings), card_profile("emmc45-16gb"));
        std::vector<host::Buffer> elements(512);
        board.run([&](Stack& stack) {
            const auto memory = board.memory().allocate(65536);
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            trial::Bench bench(stack.card(), memory, elements);
            for (const auto attempt : {trial::packed_write, trial::packed_read, trial::packed_failure}) {
                const auto outcome = stack.run(attempt(bench));
                ASSERT_TRUE(outcome) << kind.platform << ": " << base::name(outcome.error().code);
                EXPECT_EQ(*outcome, trial::Outcome::ok) << kind.platform;
            }
        });
    }
}

TEST(PackedOnTheRig, TheFaultPlanChoosesTheEntryThatFails) {
    SimulatedBoard board(platform("ux500"), card_profile("emmc45-16gb"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const auto memory = board.memory().allocate(4096);
        std::array<PackedEntry, 3> entries{};
        for (std::uint32_t i = 0; i < 3; ++i) {
            entries[i].count.blocks = 1;
            entries[i].address.argument = 8 * i;
        }
        spec::mmc::encode_packed_header(memory.first(512), PackedDirection::write, entries);
        const host::Buffer all = memory.first(4 * 512);
        board.faults().plan({.kind = Fault::Kind::packed_entry_fails, .command = 25, .occurrence = 2, .entry = 3});
        for (const std::uint8_t index : {0, 3, 0}) {
            host::Transaction request(stack.executor());
            ASSERT_TRUE(card::fill_packed(request, PackedPart::write, 4, {0}, {&all, 1}, stack.card().properties()));
            ASSERT_TRUE(stack.run(host::transact(stack.host(), request)));
            card::Settle settle(stack.host());
            settle.start(stack.card().peer(), card::Confirm::status, base::seconds(1));
            stack.executor().run_until([&] { return settle.is_over(); });
            ASSERT_TRUE(settle.verdict());
            EXPECT_EQ(card::has_exception(*settle.verdict()), index != 0);
            const auto status = stack.run(stack.card().read_packed_status());
            EXPECT_EQ(status.value_or(card::PackedStatus{}), (card::PackedStatus{index != 0, index}));
        }
        EXPECT_EQ(board.faults().happened(), 1u);
    });
}

TEST(BothEdgesOnTheRig, AWideReadIsAlmostTwiceAsFast) {
    const auto time_of = [](const char* cell, host::Timing expected) {
        SimulatedBoard board(platform("ux500", {{"bus_width", "8"}, {"cell", cell}}),
                             card_profile("emmc45-16gb", {{"read_block_gap", "0us"}}));
        sim::Time took{};
        board.run([&](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            EXPECT_EQ(stack.card().properties().mode, (card::BusMode{expected, host::BusWidth::x8}));
            const host::Buffer buffer = board.memory().allocate(std::size_t{1} << 20);
            const sim::Time begin = board.engine().now();
            EXPECT_FALSE(transfer(stack, host::Direction::read, 0, {&buffer, 1}));
            took = board.engine().now() - begin;
        });
        return took;
    };
    const sim::Time single = time_of("st_v1", host::Timing::high_speed);
    const sim::Time both = time_of("st_v2", host::Timing::ddr52);
    // 2,048 blocks of 512 cycles less 256, 20 ns each.
    EXPECT_GE(single - both, sim::milliseconds(10));
    EXPECT_LE(single - both, sim::milliseconds(11));
}

TEST(PackedOnTheRig, SmallWritesTakeLessTimeTogetherOnEachOfTheThreeCards) {
    for (const char* name : {"emmc45-16gb", "emmc45-16gb-slow", "emmc45-16gb-fast"}) {
        SimulatedBoard board(platform("ux500"), card_profile(name));
        board.run([&](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            constexpr std::uint32_t count = 16;
            const auto memory = board.memory().allocate(512 + count * 4096);
            std::array<PackedEntry, count> entries{};
            const sim::Time begin = board.engine().now();
            for (std::uint32_t i = 0; i < count; ++i) {
                entries[i].count.blocks = 8;
                entries[i].address.argument = 1000 * i;
                const host::Buffer buffer = memory.subspan(512 + i * 4096, 4096);
                EXPECT_FALSE(transfer(stack, host::Direction::write, 1000 * i, {&buffer, 1}));
            }
            const sim::Time one_by_one = board.engine().now() - begin;

            spec::mmc::encode_packed_header(memory.first(512), PackedDirection::write, entries);
            const host::Buffer all = memory;
            host::Transaction request(stack.executor());
            ASSERT_TRUE(card::fill_packed(request, PackedPart::write, 1 + 8 * count, {0}, {&all, 1},
                                          stack.card().properties()));
            const sim::Time packed_begin = board.engine().now();
            ASSERT_TRUE(stack.run(host::transact(stack.host(), request)));
            card::Settle settle(stack.host());
            settle.start(stack.card().peer(), card::Confirm::status, base::seconds(1));
            stack.executor().run_until([&] { return settle.is_over(); });
            ASSERT_TRUE(settle.verdict());
            const sim::Time together = board.engine().now() - packed_begin;
            EXPECT_LT(together * 2, one_by_one) << name;
        });
    }
}

} // namespace
} // namespace mmcpipe::rig
