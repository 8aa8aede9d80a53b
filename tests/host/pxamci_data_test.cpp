// The PXA MMC driver: data, by PIO and by DMA.

#include "pxamci_fixture.h"

#include <algorithm>

namespace mmcpipe::host::pxamci {
namespace {

using Ends = std::vector<std::uint32_t>;

// --- PIO ---

TEST_F(PxamciTest, AReadByPioTakesHalfAFifoForEachRequestAndTheRestAtTheEnd) {
    make(pxa27x);
    data(Direction::read, 1, 512);
    start();
    EXPECT_EQ(written(offset::block_length), Ends{512});
    EXPECT_EQ(written(offset::blocks), Ends{1});
    respond();
    EXPECT_EQ(unmasked(), interrupt::data_done | interrupt::receive_request);

    io.registers[offset::receive_fifo] = 0x5a;
    int asked = 0;
    io.on_read = [&](std::uint32_t at) { // the request is up twice, and the third time it is not
        if (at == offset::interrupts && ++asked == 4) io.registers[at] &= ~interrupt::receive_request;
    };
    say(0, interrupt::receive_request);
    line.interrupt();
    EXPECT_EQ(io.reads[offset::receive_fifo], 64);

    asked = -100;
    say(0, interrupt::receive_request);
    end_data();
    EXPECT_EQ(io.reads[offset::receive_fifo], 512);
    EXPECT_TRUE(std::ranges::all_of(buffer, [](std::byte b) { return b == std::byte{0x5a}; }));
    EXPECT_EQ(written(offset::command), (Ends{18, 12}));
    io.on_read = {};
    respond();
    drain();
    EXPECT_TRUE(ended);
    EXPECT_EQ(request.bytes_done, 512u);
}

TEST_F(PxamciTest, AWriteByPioBeginsAfterTheResponse) {
    make(pxa25x);
    data(Direction::write, 1, 64);
    start();
    say(0, interrupt::transmit_request);
    EXPECT_FALSE(line.interrupt());  // masked
    say(0, interrupt::command_done); // of an older command
    EXPECT_TRUE(line.interrupt());
    EXPECT_EQ(count(offset::transmit_fifo), 0u);
    respond();
    EXPECT_EQ(count(offset::transmit_fifo), 64u);
    EXPECT_EQ(count(offset::part_full), 0u);
}

TEST_F(PxamciTest, TheLastBytesOfABlockThatDoNotFillTheFifoAreHandedOver) {
    make(pxa25x);
    data(Direction::write, 2, 40);
    start();
    say(0, interrupt::transmit_request);
    respond();
    EXPECT_EQ(count(offset::transmit_fifo), 80u);
    std::vector<std::size_t> after;
    std::size_t bytes = 0;
    for (const auto& [at, value] : io.writes) {
        if (at == offset::transmit_fifo) ++bytes;
        if (at == offset::part_full) after.push_back(bytes);
    }
    EXPECT_EQ(after, (std::vector<std::size_t>{40, 80})) << "one for each block";
}

TEST_F(PxamciTest, WhenAllBytesAreMovedOnlyTheEndIsWaitedFor) {
    make(pxa27x);
    data(Direction::write, 1, 64);
    start();
    say(0, interrupt::transmit_request);
    respond();
    EXPECT_EQ(unmasked(), interrupt::data_done);
}

TEST_F(PxamciTest, AReadThatEndsWithBytesMissingIsAnError) {
    make(pxa27x);
    data(Direction::read, 1, 64);
    start();
    respond();
    end_data();
    respond();
    drain();
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::overrun);
    EXPECT_EQ(request.bytes_done, 0u);
}

// --- DMA ---

/// Whether the channel was started before the response, behind the clock.
bool starts_with_the_clock(const std::vector<FakeIo::Write>& writes) {
    const auto place = [&](std::uint32_t at) { return std::ranges::find(writes, at, &FakeIo::Write::first); };
    return place(FakeChannel::started) != writes.end() && place(offset::clock) < place(FakeChannel::started);
}

TEST_F(PxamciTest, TheDmaOfAReadStartsBehindItsCommand) {
    for (const Variant& variant : {pxa25x, pxa27x}) {
        make(variant, true);
        data(Direction::read, 2);
        start();
        EXPECT_TRUE(command_data::Dma::get(written(offset::command_data)[0]));
        EXPECT_TRUE(starts_with_the_clock(io.writes));
        respond();
        EXPECT_EQ(count(FakeChannel::started), 1u);
        drop();
    }
}

TEST_F(PxamciTest, TheDmaOfAWriteStartsAfterTheResponseWhereTheErratumWantsIt) {
    make(pxa27x, true);
    data(Direction::write, 2);
    start();
    EXPECT_EQ(count(FakeChannel::started), 0u);
    respond();
    EXPECT_EQ(count(FakeChannel::started), 1u);
}

TEST_F(PxamciTest, TheDmaOfAWriteStartsBehindItsCommandElsewhere) {
    make(pxa25x, true);
    data(Direction::write, 2);
    start();
    EXPECT_TRUE(starts_with_the_clock(io.writes));
    respond();
    EXPECT_EQ(count(FakeChannel::started), 1u);
}

TEST_F(PxamciTest, TheDmaOfAWriteThatTheCardDoesNotAnswerIsNeverStarted) {
    make(pxa27x, true);
    data(Direction::write, 2);
    start();
    say(status::response_time_out, interrupt::command_done);
    line.interrupt();
    drain();
    EXPECT_TRUE(ended);
    EXPECT_EQ(count(FakeChannel::started), 0u);
    EXPECT_EQ(written(offset::command), Ends{25}) << "nothing to stop";
}

TEST_F(PxamciTest, DataAndDmaMayEndInEitherOrderAndOnlyThenComesTheStop) {
    for (const bool dma_first : {true, false}) {
        make(pxa27x, true);
        data(Direction::read, 2);
        start();
        respond();
        for (const bool dma : {dma_first, !dma_first}) {
            EXPECT_EQ(written(offset::command), Ends{18});
            if (dma) {
                channel.listener->dma_ended({});
            } else {
                end_data();
            }
        }
        EXPECT_EQ(written(offset::command), (Ends{18, 12}));
        respond();
        drain();
        EXPECT_FALSE(request.error);
        EXPECT_EQ(request.bytes_done, 1024u);
        EXPECT_EQ(count(FakeChannel::quiesced), 1u);
        drop();
    }
}

TEST_F(PxamciTest, AnOwnListIsOverWithTheDataAndTheFifoIsEmptyBeforeTheClockStops) {
    make(pxa27x, true, DmaEnd::data_end);
    data(Direction::read, 2);
    start();
    respond();
    end_data();
    EXPECT_EQ(written(offset::command), (Ends{18, 12}));
    const auto quiesced = std::ranges::find(io.writes, FakeChannel::quiesced, &FakeIo::Write::first);
    const auto stopped = std::ranges::find(io.writes, FakeIo::Write(offset::clock, clock::stop));
    EXPECT_LT(quiesced, stopped);
    respond();
    drain();
    EXPECT_FALSE(request.error);
    EXPECT_EQ(request.bytes_done, 1024u);
}

TEST_F(PxamciTest, AnOwnListThatIsNotOverWithTheDataIsAnError) {
    make(pxa27x, true, DmaEnd::data_end);
    data(Direction::read, 2);
    start();
    respond();
    channel.quiet = base::fail(base::Code::software_timeout);
    end_data();
    respond();
    drain();
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::software_timeout);
    EXPECT_EQ(request.bytes_done, 0u);
}

TEST_F(PxamciTest, ADmaErrorStopsTheCardAndNothingCountsAsDone) {
    make(pxa27x, true);
    data(Direction::read, 2);
    start();
    respond();
    channel.listener->dma_ended(base::fail(base::Code::dma_error));
    EXPECT_EQ(written(offset::command), (Ends{18, 12}));
    respond();
    drain();
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::dma_error);
    EXPECT_EQ(request.bytes_done, 0u);
}

TEST_F(PxamciTest, ADmaErrorDuringTheCommandWaitsForItsResponse) {
    make(pxa27x, true);
    data(Direction::read, 2);
    start();
    channel.listener->dma_ended(base::fail(base::Code::dma_error));
    EXPECT_EQ(written(offset::command), Ends{18});
    respond();
    EXPECT_EQ(written(offset::command), (Ends{18, 12}));
}

TEST_F(PxamciTest, AnErrorOfTheDataTerminatesTheDmaAndStopsTheCard) {
    const std::array<std::pair<std::uint32_t, base::Code>, 3> errors{
        {{status::read_crc, base::Code::data_crc},
         {status::write_crc, base::Code::write_crc},
         {status::read_time_out, base::Code::data_timeout}}};
    for (const auto& [bits, code] : errors) {
        make(pxa27x, true);
        data(bits == status::write_crc ? Direction::write : Direction::read, 2);
        start();
        respond();
        end_data(bits);
        EXPECT_LT(last(FakeChannel::started), last(FakeChannel::terminated));
        EXPECT_EQ(written(offset::command).back(), 12u);
        respond();
        drain();
        ASSERT_TRUE(request.error);
        EXPECT_EQ(request.error->code, code);
        EXPECT_EQ(request.bytes_done, 0u) << "which block it was is not known";
        EXPECT_GT(last(FakeChannel::quiesced), last(FakeChannel::terminated));
        drop();
    }
}

TEST_F(PxamciTest, DmaIsQuietBeforeTheOwnerOfTheBuffersHearsOfTheEnd) {
    make(pxa27x, true);
    data(Direction::read, 2);
    start();
    respond();
    end_data(status::read_crc);
    respond();
    EXPECT_EQ(count(FakeChannel::quiesced), 0u);
    EXPECT_FALSE(ended);
    drain();
    EXPECT_EQ(count(FakeChannel::quiesced), 1u);
    EXPECT_TRUE(ended);
}

TEST_F(PxamciTest, BlocksThatAreNotWholeBurstsGoByPio) {
    struct Case {
        std::uint32_t blocks;
        std::uint32_t size;
        bool dma;
    };
    make(pxa27x, true);
    for (const Case& c : {Case{1, 512, true}, Case{1, 64, true}, Case{1, 8, false}, Case{1, 500, false},
                          Case{2, 48, false}, Case{8, 500, false}, Case{4, 8, false}}) {
        data(Direction::read, c.blocks, c.size);
        ASSERT_TRUE(driver->prepare(request));
        EXPECT_EQ(request.mapping != nullptr, c.dma) << c.blocks << " of " << c.size;
        driver->unprepare(request);
    }
}

TEST_F(PxamciTest, ABlockLongerThanTheRegisterHoldsIsRefused) {
    make(pxa25x);
    data(Direction::read, 1, 1023);
    EXPECT_TRUE(driver->prepare(request));
    data(Direction::read, 1, 1024);
    EXPECT_FALSE(driver->prepare(request));
    drop();
    make(pxa27x);
    data(Direction::read, 1, 2048);
    EXPECT_TRUE(driver->prepare(request));
    data(Direction::read, 1, 2049);
    EXPECT_FALSE(driver->prepare(request));
}

// --- time ---

TEST_F(PxamciTest, TheTimeOutOfAReadIsProgrammedInUnitsOf256CyclesAndNotLessThanAskedFor) {
    make(pxa27x);
    for (const std::int64_t ms : {1, 100, 500, 2000}) {
        data(Direction::read, 1);
        request.data->timeout = base::milliseconds(ms);
        io.writes.clear();
        start();
        const double units = static_cast<double>(ms) * 19'500 / 256;
        const auto programmed = static_cast<double>(written(offset::read_time)[0]);
        if (units > 0xffff) {
            EXPECT_EQ(programmed, 0xffff);
        } else {
            EXPECT_GE(programmed, units) << ms;
            EXPECT_LE(programmed, units * 1.04 + 1) << ms;
        }
        executor.run_until([&] { return ended; });
    }
}

TEST_F(PxamciTest, AWriteThatGoesOnMayTakeAnyTimeAndOneThatDoesNotEndsWithADataTimeOut) {
    make(pxa27x, true);
    data(Direction::write, 16);
    start();
    respond();
    const base::Instant begin = environment.now();
    for (int i = 0; i < 20; ++i) { // moves in each period of the watchdog
        channel.moved += 32;
        executor.wait();
        executor.drain();
        EXPECT_FALSE(ended);
    }
    EXPECT_GT(environment.now(), begin + base::seconds(2));
    executor.run_until([&] { return ended; });
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::data_timeout);
    EXPECT_GE(count(FakeChannel::terminated), 1u);
}

TEST_F(PxamciTest, AStopThatWasSentJustBeforeTheWatchdogLooksIsGivenItsTime) {
    make(pxa27x, true);
    data(Direction::read, 16);
    start();
    respond();
    channel.moved = 1;
    executor.wait(); // the watchdog is due: it sees that data has moved
    executor.drain();
    executor.wait(); // and is due again
    end_data();
    channel.listener->dma_ended({});
    EXPECT_EQ(written(offset::command), (Ends{18, 12}));
    executor.drain();
    EXPECT_FALSE(ended);
    respond();
    drain();
    EXPECT_TRUE(ended);
    EXPECT_FALSE(request.error);
}

TEST_F(PxamciTest, ResetMasksStopsTheClockAndQuietsDma) {
    make(pxa27x, true);
    command(spec::send_status({1}));
    start();
    respond();
    drain();
    io.writes.clear();
    EXPECT_TRUE(driver->reset_lines());
    EXPECT_EQ(written(offset::clock), Ends{clock::stop});
    EXPECT_LT(last(FakeChannel::terminated), last(FakeChannel::quiesced));
    EXPECT_EQ(unmasked(), 0u);
}

} // namespace
} // namespace mmcpipe::host::pxamci
