// Each kind of fault at each step of bring-up, read and write: it ends within its time-outs, with right data or a named
// error, and the device then works, or is cleanly dead.

#include "rig_fixture.h"

namespace mmcpipe::rig {
namespace {

using sim::wire::Fault;
using Kind = Fault::Kind;

struct Plan {
    const char* name;
    Kind kind;
    sim::Time length;
    std::uint32_t times;
};

void PrintTo(const Plan& plan, std::ostream* out) { *out << plan.name; }

struct HostKind {
    const char* platform;
    const char* dma;
};

void PrintTo(const HostKind& kind, std::ostream* out) { *out << kind.platform << " " << kind.dma; }

constexpr std::size_t size = 16384;
constexpr std::uint64_t sector = 8192;
/// Longer than any ladder of retries takes.
constexpr base::Duration patience = base::seconds(120);

/// What a step of a sequence is: its n-th command, block, interrupt or DMA transfer.
enum class Step { command, block, interrupt, dma };

Step step_of(Kind kind) {
    switch (kind) {
    case Kind::interrupt_lost:
    case Kind::interrupt_late: return Step::interrupt;
    case Kind::dma_error: return Step::dma;
    case Kind::block_damaged:
    case Kind::block_lost:
    case Kind::card_removed_at_block:
    case Kind::busy_after_block: return Step::block;
    default: return Step::command;
    }
}

struct Outcome {
    bool up = false;
    std::optional<base::Error> write;
    std::optional<base::Error> read;
    bool data_right = false;
    bool works_afterwards = false;
};

class FaultTest : public testing::TestWithParam<std::tuple<HostKind, const char*, Plan>> {
protected:
    /// Brings the card up, writes, reads, with the fault planned before; then tries whether everything works without
    /// it.
    Outcome attempt(const std::optional<Fault>& fault, sim::wire::Faults* counters = nullptr) {
        const HostKind& kind = std::get<0>(GetParam());
        SimulatedBoard board(platform(kind.platform, {{"dma", kind.dma}}), card_profile(std::get<1>(GetParam())));
        if (fault) board.faults().plan(*fault);
        Outcome outcome;
        board.run([&](Stack& stack) {
            const host::Buffer out = board.memory().allocate(size);
            const host::Buffer in = board.memory().allocate(size);
            stamp(out, 1);
            stamp(in, 2);
            outcome.up = stack.run(stack.card().bring_up()).has_value();
            outcome.write = transfer(stack, host::Direction::write, sector, std::array{out});
            outcome.read = transfer(stack, host::Direction::read, sector, std::array{in});
            outcome.data_right = has_stamp(in, 1);
            if (counters != nullptr) *counters = board.faults();
            EXPECT_LT(stack.executor().now(), base::Instant{} + patience) << "it hung";

            // The fault is over, the card is in the slot: what was given up comes back with a new bring-up.
            board.faults().clear();
            board.insert_card();
            if (!outcome.up || stack.card().usable().has_value() == false) {
                outcome.works_afterwards = stack.run(stack.card().bring_up()).has_value();
            } else {
                outcome.works_afterwards = true;
            }
            stamp(out, 3);
            const auto write = transfer(stack, host::Direction::write, sector, std::array{out});
            const auto read = transfer(stack, host::Direction::read, sector, std::array{in});
            outcome.works_afterwards = outcome.works_afterwards && !write && !read && has_stamp(in, 3);
        });
        return outcome;
    }
};

TEST_P(FaultTest, AtEachStepItEndsWithRightDataOrANamedErrorAndTheDeviceWorksAfterwards) {
    const Plan plan = std::get<2>(GetParam());
    sim::wire::Faults counted;
    const Outcome sound = attempt(std::nullopt, &counted);
    ASSERT_TRUE(sound.up && !sound.write && !sound.read && sound.data_right);

    const Step step = step_of(plan.kind);
    const std::uint32_t steps = step == Step::command     ? counted.commands()
                                : step == Step::block     ? counted.commands()
                                : step == Step::interrupt ? counted.interrupts()
                                                          : counted.dma_transfers();
    if (step == Step::dma && steps == 0) GTEST_SKIP() << "no DMA on this platform";
    ASSERT_GT(steps, 0u);
    for (std::uint32_t n = 1; n <= steps; ++n) {
        for (const std::uint32_t block : {0u, 5u}) {
            if (step != Step::block && block != 0) continue;
            SCOPED_TRACE(testing::Message() << plan.name << " at step " << n << ", block " << block);
            Fault fault{.kind = plan.kind,
                        .occurrence = n,
                        .times = plan.times,
                        .block = block,
                        .bytes = 512,
                        .length = plan.length};
            const Outcome outcome = attempt(fault);
            const bool said_done = outcome.up && !outcome.write && !outcome.read;
            EXPECT_TRUE(outcome.data_right || !said_done);
            EXPECT_TRUE(outcome.works_afterwards);
        }
    }
}

const Plan plans[] = {
    {"response_lost_once", Kind::response_lost, {}, 1},
    {"response_lost_thrice", Kind::response_lost, {}, 3},
    {"response_damaged_once", Kind::response_damaged, {}, 1},
    {"response_damaged_thrice", Kind::response_damaged, {}, 3},
    {"command_damaged_once", Kind::command_damaged, {}, 1},
    {"card_removed", Kind::card_removed, {}, 1},
    {"busy_for_30ms", Kind::busy_after_command, sim::milliseconds(30), 1},
    {"busy_for_ever", Kind::busy_after_command, sim::forever, 1},
    {"block_damaged", Kind::block_damaged, {}, 1},
    {"block_lost", Kind::block_lost, {}, 1},
    {"card_removed_at_block", Kind::card_removed_at_block, {}, 1},
    {"block_busy_for_30ms", Kind::busy_after_block, sim::milliseconds(30), 1},
    {"block_busy_for_ever", Kind::busy_after_block, sim::forever, 1},
    {"interrupt_lost", Kind::interrupt_lost, {}, 1},
    {"interrupt_late", Kind::interrupt_late, sim::milliseconds(3), 1},
    {"interrupt_very_late", Kind::interrupt_late, sim::milliseconds(3000), 1},
    {"dma_error", Kind::dma_error, {}, 1},
};

std::string name_of(const testing::TestParamInfo<FaultTest::ParamType>& which) {
    std::string name = std::string(std::get<0>(which.param).dma) + "_" + std::get<1>(which.param) + "_" +
                       std::get<2>(which.param).name;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Pl18x, FaultTest,
                         testing::Combine(testing::Values(HostKind{"ux500", "pl080s"}, HostKind{"ux500", "none"}),
                                          testing::Values("ux500-emmc", "sdsc-2gb", "sdhc-16gb"),
                                          testing::ValuesIn(plans)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Pxamci, FaultTest,
                         testing::Combine(testing::Values(HostKind{"pxa270", "pxa"}, HostKind{"pxa270", "pxa_chain"},
                                                          HostKind{"pxa270", "none"}),
                                          testing::Values("sdsc-2gb", "sdhc-16gb"), testing::ValuesIn(plans)),
                         name_of);

/// The channel of a read is started before its command, that of a write after it.
TEST(DmaFaultTest, ADmaErrorThatNamesACommandMeetsTheDataOfThatCommand) {
    for (const auto& [direction, command] :
         {std::pair(host::Direction::read, std::uint8_t{18}), std::pair(host::Direction::write, std::uint8_t{25})}) {
        SimulatedBoard board(platform("ux500"), card_profile("ux500-emmc"));
        board.run([&, direction = direction, command = command](Stack& stack) {
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            const host::Buffer buffer = board.memory().allocate(size);
            host::Transaction request(stack.executor());
            ASSERT_TRUE(stack.card().fill(
                request, {direction, card::Bounding::open_ended, sector, size / 512, 512, {&buffer, 1}}));
            board.faults().clear();
            board.faults().plan({.kind = Kind::dma_error, .command = command, .bytes = 512});
            (void)stack.run(host::transact(stack.host(), request));
            EXPECT_EQ(board.faults().happened(), 1u);
            EXPECT_EQ(board.faults().dma_transfers(), 1u);
            ASSERT_TRUE(request.error);
            EXPECT_EQ(request.error->code, base::Code::dma_error);
            EXPECT_TRUE(stack.run(stack.card().recover(request, *request.error, 1)));
            EXPECT_FALSE(transfer(stack, direction, sector, std::array{buffer}));
        });
    }
}

} // namespace
} // namespace mmcpipe::rig
