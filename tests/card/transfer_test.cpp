// From sectors to a request, and from its end to a verdict.

#include "mmcpipe/card/transfer.h"

#include "mmcpipe/card/erase.h"
#include "mmcpipe/host/transaction.h"
#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

using base::Code;
using base::Error;
using base::Result;
using host::Direction;

struct Transfers : CardFixture {
    void SetUp() override { use(FakeCard::emmc()); }

    Transfer eight(Direction direction, Bounding bounding, std::uint64_t sector = 100) {
        Transfer transfer;
        transfer.direction = direction;
        transfer.bounding = bounding;
        transfer.sector = sector;
        transfer.blocks = bounding == Bounding::single ? 1 : 8;
        return transfer;
    }
    Result<void> fill(const Transfer& transfer) { return card->fill(request, transfer); }

    /// A request that ended well.
    void ended_well() {
        request.bytes_done = request.data->bytes();
        request.command.response[0] = spec::r1::status(spec::State::tran, true);
        if (request.stop) request.stop->response[0] = spec::r1::status(spec::State::data, true);
    }

    host::Request request;
};

TEST_F(Transfers, EachBoundingHasItsCommands) {
    struct {
        Direction direction;
        Bounding bounding;
        std::uint8_t command;
        std::optional<std::uint8_t> before, stop;
    } constexpr rows[] = {
        {Direction::read, Bounding::single, 17, {}, {}},     {Direction::write, Bounding::single, 24, {}, {}},
        {Direction::read, Bounding::open_ended, 18, {}, 12}, {Direction::write, Bounding::open_ended, 25, {}, 12},
        {Direction::read, Bounding::predefined, 18, 23, {}}, {Direction::write, Bounding::predefined, 25, 23, {}},
    };
    for (const auto& row : rows) {
        ASSERT_TRUE(fill(eight(row.direction, row.bounding)));
        EXPECT_EQ(request.command.command.index, row.command);
        EXPECT_EQ(request.command.command.argument, 100u);
        EXPECT_EQ(request.set_block_count.has_value(), row.before.has_value());
        EXPECT_EQ(request.stop.has_value(), row.stop.has_value());
        if (row.before) {
            EXPECT_EQ(request.set_block_count->command, spec::set_block_count(8));
        }
        if (row.stop) {
            EXPECT_EQ(request.stop->command.index, *row.stop);
        }
        EXPECT_EQ(request.data->direction, row.direction);
        EXPECT_EQ(request.data->blocks, row.bounding == Bounding::single ? 1u : 8u);
    }
}

TEST_F(Transfers, ACardThatCountsInBytesGetsBytes) {
    use(FakeCard::sdsc());
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::open_ended)));
    EXPECT_EQ(request.command.command.argument, 51'200u);
}

TEST_F(Transfers, TimeOutsAreThoseOfTheDirection) {
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::single)));
    EXPECT_EQ(request.data->timeout, properties().times.read);
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::single)));
    EXPECT_EQ(request.data->timeout, properties().times.write);
}

TEST_F(Transfers, TheStopOfAWriteIsBusyForAsLongAsAWriteIfTheHostCanWait) {
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::open_ended)));
    EXPECT_EQ(request.stop->command.response, spec::Response::r1);
    host->can().longest_busy = properties().times.write;
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::open_ended)));
    EXPECT_EQ(request.stop->command.response, spec::Response::r1) << "it cannot";
    host->can().detects_busy = true;
    host->can().longest_busy = properties().times.write - base::milliseconds(1);
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::open_ended)));
    EXPECT_EQ(request.stop->command.response, spec::Response::r1) << "not so long";
    host->can().longest_busy = properties().times.write;
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::open_ended)));
    EXPECT_EQ(request.stop->command.response, spec::Response::r1b);
    EXPECT_EQ(request.stop->busy_timeout, properties().times.write);
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::open_ended)));
    EXPECT_EQ(request.stop->command.response, spec::Response::r1);
}

TEST_F(Transfers, NothingReachesBeyondTheEndOfTheCard) {
    const std::uint64_t sectors = properties().capacity.sectors();
    EXPECT_TRUE(fill(eight(Direction::read, Bounding::predefined, sectors - 8)));
    EXPECT_EQ(fill(eight(Direction::read, Bounding::predefined, sectors - 7)), base::fail(Code::out_of_range));
    EXPECT_EQ(fill(eight(Direction::read, Bounding::single, sectors)), base::fail(Code::out_of_range));
    EXPECT_EQ(fill(eight(Direction::read, Bounding::single, sectors + 1)), base::fail(Code::out_of_range));
    EXPECT_EQ(fill(eight(Direction::read, Bounding::single, UINT64_MAX)), base::fail(Code::out_of_range));
}

TEST_F(Transfers, NumbersOfBlocksThatTheCommandCannotSayAreOutOfRange) {
    Transfer transfer = eight(Direction::read, Bounding::predefined);
    transfer.blocks = 0;
    EXPECT_EQ(fill(transfer), base::fail(Code::out_of_range));
    transfer.blocks = 0x10000;
    EXPECT_EQ(fill(transfer), base::fail(Code::out_of_range));
    transfer = eight(Direction::read, Bounding::single);
    transfer.blocks = 2;
    EXPECT_EQ(fill(transfer), base::fail(Code::out_of_range));
}

TEST_F(Transfers, MoreBytesThan32BitsCountAreOutOfRange) {
    Transfer transfer = eight(Direction::read, Bounding::open_ended);
    transfer.blocks = 0x800000;
    EXPECT_EQ(fill(transfer), base::fail(Code::out_of_range));
}

TEST_F(Transfers, SectorsThatTheArgumentCannotNameAreOutOfRange) {
    FakeCard large = FakeCard::sdhc();
    spec::sd::Csd csd = spec::sd::Csd::decode(large.csd);
    csd.csd_structure = 2;
    csd.c_size = 7'811'775; // 8 TB
    large.csd = csd.encode();
    use(large);
    EXPECT_TRUE(fill(eight(Direction::read, Bounding::single, UINT32_MAX)));
    EXPECT_EQ(fill(eight(Direction::read, Bounding::single, std::uint64_t{1} << 32)), base::fail(Code::out_of_range));
    const Sectors range{std::uint64_t{1} << 32, 8};
    EXPECT_EQ(host->run(erase(*card, range)), base::fail(Code::out_of_range));
}

TEST_F(Transfers, Cmd23IsNotForACardWithoutIt) {
    use(FakeCard::sdsc());
    EXPECT_EQ(fill(eight(Direction::read, Bounding::predefined)), base::fail(Code::not_possible));
    EXPECT_TRUE(fill(eight(Direction::read, Bounding::open_ended)));
}

TEST_F(Transfers, ACardThatCannotBeWrittenIsNotWritten) {
    FakeCard rom = FakeCard::sdhc();
    spec::sd::Csd csd = spec::sd::Csd::decode(rom.csd);
    csd.ccc = 0x5a5;
    rom.csd = csd.encode();
    use(rom);
    EXPECT_EQ(fill(eight(Direction::write, Bounding::single)), base::fail(Code::not_possible));
    EXPECT_TRUE(fill(eight(Direction::read, Bounding::single)));
}

TEST_F(Transfers, OtherBlockSizesAreForCardsWhoseCsdAllowsThem) {
    Transfer transfer = eight(Direction::read, Bounding::single, 0);
    transfer.block_size = 64;
    EXPECT_EQ(fill(transfer), base::fail(Code::not_possible));

    use(FakeCard::sdsc());
    EXPECT_TRUE(fill(transfer));
    transfer.block_size = 1025;
    EXPECT_EQ(fill(transfer), base::fail(Code::not_possible));
    transfer.block_size = 64;
    transfer.direction = Direction::write;
    EXPECT_EQ(fill(transfer), base::fail(Code::not_possible)) << "WRITE_BL_PARTIAL is 0";
}

TEST_F(Transfers, SetBlockLengthFollowsTheCsdToo) {
    EXPECT_EQ(host->run(card->set_block_length(64)), base::fail(Code::not_possible));
    use(FakeCard::sdsc());
    EXPECT_TRUE(host->run(card->set_block_length(64)));
    EXPECT_EQ(fake().block_length, 64u);
}

TEST_F(Transfers, ALockedCardRefusesBeforeAnythingIsSent) {
    FakeCard locked = FakeCard::emmc();
    locked.locked = true;
    use(locked);
    const Result<void> refused = base::fail(Code::r1_error, spec::r1::CardIsLocked::mask);
    EXPECT_EQ(fill(eight(Direction::read, Bounding::single)), refused);
    const Sectors range{0, 1024};
    EXPECT_EQ(host->run(erase(*card, range)), refused);
    EXPECT_EQ(host->run(card->set_block_length(512)), refused);
    EXPECT_TRUE(log().empty());
}

TEST_F(Transfers, AllBytesAndNoErrorIsTheOnlyGoodEnd) {
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::open_ended)));
    ended_well();
    EXPECT_TRUE(verdict(request, properties()));
    request.bytes_done -= 512;
    request.host_status = 0x42;
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::dma_error, 0x42));
}

TEST_F(Transfers, TheFirstErrorInTimeWins) {
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::open_ended)));
    ended_well();
    request.stop->error = Error(Code::command_crc);
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::command_crc));
    request.error = Error(Code::data_crc);
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::data_crc));
    request.command.response[0] |= spec::r1::AddressMisalign::mask;
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::r1_error, spec::r1::AddressMisalign::mask));
}

TEST_F(Transfers, ADamagedResponseIsNotJudged) {
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::predefined)));
    ended_well();
    request.error = request.command.error = Error(Code::command_crc);
    request.command.response[0] = ~0u;
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::command_crc));

    ASSERT_TRUE(fill(eight(Direction::read, Bounding::predefined)));
    request.error = request.set_block_count->error = Error(Code::command_crc);
    request.set_block_count->response[0] = ~0u;
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::command_crc));
}

TEST_F(Transfers, ErrorBitsOfTheStopAreErrors) {
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::open_ended)));
    ended_well();
    request.stop->response[0] |= spec::r1::CardEccFailed::mask;
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::r1_error, spec::r1::CardEccFailed::mask));
}

TEST_F(Transfers, ErrorBitsOfCmd23AreErrors) {
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::predefined)));
    ended_well();
    request.set_block_count->response[0] |= spec::r1::Error::mask;
    EXPECT_EQ(verdict(request, properties()), base::fail(Code::r1_error, spec::r1::Error::mask));
}

TEST_F(Transfers, OutOfRangeAfterReadingTheLastSectorIsNoError) {
    const std::uint64_t sectors = properties().capacity.sectors();
    for (const bool last : {true, false}) {
        ASSERT_TRUE(fill(eight(Direction::read, Bounding::open_ended, sectors - (last ? 8 : 9))));
        ended_well();
        request.stop->response[0] |= spec::r1::AddressOutOfRange::mask;
        EXPECT_EQ(verdict(request, properties()).has_value(), last);
    }
    ASSERT_TRUE(fill(eight(Direction::write, Bounding::open_ended, sectors - 8)));
    ended_well();
    request.stop->response[0] |= spec::r1::AddressOutOfRange::mask;
    EXPECT_FALSE(verdict(request, properties())) << "a write";
}

TEST_F(Transfers, ARequestCanBeFilledAgain) {
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::open_ended)));
    request.error = Error(Code::data_crc);
    request.bytes_done = 512;
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::single)));
    EXPECT_FALSE(request.error);
    EXPECT_FALSE(request.stop);
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::predefined)));
    ASSERT_TRUE(fill(eight(Direction::read, Bounding::open_ended)));
    EXPECT_FALSE(request.set_block_count);
    EXPECT_EQ(request.bytes_done, 0u);
}

} // namespace
} // namespace mmcpipe::card
