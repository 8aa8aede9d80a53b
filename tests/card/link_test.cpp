// Single commands: what is checked, what is waited for, what is sent again.

#include "mmcpipe/card/link.h"

#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

using base::Code;
using base::Error;
using base::milliseconds;
using base::Result;

struct Linked : CardFixture {
    void SetUp() override { use(FakeCard::emmc()); }
    Link& link() { return card->link(); }
    std::array<std::byte, 512> buffer{};
};

TEST_F(Linked, TheErrorBitsOfR1AreAnError) {
    fake().errors = spec::r1::AddressOutOfRange::mask | spec::r1::IllegalCommand::mask;
    EXPECT_EQ(host->run(link().command(spec::set_blocklen(512))),
              base::fail(Code::r1_error, spec::r1::AddressOutOfRange::mask));
}

TEST_F(Linked, WhatR1SaysOfTheCommandBeforeIsNoError) {
    fake().errors = spec::r1::ComCrcError::mask | spec::r1::IllegalCommand::mask;
    EXPECT_TRUE(host->run(link().command(spec::set_blocklen(512))));
}

TEST_F(Linked, TheErrorBitsOfR1ToAnApplicationCommandAreAnError) {
    use(FakeCard::sdhc());
    host->on_command = [](FakeHost& host, const std::string& what) {
        if (what == "ACMD6") host.card.errors = spec::r1::Error::mask;
    };
    EXPECT_EQ(host->run(link().app_command(spec::sd::set_bus_width(spec::sd::BusWidth::x4))),
              base::fail(Code::r1_error, spec::r1::Error::mask));
}

TEST_F(Linked, TheErrorBitOfR6IsAnError) {
    use(FakeCard::sdhc());
    fake().state = spec::State::stby;
    fake().errors = spec::r1::Error::mask;
    EXPECT_EQ(host->run(link().command(spec::sd::send_relative_addr())),
              base::fail(Code::r1_error, spec::r1::Error::mask));
}

TEST_F(Linked, StatusIsGivenAsItIs) {
    fake().errors = spec::r1::CardEccFailed::mask;
    const Result<std::uint32_t> status = host->run(link().status());
    ASSERT_TRUE(status);
    EXPECT_TRUE(spec::r1::CardEccFailed::get(*status));
}

TEST_F(Linked, AfterR1bTheCardIsAskedUntilItIsInTheTransferState) {
    fake().switch_busy = milliseconds(3);
    const Result<std::uint32_t> status =
        host->run(link().command(spec::mmc::switch_mode({.index = 163, .value = 1}), milliseconds(50)));
    ASSERT_TRUE(status);
    EXPECT_TRUE(spec::r1::in_transfer_state(*status));
    EXPECT_GT(host->count("CMD13"), 3u);
}

TEST_F(Linked, BusyBeyondTheTimeOutOfTheCommandIsAnError) {
    fake().switch_busy = milliseconds(60);
    const Result<std::uint32_t> status =
        host->run(link().command(spec::mmc::switch_mode({.index = 163, .value = 1}), milliseconds(50)));
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::busy_timeout);
}

TEST_F(Linked, AHostThatDoesNotWaitForBusyIsToldOfNone) {
    host->can().longest_busy = base::seconds(1);
    host->run(link().command(spec::erase(), milliseconds(500)));
    EXPECT_EQ(host->commands[0].response, spec::Response::r1);
}

TEST_F(Linked, AHostThatWaitsForBusyIsToldOfItUpToItsLimit) {
    host->can().detects_busy = true;
    host->can().longest_busy = milliseconds(500);
    host->run(link().command(spec::erase(), milliseconds(500)));
    EXPECT_EQ(host->commands[0].response, spec::Response::r1b);
    host->forget();
    host->run(link().command(spec::erase(), milliseconds(501)));
    EXPECT_EQ(host->commands[0].response, spec::Response::r1);
}

TEST_F(Linked, AnApplicationCommandToACardThatDoesNotTakeItForOneIsNotSent) {
    use(FakeCard::sdhc());
    host->on_command = [](FakeHost& host, const std::string& what) {
        if (what == "CMD55") host.card.forgets_app_cmd = true;
    };
    const Result<std::uint32_t> sent = host->run(link().app_command(spec::sd::set_bus_width(spec::sd::BusWidth::x4)));
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, Code::not_supported);
    EXPECT_EQ(log(), Trace{"CMD55"});
}

TEST_F(Linked, WhatTheTableDoesNotNameIsSentOnce) {
    for (const spec::Command& command : {spec::erase(), spec::stop_transmission(spec::Transfer::read),
                                         spec::mmc::switch_mode({.index = 163}), spec::set_block_count(1)}) {
        host->forget();
        host->faults = {{"CMD" + std::to_string(command.index), Error(Code::command_crc)}};
        EXPECT_EQ(host->run(link().command(command, milliseconds(50))), base::fail(Code::command_crc));
        EXPECT_EQ(host->commands.size(), 1u);
    }
}

TEST_F(Linked, AnErrorOfTheHostIsNotTriedAgain) {
    host->faults = {{"CMD13", Error(Code::software_timeout)}};
    EXPECT_EQ(host->run(link().status()), base::fail(Code::software_timeout));
    EXPECT_EQ(log(), Trace{"CMD13"});
}

TEST_F(Linked, ARegisterReadThatTheCardRefusesFailsWithItsReasonAndNotByTimeOut) {
    fake().gives_ext_csd = false;
    fake().errors = spec::r1::Error::mask;
    EXPECT_EQ(host->run(link().read(spec::mmc::send_ext_csd(), buffer, milliseconds(100))),
              base::fail(Code::r1_error, spec::r1::Error::mask));
    EXPECT_EQ(log(), Trace{"CMD8"});
}

TEST_F(Linked, ACardThatIsStillSendingIsStoppedBeforeItIsAskedAgain) {
    host->faults = {{.at = "CMD8", .error = Error(Code::data_timeout), .card_goes_on = true}};
    EXPECT_TRUE(host->run(link().read(spec::mmc::send_ext_csd(), buffer, milliseconds(100))));
    EXPECT_EQ(log(), (Trace{"CMD8", "CMD13", "CMD12", "CMD8"}));
}

TEST_F(Linked, ACardIsNotLeftSendingAfterTheLastTry) {
    host->faults = {{.at = "CMD8", .error = Error(Code::data_timeout), .times = 3, .card_goes_on = true}};
    EXPECT_FALSE(host->run(link().read(spec::mmc::send_ext_csd(), buffer, milliseconds(100))));
    EXPECT_EQ(fake().state, spec::State::tran);
}

TEST_F(Linked, StopSendsCmd12OnlyToACardInTheMiddleOfATransfer) {
    EXPECT_TRUE(host->run(link().stop()));
    EXPECT_EQ(log(), Trace{"CMD13"});
    for (const spec::State state : {spec::State::data, spec::State::rcv}) {
        host->forget();
        fake().state = state;
        EXPECT_TRUE(host->run(link().stop()));
        EXPECT_EQ(log(), (Trace{"CMD13", "CMD12"}));
    }
}

TEST_F(Linked, StopLeavesTheWaitingToWhoeverAsksNext) {
    host->can().detects_busy = true;
    fake().state = spec::State::rcv;
    EXPECT_TRUE(host->run(link().stop()));
    EXPECT_EQ(host->commands.back(), (spec::Command{12, spec::Response::r1, 0}));
    EXPECT_EQ(fake().state, spec::State::prg);
    EXPECT_TRUE(host->run(link().wait_ready(milliseconds(500))));
}

TEST_F(Linked, AStopThatFailsIsNoErrorOfItsOwn) {
    fake().state = spec::State::data;
    host->faults = {{"CMD12", Error(Code::command_crc)}};
    EXPECT_TRUE(host->run(link().stop()));
    EXPECT_EQ(fake().state, spec::State::tran);
}

/// One row of the table of what may be sent again.
struct Again : CardFixture, testing::WithParamInterface<Patience> {
    Result<void> send(const Patience& row) {
        static constexpr auto forget_value = [](auto result) {
            return result ? Result<void>{} : Result<void>(base::fail(result.error()));
        };
        Link& link = card->link();
        const std::span<std::byte> buffer(bytes);
        switch (row.index) {
        case 8: return host->run(link.read(spec::mmc::send_ext_csd(), buffer, milliseconds(100)));
        case 9: return forget_value(host->run(link.long_command(spec::send_csd(link.peer.rca))));
        case 10: return forget_value(host->run(link.long_command(spec::send_cid(link.peer.rca))));
        case 13: {
            if (row.prefix == Prefix::none) return forget_value(host->run(link.status()));
            return host->run(link.app_read(spec::sd::send_sd_status(), buffer.first(64), milliseconds(100)));
        }
        case 16: return forget_value(host->run(link.command(spec::set_blocklen(512))));
        case 22: return host->run(link.app_read(spec::sd::send_num_wr_blocks(), buffer.first(4), milliseconds(100)));
        case 51: return host->run(link.app_read(spec::sd::send_scr(), buffer.first(8), milliseconds(100)));
        default: return base::fail(Code::not_possible);
        }
    }
    alignas(64) std::array<std::byte, 512> bytes{};
};

TEST_P(Again, IsSentAsOftenAsTheTableSaysAndNoMore) {
    const Patience& row = GetParam();
    use(row.index == 8 ? FakeCard::emmc() : FakeCard::sdhc());
    if (row.index == 9 || row.index == 10) fake().state = spec::State::stby;
    const std::string name = (row.prefix == Prefix::application ? "ACMD" : "CMD") + std::to_string(row.index);

    host->faults = {{name, Error(Code::command_crc), row.tries - 1}};
    EXPECT_TRUE(send(row));
    EXPECT_EQ(host->count(name), row.tries);

    host->forget();
    host->faults = {{name, Error(Code::command_crc), row.tries}};
    EXPECT_EQ(send(row), base::fail(Code::command_crc));
    EXPECT_EQ(host->count(name), row.tries);
}

constexpr Patience expected_patience[] = {
    {9, Prefix::none, false, 3},        {10, Prefix::none, false, 3},       {13, Prefix::none, false, 3},
    {16, Prefix::none, false, 3},       {8, Prefix::none, true, 3},         {51, Prefix::application, true, 3},
    {13, Prefix::application, true, 5}, {22, Prefix::application, true, 3},
};

INSTANTIATE_TEST_SUITE_P(EachRow, Again, testing::ValuesIn(expected_patience), [](const auto& row) {
    return (row.param.prefix == Prefix::application ? "Acmd" : "Cmd") + std::to_string(row.param.index);
});

TEST(Patience, HasNoRowWithoutATest) { EXPECT_EQ(patience.size(), std::size(expected_patience)); }

} // namespace
} // namespace mmcpipe::card
