#include "mmcpipe/spec/command.h"

#include "mmcpipe/spec/ext_csd.h"
#include "mmcpipe/spec/ocr.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
using spec::Command;
using spec::Response;

namespace {

// Each line: what the specification's tables of commands say.
constexpr spec::Rca rca{0x1234};

struct Expected {
    Command made;
    Command specified;
};

const Expected commands[] = {
    {spec::go_idle_state(), {0, Response::none, 0}},
    {spec::mmc::send_op_cond(0x40ff8080), {1, Response::r3, 0x40ff8080}},
    {spec::all_send_cid(), {2, Response::r2, 0}},
    {spec::mmc::set_relative_addr(rca), {3, Response::r1, 0x12340000}},
    {spec::sd::send_relative_addr(), {3, Response::r6, 0}},
    {spec::mmc::sleep(rca), {5, Response::r1b, 0x12348000}},
    {spec::mmc::awake(rca), {5, Response::r1b, 0x12340000}},
    {spec::sd::set_bus_width(spec::sd::BusWidth::x1), {6, Response::r1, 0}},
    {spec::sd::set_bus_width(spec::sd::BusWidth::x4), {6, Response::r1, 2}},
    {spec::select_card(rca), {7, Response::r1b, 0x12340000}},
    {spec::deselect_card(), {7, Response::none, 0}},
    {spec::mmc::send_ext_csd(), {8, Response::r1, 0}},
    {spec::sd::send_if_cond(), {8, Response::r7, 0x1aa}},
    {spec::send_csd(rca), {9, Response::r2, 0x12340000}},
    {spec::send_cid(rca), {10, Response::r2, 0x12340000}},
    {spec::stop_transmission(spec::Transfer::read), {12, Response::r1, 0}},
    {spec::stop_transmission(spec::Transfer::write), {12, Response::r1b, 0}},
    {spec::send_status(rca), {13, Response::r1, 0x12340000}},
    {spec::sd::send_sd_status(), {13, Response::r1, 0}},
    {spec::mmc::bustest_r(), {14, Response::r1, 0}},
    {spec::go_inactive_state(rca), {15, Response::none, 0x12340000}},
    {spec::set_blocklen(512), {16, Response::r1, 512}},
    {spec::read_single_block({7}), {17, Response::r1, 7}},
    {spec::read_multiple_block({7}), {18, Response::r1, 7}},
    {spec::mmc::bustest_w(), {19, Response::r1, 0}},
    {spec::sd::send_num_wr_blocks(), {22, Response::r1, 0}},
    {spec::set_block_count(8), {23, Response::r1, 8}},
    {spec::set_block_count(8, spec::Reliability::reliable), {23, Response::r1, 0x80000008}},
    {spec::sd::set_wr_blk_erase_count(0xff800001), {23, Response::r1, 1}},
    {spec::write_block({7}), {24, Response::r1, 7}},
    {spec::write_multiple_block({7}), {25, Response::r1, 7}},
    {spec::sd::erase_wr_blk_start({7}), {32, Response::r1, 7}},
    {spec::sd::erase_wr_blk_end({7}), {33, Response::r1, 7}},
    {spec::mmc::erase_group_start({7}), {35, Response::r1, 7}},
    {spec::mmc::erase_group_end({7}), {36, Response::r1, 7}},
    {spec::erase(), {38, Response::r1b, 0}},
    {spec::erase(spec::Erase::trim), {38, Response::r1b, 1}},
    {spec::erase(spec::Erase::discard), {38, Response::r1b, 3}},
    {spec::erase(spec::Erase::secure_erase), {38, Response::r1b, 0x80000000}},
    {spec::erase(spec::Erase::secure_trim_step_1), {38, Response::r1b, 0x80000001}},
    {spec::erase(spec::Erase::secure_trim_step_2), {38, Response::r1b, 0x80008000}},
    {spec::sd::app_send_op_cond(0x40ff8000), {41, Response::r3, 0x40ff8000}},
    {spec::sd::send_scr(), {51, Response::r1, 0}},
    {spec::app_cmd(rca), {55, Response::r1, 0x12340000}},
};

} // namespace

TEST(Commands, AreAsTheSpecificationsTablesSay) {
    for (const Expected& row : commands) {
        EXPECT_EQ(row.made, row.specified)
            << "CMD" << unsigned{row.specified.index} << " made with argument " << row.made.argument;
    }
}

TEST(Commands, TheFrameHoldsIndexAndArgumentHighestBitFirst) {
    const auto bytes = spec::frame({18, Response::r1, 0x12345678});
    const std::array<std::byte, 5> expected{std::byte{0x52}, std::byte{0x12}, std::byte{0x34}, std::byte{0x56},
                                            std::byte{0x78}};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), bytes.begin()));
}

TEST(Switch, SettingEraseGroupDefGivesTheArgumentSeenOnARealBoard) { // trace in gh-emmc-h616-csd
    const spec::mmc::Switch group_def{.index = spec::mmc::ext_csd::erase_group_def.index, .value = 1};
    EXPECT_EQ(spec::mmc::switch_mode(group_def), (Command{6, Response::r1b, 0x03af0100}));
}

TEST(SwitchFunc, LeavesTheGroupsAloneThatAreNotNamed) {
    EXPECT_EQ(spec::sd::switch_func({.set = false, .access_mode = 1}), (Command{6, Response::r1, 0x00fffff1}));
    EXPECT_EQ(spec::sd::switch_func({.set = true, .access_mode = 1}), (Command{6, Response::r1, 0x80fffff1}));
}

TEST(DataAddress, CountsBytesOnASmallCardAndSectorsOnALargeOne) {
    EXPECT_EQ(spec::address_of(3, spec::Addressing::byte).argument, 1536u);
    EXPECT_EQ(spec::address_of(3, spec::Addressing::sector).argument, 3u);
}

TEST(DataAddress, TheLastSectorOfA4GbByteAddressedCardFits) { // field case C01
    EXPECT_EQ(spec::address_of(8'040'447, spec::Addressing::byte).argument, 4'116'708'864u);
}

TEST(Ocr, OfA32GbEmmcSaysSectorsAndPoweredUp) { // xz-emmc-samsung-bjnb4r
    EXPECT_EQ(spec::mmc::ocr::addressing(0xc0ff8080), spec::Addressing::sector);
    EXPECT_TRUE(spec::ocr::PoweredUp::get(0xc0ff8080));
    EXPECT_TRUE(spec::ocr::DualVoltage::get(0xc0ff8080));
}

TEST(Ocr, OfAnSdhcCardSaysSectorsAndOfAnSdscCardBytes) { // gh-sd-cbads-16gb, gh-sd-mcume-sandisk-128mb
    EXPECT_EQ(spec::sd::ocr::addressing(0xc0ff8000), spec::Addressing::sector);
    EXPECT_EQ(spec::sd::ocr::addressing(0x80ff8000), spec::Addressing::byte);
    EXPECT_EQ(spec::mmc::ocr::addressing(0x80ff8000), spec::Addressing::byte);
}

TEST(Ocr, ACardThatIsBusyWithPowerUpHasBit31Clear) { EXPECT_FALSE(spec::ocr::PoweredUp::get(0x00ff8000)); }

TEST(Ocr, HostAndCardAgreeOnlyOnACommonVoltage) {
    EXPECT_TRUE(spec::ocr::voltages_agree(0x80ff8000, spec::ocr::v3_2_to_3_4));
    EXPECT_FALSE(spec::ocr::voltages_agree(0xc0000080, spec::ocr::v3_2_to_3_4)); // the high bits are no voltages
    EXPECT_TRUE(spec::ocr::voltages_agree(0xc0000080, spec::ocr::DualVoltage::mask));
}

RC_GTEST_PROP(Switch, IsReadFromTheArgumentThatItMade,
              (std::uint8_t access, std::uint8_t index, std::uint8_t value, std::uint8_t set)) {
    const spec::mmc::Switch what{static_cast<spec::mmc::Switch::Access>(access % 4), index, value,
                                 static_cast<std::uint8_t>(set % 8)};
    RC_ASSERT(spec::mmc::Switch::in(what.argument()) == what);
}

RC_GTEST_PROP(SwitchFunc, IsReadFromTheArgumentThatItMade,
              (bool set, std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d)) {
    const auto function = [](std::uint8_t n) { return static_cast<std::uint8_t>(n % 16); };
    const spec::sd::Functions what{set, function(a), function(b), function(c), function(d)};
    RC_ASSERT(spec::sd::Functions::in(what.argument()) == what);
}

RC_GTEST_PROP(InterfaceCondition, IsReadFromTheArgumentThatItMade, (std::uint8_t voltage, std::uint8_t pattern)) {
    const spec::sd::InterfaceCondition what{static_cast<std::uint8_t>(voltage % 16), pattern};
    RC_ASSERT(spec::sd::InterfaceCondition::in(what.argument()) == what);
}

RC_GTEST_PROP(DataAddress, NamesTheSectorThatItWasMadeOf, (std::uint32_t sector)) {
    RC_ASSERT(spec::sector_of(spec::address_of(sector, spec::Addressing::sector), spec::Addressing::sector) == sector);
    const std::uint32_t small = sector >> 9;
    RC_ASSERT(spec::sector_of(spec::address_of(small, spec::Addressing::byte), spec::Addressing::byte) == small);
}
