// The PXA MMC driver: commands, responses, the clock, time-outs. What is about data is in pxamci_data_test.cpp.

#include "pxamci_fixture.h"

namespace mmcpipe::host::pxamci {
namespace {

using Writes = std::vector<FakeIo::Write>;

TEST_F(PxamciTest, ACommandIsProgrammedWhileTheClockStandsStillAndStartsWithIt) {
    make(pxa27x);
    command({.index = 13, .response = spec::Response::r1, .argument = 0x12345678});
    start();
    EXPECT_EQ(io.writes, (Writes{{offset::command, 13},
                                 {offset::argument_high, 0x1234},
                                 {offset::argument_low, 0x5678},
                                 {offset::command_data, 1u | 1u << 6 | 1u << 8}, // R1, 80 clocks, 4 lines
                                 {offset::clock, clock::start},
                                 {offset::mask, 0x1fff & ~interrupt::command_done}}));
}

TEST_F(PxamciTest, BeforeTheNextCommandTheClockIsStoppedAndWaitedFor) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    respond();
    drain();
    io.writes.clear();
    clock_stops = false; // not at once
    int reads = 0;
    io.on_read = [&](std::uint32_t at) {
        if (at != offset::interrupts) return;
        EXPECT_EQ(io.writes, (Writes{{offset::clock, clock::stop}}));
        if (++reads == 5) io.registers[offset::interrupts] |= interrupt::clock_is_off;
    };
    start();
    EXPECT_EQ(reads, 5);
    EXPECT_EQ(count(offset::command), 1u);
}

TEST_F(PxamciTest, AClockThatDoesNotStopEndsTheRequestAndNothingIsProgrammed) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    respond();
    drain();
    io.writes.clear();
    clock_stops = false;
    io.on_read = [&](std::uint32_t at) {
        if (at == offset::interrupts) environment.idle(environment.now() + base::microseconds(10));
    };
    start();
    drain();
    EXPECT_TRUE(ended);
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::software_timeout);
    EXPECT_EQ(count(offset::command), 0u);
}

TEST_F(PxamciTest, OnlyTheFirstCommandAfterPowerUpComesAfterEightyClocks) {
    make(pxa27x);
    for (int i = 0; i < 2; ++i) {
        command(spec::send_status({1}));
        start();
        respond();
        drain();
    }
    const auto words = written(offset::command_data);
    EXPECT_TRUE(command_data::Initialise::get(words[0]));
    EXPECT_FALSE(command_data::Initialise::get(words[1]));
}

TEST_F(PxamciTest, AShortResponseIsTheThirtyTwoBitsBehindTheIndex) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    respond(0x12345678);
    drain();
    EXPECT_TRUE(ended);
    EXPECT_FALSE(request.error);
    EXPECT_EQ(request.command.response[0], 0x12345678u);
    EXPECT_EQ(unmasked(), 0u);
}

TEST_F(PxamciTest, ALongResponseIsReadInEightHalfWordsWithoutItsCrc) {
    make(pxa27x);
    command(spec::all_send_cid());
    start();
    io.queues[offset::response] = {0x3f01, 0x2345, 0x6789, 0xabcd, 0xef02, 0x4681, 0x3579, 0xace0, 0xffff};
    say(status::command_done, interrupt::command_done);
    line.interrupt();
    drain();
    EXPECT_EQ(request.command.response, (std::array<std::uint32_t, 4>{0x01234567, 0x89abcdef, 0x02468135, 0x79ace000}));
    EXPECT_EQ(io.queues[offset::response].size(), 1u);
}

struct LongResponse {
    Variant variant;
    std::uint32_t first_bits;
    bool error;
};

TEST_F(PxamciTest, TheFalseCrcErrorOfALongResponseThatBeginsWithOneIsNoErrorWhereItIsAnErratum) {
    for (const LongResponse& c :
         {LongResponse{pxa27x, 0x80, false}, LongResponse{pxa27x, 0x7f, true}, LongResponse{pxa25x, 0x80, true}}) {
        make(c.variant);
        command(spec::all_send_cid());
        start();
        io.queues[offset::response] = {0x3f00 | c.first_bits, 0, 0, 0, 0, 0, 0, 0};
        say(status::command_done | status::response_crc, interrupt::command_done);
        line.interrupt();
        drain();
        EXPECT_EQ(request.error.has_value(), c.error) << c.first_bits;
        EXPECT_TRUE(!request.error || request.error->code == base::Code::command_crc);
        drop();
    }
}

TEST_F(PxamciTest, AWrongCrcOfAShortResponseIsAnErrorWhateverItBeginsWith) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    say(status::response_crc, 0);
    respond(0x80000900);
    drain();
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::command_crc);
}

TEST_F(PxamciTest, NoResponseIsACommandTimeOutAlsoIfNothingElseIsSaid) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    say(status::response_time_out, interrupt::command_done); // without END_CMD_RES in MMC_STAT
    line.interrupt();
    drain();
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::command_timeout);
}

TEST_F(PxamciTest, AnInterruptThatComesAfterTheEndIsNotTheDriversAndChangesNothing) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    respond();
    drain();
    ended = false;
    say(status::data_done, interrupt::data_done | interrupt::receive_request);
    EXPECT_FALSE(line.interrupt());
    drain();
    EXPECT_FALSE(ended);
}

TEST_F(PxamciTest, WhatAnEarlierCommandHasLeftInTheInterruptRegisterEndsNoCommand) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    io.registers[offset::interrupts] |= interrupt::command_done; // MMC_STAT knows nothing of it
    line.interrupt();
    drain();
    EXPECT_FALSE(ended);
    respond();
    drain();
    EXPECT_TRUE(ended);
    EXPECT_FALSE(request.error);
}

TEST_F(PxamciTest, WhatTheHandlerWritesIsReadBackSoThatTheLineIsDownWhenItReturns) {
    make(pxa27x);
    data(Direction::read, 2);
    request.set_block_count.emplace();
    request.set_block_count->command = spec::set_block_count(2);
    start();
    std::size_t written_before = 0;
    io.on_read = [&](std::uint32_t at) {
        if (at == offset::mask) written_before = io.writes.size();
    };
    respond(); // the next command starts, and the mask stays
    EXPECT_EQ(io.writes.back().first, offset::clock);
    EXPECT_EQ(written_before, io.writes.size());
    respond(); // the mask changes
    EXPECT_EQ(io.writes.back().first, offset::mask);
    EXPECT_EQ(written_before, io.writes.size());
}

TEST_F(PxamciTest, WhenAnInterruptIsLostTheWatchdogFindsTheResponse) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    io.queues[offset::response] = {0x3f00, 0x0009, 0x0000};
    say(status::command_done, interrupt::command_done); // and nobody is interrupted
    executor.run_until([&] { return ended; });
    EXPECT_FALSE(request.error);
    EXPECT_LT(environment.now(), base::Instant{} + base::milliseconds(200));
}

TEST_F(PxamciTest, AControllerThatNeverAnswersEndsTheRequestAndItsSequence) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    io.writes.clear();
    executor.run_until([&] { return ended; });
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::software_timeout);
    EXPECT_EQ(written(offset::clock), std::vector<std::uint32_t>{clock::stop});
    EXPECT_EQ(unmasked(), 0u);
}

TEST_F(PxamciTest, TheClockIsTheFastestThatIsNotFasterThanWanted) {
    make(pxa27x);
    const std::array<std::pair<std::uint32_t, std::uint32_t>, 5> rates{
        {{25'000'000, 0}, {19'500'000, 0}, {19'499'999, 1}, {400'000, 6}, {2'437'500, 3}}};
    for (const auto& [wanted, rate] : rates) {
        io.writes.clear();
        run_task(driver->apply({.supply = port::Supply::v3_3, .clock = {wanted}}));
        EXPECT_EQ(written(offset::clock_rate), std::vector{rate}) << wanted;
    }
    EXPECT_EQ(driver->capabilities().slowest, base::Hertz{304'688});
    EXPECT_EQ(driver->capabilities().fastest, base::Hertz{19'500'000});
}

TEST_F(PxamciTest, TheRateIsSetWhileTheClockStandsStill) {
    make(pxa27x);
    command(spec::send_status({1}));
    start();
    respond();
    drain();
    io.writes.clear();
    run_task(driver->apply({.supply = port::Supply::v3_3, .clock = {400'000}}));
    EXPECT_EQ(io.writes, (Writes{{offset::clock, clock::stop}, {offset::clock_rate, 6}}));
}

TEST_F(PxamciTest, OneVariantHasFourLinesAndTheOtherOne) {
    make(pxa27x);
    EXPECT_EQ(driver->capabilities().widest, BusWidth::x4);
    drop();
    make(pxa25x);
    EXPECT_EQ(driver->capabilities().widest, BusWidth::x1);
    drop();
    board.lines = 1;
    make(pxa27x);
    EXPECT_EQ(driver->capabilities().widest, BusWidth::x1);
}

TEST_F(PxamciTest, AControllerThatWasLeftRunningIsStoppedAndMasked) {
    io.registers[offset::status] = status::clock_on;
    driver.emplace(Wiring{io, line, board}, pxa25x, executor, frames);
    ASSERT_GE(io.writes.size(), 2u);
    EXPECT_EQ(io.writes[0], FakeIo::Write(offset::mask, 0x7f));
    EXPECT_EQ(io.writes[1], FakeIo::Write(offset::clock, clock::stop));
}

TEST_F(PxamciTest, ACommandThatFailsAfterItsCountIsNotSent) {
    make(pxa27x);
    data(Direction::read, 2);
    request.set_block_count.emplace();
    request.set_block_count->command = spec::set_block_count(2);
    start();
    EXPECT_EQ(written(offset::command), std::vector<std::uint32_t>{23});
    say(status::response_time_out, interrupt::command_done);
    line.interrupt();
    drain();
    EXPECT_TRUE(ended);
    EXPECT_EQ(written(offset::command), std::vector<std::uint32_t>{23});
    EXPECT_EQ(request.error->code, base::Code::command_timeout);
}

} // namespace
} // namespace mmcpipe::host::pxamci
