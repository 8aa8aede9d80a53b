// The conformance suite and the functional cases of mmc_test, over every host driver and every kind of card.

#include "mmcpipe/trial/conformance.h"

#include "mmcpipe/trial/mmc_test.h"
#include "rig_fixture.h"

#include <tuple>

namespace mmcpipe::rig {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct HostKind {
    const char* name;
    Settings settings;
};

void PrintTo(const HostKind& kind, std::ostream* out) { *out << kind.name; }

/// Expects every case to end well, or to be refused as not possible.
struct ExpectingSink final : trial::Sink {
    void begins(const trial::Case&) override {}
    void transferred(const trial::Row&) override {}
    void ended(const trial::Case& trial, trial::Outcome outcome, std::optional<base::Error> error) override {
        EXPECT_TRUE(outcome != trial::Outcome::failed && outcome != trial::Outcome::error)
            << trial.number << " " << trial.name << ": " << trial::name(outcome) << " "
            << (error ? base::name(error->code) : "");
        if (outcome == trial::Outcome::ok) ++passed;
    }
    int passed = 0;
};

struct RigSlot final : trial::Slot {
    explicit RigSlot(SimulatedBoard& b) : board(b) {}
    void remove() override { board.remove_card(); }
    void insert() override { board.insert_card(); }
    SimulatedBoard& board;
};

class ConformanceTest : public testing::TestWithParam<std::tuple<HostKind, const char*>> {
protected:
    int run(std::span<const trial::Case> cases, unsigned first, unsigned last) {
        SimulatedBoard board(platform("ux500", std::get<0>(GetParam()).settings),
                             card_profile(std::get<1>(GetParam())));
        std::vector<host::Buffer> elements(512);
        ExpectingSink sink;
        board.run([&](Stack& stack) {
            const auto memory = board.memory().allocate(std::size_t{4} << 20);
            RigSlot slot(board);
            trial::Bench bench(stack.card(), memory, elements, &slot);
            ASSERT_TRUE(stack.run(stack.card().bring_up()));
            for (const trial::Case& c : cases) {
                if (c.number < first || c.number > last) continue;
                EXPECT_TRUE(stack.run(trial::run(bench, c, sink)));
            }
        });
        EXPECT_EQ(board.memory().counters().lines_evicted, 0u) << "a line was dirty while DMA wrote";
        return sink.passed;
    }
};

TEST_P(ConformanceTest, EveryCaseOfTheConformanceSuiteEndsWell) {
    EXPECT_GT(run(trial::conformance_cases(), 0, 999), 15);
}

TEST_P(ConformanceTest, EveryFunctionalCaseOfMmcTestEndsWell) { EXPECT_GT(run(trial::mmc_test_cases(), 1, 22), 13); }

const HostKind hosts[] = {
    {"pl18x_dma", {}},
    {"pl18x_pio", {{"dma", "none"}}},
    {"pl18x_any_block_size_dma", {{"cell", "st_v3"}}},
    {"pl18x_any_block_size_pio", {{"cell", "st_v3"}, {"dma", "none"}}},
    {"pl18x_without_flow_control_dma", {{"cell", "arm_pl181"}}},
    {"pl18x_deep_fifo_pio", {{"cell", "arm_pl181_extended_fifo"}}},
};

INSTANTIATE_TEST_SUITE_P(Pl18x, ConformanceTest,
                         testing::Combine(testing::ValuesIn(hosts),
                                          testing::Values("ux500-emmc", "sdsc-2gb", "sdhc-16gb")),
                         [](const auto& which) {
                             std::string name =
                                 std::string(std::get<0>(which.param).name) + "_" + std::get<1>(which.param);
                             for (char& c : name)
                                 if (c == '-') c = '_';
                             return name;
                         });

} // namespace
} // namespace mmcpipe::rig
