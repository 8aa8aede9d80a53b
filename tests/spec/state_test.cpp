#include "mmcpipe/spec/state.h"

#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>

using namespace mmcpipe;
using spec::Family;
using spec::State;

namespace {

constexpr State states[] = {State::idle, State::ready, State::ident, State::stby, State::tran, State::data,
                            State::rcv,  State::prg,   State::dis,   State::btst, State::slp,  State::ina};

/// The states as the columns of the tables below, one letter each: idle reaDy Ident Stby Tran dAta Rcv Prg disConnect
/// Btst sLeep.
std::string columns(Family family, unsigned index, bool after_app_cmd) {
    constexpr std::string_view letters = "idnstarpcbl!";
    std::string found;
    for (std::size_t i = 0; i < std::size(states); ++i) {
        if (spec::legal(family, static_cast<std::uint8_t>(index), after_app_cmd, states[i])) found += letters[i];
    }
    return found;
}

struct Row {
    unsigned index;
    std::string_view columns;
};

void expect(Family family, std::span<const Row> rows, bool after_app_cmd) {
    for (const Row& row : rows) EXPECT_EQ(columns(family, row.index, after_app_cmd), row.columns) << "CMD" << row.index;
}

} // namespace

TEST(LegalCommands, OfMmcAreThoseOfTheDeviceStateTransitionTable) {
    const Row rows[] = {
        {0, "idnstarpcbl"}, {1, "i"},        {2, "d"},        {3, "n"},  {4, "s"},  {5, "sl"},  {6, "t"},
        {7, "sc"},          {8, "t"},        {9, "s"},        {10, "s"}, {11, "t"}, {12, "ar"}, {14, "b"},
        {16, "t"},          {17, "t"},       {18, "t"},       {19, "t"}, {20, "t"}, {23, "t"},  {24, "t"},
        {25, "t"},          {26, "t"},       {27, "t"},       {28, "t"}, {29, "t"}, {30, "t"},  {31, "t"},
        {35, "t"},          {36, "t"},       {38, "t"},       {39, "s"}, {40, "s"}, {42, "t"},  {56, "t"},
        {13, "starpcb"},    {15, "starpcb"}, {55, "starpcb"},
    };
    expect(Family::mmc, rows, false);
}

TEST(LegalCommands, OfSdAreThoseOfTheCardStateTransitionTable) {
    const Row rows[] = {
        {0, "idnstarpc"}, {2, "d"},  {3, "ns"},  {4, "s"},  {6, "t"},  {7, "sc"},      {8, "i"},       {9, "s"},
        {10, "s"},        {11, "d"}, {12, "ar"}, {16, "t"}, {17, "t"}, {18, "t"},      {19, "t"},      {20, "t"},
        {22, "t"},        {23, "t"}, {24, "t"},  {25, "t"}, {27, "t"}, {28, "t"},      {29, "t"},      {30, "t"},
        {32, "t"},        {33, "t"}, {38, "t"},  {42, "t"}, {56, "t"}, {13, "starpc"}, {15, "starpc"}, {55, "istarpc"},
    };
    expect(Family::sd, rows, false);
}

TEST(LegalCommands, OfSdAfterCmd55AreTheApplicationCommands) {
    const Row rows[] = {{6, "t"}, {13, "t"}, {22, "t"}, {23, "t"}, {41, "i"}, {42, "t"}, {51, "t"}};
    expect(Family::sd, rows, true);
}

TEST(LegalCommands, AfterCmd55AStandardCommandStaysWhatItIs) {
    EXPECT_EQ(columns(Family::sd, 17, true), "t");
    EXPECT_EQ(columns(Family::sd, 0, true), "idnstarpc");
    EXPECT_EQ(columns(Family::mmc, 9, true), "s");
}

TEST(LegalCommands, ApplicationCommandsAreNoneWithoutCmd55) {
    EXPECT_EQ(columns(Family::sd, 41, false), "");
    EXPECT_EQ(columns(Family::sd, 51, false), "");
    EXPECT_EQ(columns(Family::mmc, 41, true), "");
}

TEST(LegalCommands, ReservedNumbersAreNeverLegal) {
    for (const unsigned index : {33u, 37u, 43u, 57u, 63u, 200u})
        EXPECT_EQ(columns(Family::mmc, index, false), "") << index;
    for (const unsigned index : {1u, 14u, 26u, 35u, 63u, 200u})
        EXPECT_EQ(columns(Family::sd, index, false), "") << index;
}

TEST(ApplicationCommands, AreTheOnesThatSdDefines) {
    EXPECT_TRUE(spec::is_application_command(Family::sd, 6));
    EXPECT_FALSE(spec::is_application_command(Family::sd, 17));
    EXPECT_FALSE(spec::is_application_command(Family::mmc, 6));
}

TEST(CommandClasses, ACardTakesACommandIfItHasOneOfItsClasses) {
    constexpr std::uint16_t sdhc = 0x5b5; // um-sd-02544d5341303447
    EXPECT_NE(sdhc & spec::classes_of(Family::sd, 38, false), 0);
    EXPECT_NE(sdhc & spec::classes_of(Family::sd, 6, false), 0);
    EXPECT_EQ(sdhc & spec::classes_of(Family::sd, 28, false), 0); // no class 6: no write protection of groups
    EXPECT_TRUE(spec::supports(sdhc, spec::CommandClass::switch_function));
    EXPECT_FALSE(spec::supports(sdhc, spec::CommandClass::write_protection));
    constexpr std::uint16_t sd_1_0 = 0x1ff & ~0x400;
    EXPECT_EQ(sd_1_0 & spec::classes_of(Family::sd, 6, false), 0);
    EXPECT_NE(sd_1_0 & spec::classes_of(Family::sd, 6, true), 0); // ACMD6 is another command
    EXPECT_NE(0x0f5 & spec::classes_of(Family::mmc, 6, false), 0);
    EXPECT_EQ(spec::classes_of(Family::sd, 63, false), 0);
}

TEST(Deselection, EndsTheStatesOfASelectedCard) {
    EXPECT_EQ(spec::deselectable, (spec::StateSet{State::tran, State::data, State::prg}));
    EXPECT_FALSE(spec::deselectable.contains(State::rcv));
}
