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
    const char* platform;
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
        const HostKind& kind = std::get<0>(GetParam());
        SimulatedBoard board(platform(kind.platform, kind.settings), card_profile(std::get<1>(GetParam())));
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

const HostKind pl18x[] = {
    {"pl18x_dma", "ux500", {}},
    {"pl18x_pio", "ux500", {{"dma", "none"}}},
    {"pl18x_any_block_size_dma", "ux500", {{"cell", "st_v3"}}},
    {"pl18x_any_block_size_pio", "ux500", {{"cell", "st_v3"}, {"dma", "none"}}},
    {"pl18x_without_flow_control_dma", "ux500", {{"cell", "arm_pl181"}}},
    {"pl18x_deep_fifo_pio", "ux500", {{"cell", "arm_pl181_extended_fifo"}}},
};

const HostKind pxamci[] = {
    {"pxa27x_engine", "pxa270", {}},
    {"pxa27x_chain", "pxa270", {{"dma", "pxa_chain"}}},
    {"pxa27x_pio", "pxa270", {{"dma", "none"}}},
    {"pxa25x_engine", "pxa270", {{"cell", "pxa25x"}, {"base_clock", "20MHz"}}},
    {"pxa25x_chain", "pxa270", {{"cell", "pxa25x"}, {"base_clock", "20MHz"}, {"dma", "pxa_chain"}}},
    {"pxa25x_pio", "pxa270", {{"cell", "pxa25x"}, {"base_clock", "20MHz"}, {"dma", "none"}}},
};

std::string name_of(const testing::TestParamInfo<ConformanceTest::ParamType>& which) {
    std::string name = std::string(std::get<0>(which.param).name) + "_" + std::get<1>(which.param);
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(Pl18x, ConformanceTest,
                         testing::Combine(testing::ValuesIn(pl18x),
                                          testing::Values("ux500-emmc", "sdsc-2gb", "sdhc-16gb")),
                         name_of);
/// Eight lines, and data on both edges, by those cells that have them; packed commands by all.
const HostKind wide[] = {
    {"pl18x_wide_dma", "ux500", {{"bus_width", "8"}}},
    {"pl18x_wide_any_block_size_dma", "ux500", {{"bus_width", "8"}, {"cell", "st_v3"}}},
    {"pl18x_wide_pio", "ux500", {{"bus_width", "8"}, {"dma", "none"}}},
    {"pl18x_wide_single_edge_dma", "ux500", {{"bus_width", "8"}, {"cell", "st_v1"}}},
    {"pl18x_dma", "ux500", {}},
    {"pl18x_without_flow_control_dma", "ux500", {{"cell", "arm_pl181"}}},
    {"pxa27x_engine", "pxa270", {}},
    {"pxa25x_chain", "pxa270", {{"cell", "pxa25x"}, {"base_clock", "20MHz"}, {"dma", "pxa_chain"}}},
};
INSTANTIATE_TEST_SUITE_P(Emmc45, ConformanceTest,
                         testing::Combine(testing::ValuesIn(wide), testing::Values("emmc45-16gb")), name_of);
INSTANTIATE_TEST_SUITE_P(Pxamci, ConformanceTest,
                         testing::Combine(testing::ValuesIn(pxamci),
                                          testing::Values("sdsc-2gb", "sdhc-16gb", "ux500-emmc")),
                         name_of);

} // namespace
} // namespace mmcpipe::rig
