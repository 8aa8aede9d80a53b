// Packed commands: what a card allows, requests, and what came of one.

#include "mmcpipe/card/packed.h"

#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

namespace ext_csd = spec::mmc::ext_csd;
using base::Code;

struct Packed : CardFixture {
    static FakeCard packing() {
        FakeCard fake = FakeCard::emmc();
        spec::mmc::put(fake.ext_csd, ext_csd::max_packed_writes, 63);
        spec::mmc::put(fake.ext_csd, ext_csd::max_packed_reads, 60);
        return fake;
    }
    base::Result<void> fill(PackedPart part, std::uint32_t blocks) {
        return fill_packed(request, part, blocks, {1000}, {&buffer, 1}, properties());
    }

    std::array<std::byte, 512> memory{};
    host::Buffer buffer = memory;
    host::Request request;
};

TEST_F(Packed, TheLimitsAreTheCardsAndItsEventIsEnabled) {
    ASSERT_TRUE(bring_up(packing()));
    EXPECT_EQ(properties().max_packed_writes, 63);
    EXPECT_EQ(properties().max_packed_reads, 60);
    EXPECT_EQ(properties().packed_header_blocks, 1u);
    EXPECT_EQ(fake().ext_csd[56], std::byte{8});
}

TEST_F(Packed, ACardWithLargeSectorsHasALargeHeader) {
    FakeCard card = packing();
    spec::mmc::put(card.ext_csd, ext_csd::data_sector_size, 1);
    ASSERT_TRUE(bring_up(card));
    EXPECT_EQ(properties().packed_header_blocks, 8u);
}

TEST_F(Packed, ACardOrARevisionWithoutThemHasNoneAndNoEventIsAskedFor) {
    FakeCard old = packing();
    spec::mmc::put(old.ext_csd, ext_csd::ext_csd_rev, 5);
    for (const FakeCard& card : {old, FakeCard::emmc()}) {
        ASSERT_TRUE(bring_up(card));
        EXPECT_EQ(properties().max_packed_writes, 0);
        EXPECT_EQ(fake().ext_csd[56], std::byte{0});
        EXPECT_EQ(fill(PackedPart::write, 9), base::fail(Code::not_possible));
        EXPECT_EQ(fill(PackedPart::read, 8), base::fail(Code::not_possible));
    }
}

TEST_F(Packed, ACardThatDoesNotTellOfFailuresIsNotAskedToPack) {
    FakeCard card = packing();
    card.takes_exception_events = false;
    ASSERT_TRUE(bring_up(card));
    EXPECT_EQ(properties().max_packed_writes, 0);
    EXPECT_EQ(properties().mode.width, host::BusWidth::x8) << "and is none the worse for it";
}

TEST_F(Packed, AWriteIsOneRequestAndAReadIsTwo) {
    ASSERT_TRUE(bring_up(packing()));
    ASSERT_TRUE(fill(PackedPart::write, 9));
    EXPECT_EQ(request.set_block_count->command, spec::mmc::set_packed_count(9));
    EXPECT_EQ(request.command.command, spec::write_multiple_block({1000}));
    EXPECT_EQ(request.data->direction, host::Direction::write);
    EXPECT_EQ(request.data->blocks, 9u);
    EXPECT_FALSE(request.stop);

    ASSERT_TRUE(fill(PackedPart::read_header, 1));
    EXPECT_EQ(request.set_block_count->command, spec::mmc::set_packed_count(1));
    EXPECT_EQ(request.command.command, spec::write_multiple_block({1000}));
    ASSERT_TRUE(fill(PackedPart::read, 8));
    EXPECT_EQ(request.set_block_count->command, spec::mmc::set_packed_count(8));
    EXPECT_EQ(request.command.command, spec::read_multiple_block({1000}));
    EXPECT_EQ(request.data->direction, host::Direction::read);
}

TEST_F(Packed, BlocksAreCountedWithTheHeader) {
    ASSERT_TRUE(bring_up(packing()));
    EXPECT_EQ(fill(PackedPart::write, 1), base::fail(Code::out_of_range)) << "no data";
    EXPECT_EQ(fill(PackedPart::write, 0x10000), base::fail(Code::out_of_range));
    EXPECT_EQ(fill(PackedPart::read_header, 2), base::fail(Code::out_of_range));
    EXPECT_EQ(fill(PackedPart::read, 0), base::fail(Code::out_of_range));
    EXPECT_TRUE(fill(PackedPart::write, 0xffff));
}

TEST_F(Packed, TheStatusNamesTheEntryIfTheCardDoes) {
    ASSERT_TRUE(bring_up(packing()));
    const auto status = [this](std::uint32_t code, std::uint32_t index) {
        spec::mmc::put(fake().ext_csd, ext_csd::packed_command_status, code);
        spec::mmc::put(fake().ext_csd, ext_csd::packed_failure_index, index);
        const auto read = host->run(card->read_packed_status());
        EXPECT_TRUE(read);
        return read.value_or(PackedStatus{});
    };
    EXPECT_EQ(status(0, 7), (PackedStatus{false, 0}));
    EXPECT_EQ(status(1, 7), (PackedStatus{true, 0}));
    EXPECT_EQ(status(3, 7), (PackedStatus{true, 7}));
}

} // namespace
} // namespace mmcpipe::card
