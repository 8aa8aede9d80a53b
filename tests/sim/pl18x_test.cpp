#include "mmcpipe/sim/controller/pl18x.h"

#include "tests/sim/scripted_controller.h"

namespace mmcpipe::sim {
namespace {

enum Register : std::uint32_t {
    power = 0x00,
    clock = 0x04,
    argument = 0x08,
    command = 0x0c,
    status = 0x34,
    clear = 0x38
};

constexpr std::uint32_t powered_up = 2;
constexpr std::uint32_t powered_on = 3;
constexpr std::uint32_t open_drain = 1u << 6;
constexpr std::uint32_t clock_runs = 1u << 8;
constexpr std::uint32_t enable = 1u << 10;
constexpr std::uint32_t wide4 = 1u << 11;
constexpr std::uint32_t wide8 = 1u << 12;
constexpr std::uint32_t timed_out = 1u << 2;
constexpr std::uint32_t answered = 1u << 6;
constexpr std::uint32_t sent = 1u << 7;
constexpr std::uint32_t active = 1u << 11;

/// A controller and an eMMC that has the supply.
struct Pl18xTest : testing::Test {
    explicit Pl18xTest(const controller::Pl18xCell& cell = {.st_divider = true})
        : model(engine, bus, line, nullptr, cell, nanoseconds(10)) {
        bus.insert(&card);
        bus.power(true);
        engine.run_until(engine.now() + milliseconds(1));
    }
    /// CMD13 to nobody is not answered; CMD0 needs none. What shows when all is over.
    std::uint32_t send(std::uint8_t index, bool response) {
        model.write(clear, 0x7ff);
        model.write(argument, 0);
        model.write(command, enable | (response ? 1u << 6 : 0) | index);
        engine.run_until(engine.now() + milliseconds(5));
        return model.read(status) & (timed_out | answered | sent | active);
    }
    /// A response to CMD1, which only a card that hears it gives.
    bool card_hears() {
        model.write(clear, 0x7ff);
        send(0, false);
        model.write(argument, 0x40ff8000);
        model.write(clear, 0x7ff);
        model.write(command, enable | 1u << 6 | 1);
        engine.run_until(engine.now() + milliseconds(5));
        return (model.read(status) & timed_out) == 0;
    }

    Engine engine;
    wire::Bus bus{engine, nullptr, nullptr};
    card::Emmc card{emmc_profile()};
    Machine machine{engine};
    InterruptLine line{machine};
    controller::Pl18x model;
};

TEST_F(Pl18xTest, BeforeThePowerIsOnACommandDoesNothing) {
    for (const std::uint32_t phase : {0u, powered_up}) {
        model.write(power, phase);
        model.write(clock, clock_runs | 248);
        EXPECT_EQ(send(0, false), 0u) << phase;
    }
    model.write(power, powered_on);
    EXPECT_EQ(model.read(status) & (sent | active), 0u) << "it was not kept either";
    EXPECT_EQ(send(0, false), sent);
}

TEST_F(Pl18xTest, WhenThePowerGoesTheCommandUnderWayEndsUnheard) {
    model.write(power, powered_on);
    model.write(clock, clock_runs | 248);
    model.write(command, enable | 0);
    EXPECT_EQ(model.read(status) & active, active);
    model.write(power, 0);
    EXPECT_EQ(model.read(status) & active, 0u);
    engine.run_until(engine.now() + milliseconds(5));
    EXPECT_EQ(model.read(status) & sent, 0u);
}

TEST_F(Pl18xTest, AnOpenDrainCommandLineFollowsTheClockOfTheIdentificationAndNoFasterOne) {
    model.write(power, powered_on | open_drain);
    model.write(clock, clock_runs | 248); // 400 kHz
    EXPECT_TRUE(card_hears());
    model.write(clock, clock_runs | 48); // 2 MHz
    EXPECT_FALSE(card_hears());
    model.write(power, powered_on);
    EXPECT_TRUE(card_hears());
}

struct Width {
    unsigned lines;
    std::uint32_t bits; ///< of the clock register that can be set
};

class WidthTest : public testing::TestWithParam<Width> {};

TEST_P(WidthTest, ACellChoosesOnlyLinesThatItHas) {
    const Width width = GetParam();
    struct Cell : Pl18xTest {
        explicit Cell(unsigned lines) : Pl18xTest({.lines = lines}) {}
        void TestBody() override {}
    } cell(width.lines);
    cell.model.write(clock, wide4 | wide8);
    EXPECT_EQ(cell.model.read(clock), width.bits);
}

INSTANTIATE_TEST_SUITE_P(Cells, WidthTest, testing::Values(Width{1, 0}, Width{4, wide4}, Width{8, wide4 | wide8}),
                         [](const auto& which) { return std::to_string(which.param.lines) + "_lines"; });

} // namespace
} // namespace mmcpipe::sim
