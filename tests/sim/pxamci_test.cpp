// The model of the PXA's MMC controller: clock, commands, FIFOs.

#include "tests/sim/pxa_fixture.h"

namespace mmcpipe::sim::controller {
namespace {

using Bytes = std::vector<std::byte>;

TEST_F(PxamciModel, TheClockStopsSomeCyclesAfterItIsToldTo) {
    make();
    model->write(strpcl, 2);
    EXPECT_EQ(model->read(stat), clock_on);
    model->write(strpcl, 1);
    EXPECT_EQ(model->read(i_reg), 0u);
    pass(1);
    EXPECT_EQ(model->read(i_reg), 0u);
    pass(1);
    EXPECT_EQ(model->read(i_reg), clock_is_off);
    EXPECT_EQ(model->read(stat), 0u);
}

TEST_F(PxamciModel, WhileTheClockRunsTheRegistersOfACommandKeepWhatTheyHold) {
    make();
    set_data(3, 64);
    model->write(strpcl, 2);
    for (const std::uint32_t offset : {+clkrt, +cmdat, +rdto, +blklen, +nob, +cmd, +argh, +argl}) {
        const std::uint32_t before = model->read(offset);
        model->write(offset, before ^ 1);
        EXPECT_EQ(model->read(offset), before) << offset;
    }
    model->write(i_mask, 5);
    EXPECT_EQ(model->read(i_mask), 5u);
}

TEST_F(PxamciModel, TheClockStartsWithACommandOnlyIfItsRegisterWasWritten) {
    make();
    start(13, std::uint32_t{on->rca} << 16, r1);
    ASSERT_TRUE(command_ends());
    stop();
    model->write(cmd, 13);
    model->write(strpcl, 2);
    EXPECT_FALSE(wait(stat, response_time_out));
    EXPECT_EQ(faults.commands(13), 1u);
}

TEST_F(PxamciModel, AShortResponseStandsInThreeHalfWordsAndTheStatusIsOfThisCommand) {
    make();
    start(13, 0, r1); // for nobody
    ASSERT_TRUE(command_ends());
    EXPECT_EQ(model->read(stat), clock_on | command_done | response_time_out);
    start(13, std::uint32_t{on->rca} << 16, r1);
    EXPECT_EQ(model->read(stat), clock_on);
    ASSERT_TRUE(command_ends());
    EXPECT_EQ(model->read(stat), clock_on | command_done);
    EXPECT_EQ(model->read(res), 13u << 8);
    EXPECT_EQ(model->read(res), 0x0009u);
    EXPECT_EQ(model->read(res), 0x0000u);
}

TEST_F(PxamciModel, ALongResponseFillsTheFifoAndIsWithoutItsCrc) {
    make();
    on->controller.send(spec::deselect_card());
    start(10, std::uint32_t{on->rca} << 16, r2);
    ASSERT_TRUE(command_ends());
    std::vector<std::uint32_t> halves;
    for (int i = 0; i < 9; ++i) halves.push_back(model->read(res));
    EXPECT_EQ(halves, (std::vector<std::uint32_t>{0x3f1b, 0x534d, 0x3030, 0x3030, 0x3010, 0x0000, 0x0000, 0x00c1, 0}));
}

TEST_F(PxamciModel, ALongResponseThatBeginsWithOneIsCalledDamagedByTheCellWithTheErratum) {
    card::SdProfile profile = sdhc_profile();
    for (const std::uint32_t first : {0x1b534d30u, 0x9b534d30u}) {
        profile.cid[0] = first;
        for (const bool erratum : {false, true}) {
            make({.false_crc_error = erratum}, profile);
            on->controller.send(spec::deselect_card());
            start(10, std::uint32_t{on->rca} << 16, r2);
            ASSERT_TRUE(command_ends());
            const bool called_damaged = (model->read(stat) & response_crc) != 0;
            EXPECT_EQ(called_damaged, erratum && first >> 31 != 0);
            EXPECT_EQ(model->read(res), 0x3f00u | first >> 24) << "and is there";
        }
    }
}

TEST_F(PxamciModel, AResponseWithoutCrcIsDamagedUnlessItIsExpectedToHaveNone) {
    make();
    faults.plan({.kind = wire::Fault::Kind::response_damaged, .times = 2});
    start(13, std::uint32_t{on->rca} << 16, r1);
    ASSERT_TRUE(command_ends());
    EXPECT_NE(model->read(stat) & response_crc, 0u);
    start(13, std::uint32_t{on->rca} << 16, r3);
    ASSERT_TRUE(command_ends());
    EXPECT_EQ(model->read(stat) & response_crc, 0u);
}

TEST_F(PxamciModel, EightyClocksGoBeforeTheCommandIfWanted) {
    for (const bool wanted : {false, true}) {
        make();
        start(0, 0, wanted ? +init : 0);
        const Time begin = on->engine.now();
        ASSERT_TRUE(command_ends());
        EXPECT_EQ(on->engine.now() - begin, base * (48 + (wanted ? 80 : 0)));
    }
}

TEST_F(PxamciModel, TheLineIsUpWhileSomethingIsSaidThatIsNotMasked) {
    make();
    stop();
    EXPECT_FALSE(line->up());
    model->write(i_mask, 0x1fff & ~clock_is_off);
    EXPECT_TRUE(line->up());
    model->write(i_mask, 0x1fff & ~command_interrupt);
    EXPECT_FALSE(line->up());
    start(13, std::uint32_t{on->rca} << 16, r1);
    EXPECT_FALSE(line->up());
    command_ends();
    EXPECT_TRUE(line->up());
    model->write(i_mask, 0x1fff);
    EXPECT_FALSE(line->up());
}

// --- data by the CPU ---

/// Takes what the receive FIFO has, until the data is over.
Bytes all_of(Pxamci& model, Engine& engine) {
    Bytes bytes;
    while ((model.read(0x2c) & 1) == 0 || (model.read(0x2c) & 0x20) != 0) {
        if ((model.read(0x2c) & 0x20) != 0) {
            bytes.push_back(static_cast<std::byte>(model.read(0x40)));
        } else if (!engine.step()) {
            break;
        }
    }
    return bytes;
}

TEST_F(PxamciModel, ABlockComesInHalvesAndItsEndIsSaidEightCyclesLater) {
    make();
    on->sd.content().write(512, pattern(512, 512));
    set_data(1);
    start(17, 1, r1 | with_data);
    const Time begin = on->engine.now();
    ASSERT_TRUE(wait(i_reg, receive_request));
    EXPECT_EQ(on->engine.now() - begin, base * (48 + 2 + 1 + 256));
    EXPECT_EQ(all_of(*model, on->engine), pattern(512, 512));
    EXPECT_EQ(on->engine.now() - begin, base * (48 + 2 + 1 + 4096 + 17 + 8));
    EXPECT_EQ(model->read(stat) & (data_done | read_crc | read_time_out), +data_done);
}

TEST_F(PxamciModel, WhenBothHalvesAreFullTheCardsClockWaitsForTheCpu) {
    make();
    on->sd.content().write(0, pattern(0, 1024));
    set_data(2);
    start(18, 0, r1 | with_data);
    EXPECT_FALSE(wait(stat, data_done)); // nothing goes on
    EXPECT_EQ(all_of(*model, on->engine), pattern(0, 1024));
    EXPECT_NE(model->read(stat) & data_done, 0u);
}

TEST_F(PxamciModel, StoppingTheClockEmptiesTheFifo) {
    make();
    set_data(1);
    start(17, 1, r1 | with_data);
    ASSERT_TRUE(wait(i_reg, receive_request));
    stop();
    EXPECT_EQ(model->read(i_reg) & receive_request, 0u);
}

TEST_F(PxamciModel, ABlockThatDoesNotFillTheFifoIsHandedOverAtItsEnd) {
    make();
    start(55, std::uint32_t{on->rca} << 16, r1);
    command_ends();
    set_data(1, 8);
    start(51, 0, r1 | with_data); // SCR
    const Bytes scr = all_of(*model, on->engine);
    EXPECT_EQ(scr.size(), 8u);
    EXPECT_EQ(scr[0], std::byte{0x02});
}

TEST_F(PxamciModel, AReadThatBringsNothingTimesOutInUnitsOf256CyclesOfTheBaseClock) {
    make();
    faults.plan({.kind = wire::Fault::Kind::block_lost, .command = 17});
    set_data(1);
    model->write(clkrt, 2);
    model->write(rdto, 10);
    start(17, 0, r1 | with_data);
    const Time begin = on->engine.now();
    ASSERT_TRUE(wait(stat, read_time_out));
    EXPECT_EQ(on->engine.now() - begin, base * 2560);
    ASSERT_TRUE(wait(stat, data_done));
}

TEST_F(PxamciModel, ADamagedBlockEndsTheData) {
    make();
    faults.plan({.kind = wire::Fault::Kind::block_damaged, .command = 18, .block = 1});
    set_data(4);
    start(18, 0, r1 | with_data);
    EXPECT_EQ(all_of(*model, on->engine).size(), 1024u);
    EXPECT_EQ(model->read(stat) & (data_done | read_crc), data_done | read_crc);
}

/// Fills the transmit FIFO as it asks for it. `after_block`: bytes that are written too many behind each block.
void put(Pxamci& model, Engine& engine, const Bytes& content, std::size_t length, std::size_t after_block = 0) {
    for (std::size_t at = 0; at < content.size();) {
        while ((model.read(0x2c) & 0x40) == 0 && engine.step()) {}
        const std::size_t size = std::min<std::size_t>(32, length - at % length);
        for (std::size_t i = 0; i < size; ++i) model.write(0x44, std::to_integer<std::uint32_t>(content[at + i]));
        at += size;
        const bool block_ends = at % length == 0;
        for (std::size_t i = 0; block_ends && i < after_block; ++i) model.write(0x44, 0xee);
        if ((size + (block_ends ? after_block : 0)) % 32 != 0) model.write(0x24, 1);
    }
}

TEST_F(PxamciModel, ABlockIsWrittenFromHalvesThatTheCpuFills) {
    make();
    set_data(2);
    start(25, 8, r1 | with_data | write);
    EXPECT_NE(model->read(i_reg) & transmit_request, 0u);
    put(*model, on->engine, pattern(0, 1024), 512);
    ASSERT_TRUE(wait(stat, data_done));
    EXPECT_EQ(model->read(stat) & (write_crc | program_done), +program_done);
    start(12, 0, r1 | busy);
    ASSERT_TRUE(command_ends());
    ASSERT_TRUE(wait(stat, program_done));
    const Chunk written = on->sd.content().read(8 * 512, 1024);
    EXPECT_TRUE(std::ranges::equal(bytes(written), pattern(0, 1024)));
}

TEST_F(PxamciModel, AHalfThatIsNotFullWaitsUntilItIsHandedOver) {
    make();
    set_data(1);
    start(24, 8, r1 | with_data | write);
    const Bytes content = pattern(0, 512);
    for (std::size_t i = 0; i < 496; ++i) {
        const bool asked = i % 32 != 0 || wait(i_reg, transmit_request);
        ASSERT_TRUE(asked);
        model->write(txfifo, std::to_integer<std::uint32_t>(content[i]));
    }
    EXPECT_FALSE(wait(stat, data_done));
    for (std::size_t i = 496; i < 512; ++i) model->write(txfifo, std::to_integer<std::uint32_t>(content[i]));
    EXPECT_TRUE(wait(stat, data_done));
}

TEST_F(PxamciModel, NoMoreThanABlockIsSentOfWhatIsInTheFifo) {
    card::SdProfile profile = sdsc_profile();
    profile.csd[3] |= 1u << 21; // WRITE_BL_PARTIAL
    make({}, profile);
    start(16, 40, r1);
    ASSERT_TRUE(command_ends());
    set_data(2, 40);
    start(25, 0, r1 | with_data | write);
    put(*model, on->engine, pattern(0, 80), 40, 24);
    ASSERT_TRUE(wait(stat, data_done));
    EXPECT_EQ(model->read(stat) & write_crc, 0u);
    EXPECT_TRUE(std::ranges::equal(bytes(on->sd.content().read(0, 80)), pattern(0, 80)));
}

TEST_F(PxamciModel, ANegativeCrcStatusEndsTheData) {
    make();
    faults.plan({.kind = wire::Fault::Kind::block_damaged, .command = 25, .block = 1});
    set_data(4);
    start(25, 8, r1 | with_data | write);
    put(*model, on->engine, pattern(0, 1024), 512);
    ASSERT_TRUE(wait(stat, data_done));
    EXPECT_NE(model->read(stat) & write_crc, 0u);
}

TEST_F(PxamciModel, ForWhatItWritesThereIsNoTimeOut) {
    make();
    faults.plan({.kind = wire::Fault::Kind::block_lost, .command = 24});
    set_data(1);
    start(24, 8, r1 | with_data | write);
    put(*model, on->engine, pattern(0, 512), 512);
    EXPECT_FALSE(wait(stat, data_done));
}

// --- data by DMA ---

/// A channel that gives and takes as the test lets it.
struct TestChannel final : dma::Channel {
    std::uint32_t push(const Chunk& data) override {
        if (!running) return 0;
        moved.insert(moved.end(), bytes(data).begin(), bytes(data).end());
        return data.length;
    }
    Chunk pull(std::uint32_t most) override {
        if (!running) return {};
        const std::size_t size = std::min<std::size_t>(most, content.size() - moved.size());
        const Chunk chunk = chunk_of(std::span(content).subspan(moved.size(), size));
        moved.insert(moved.end(), bytes(chunk).begin(), bytes(chunk).end());
        return chunk;
    }
    bool runs(bool) override { return running; }

    bool running = false;
    Bytes content;
    Bytes moved;
};

class PxamciModelDma : public PxamciModel {
protected:
    void make_with_dma(const PxamciCell& cell) {
        make(cell);
        model->set_dma(receive, transmit);
        transmit.content = pattern(0, 1024);
    }
    void write_two_blocks() {
        set_data(2);
        start(25, 8, r1 | with_data | write | with_dma);
    }
    void run(TestChannel& channel) {
        channel.running = true;
        model->dma_ready();
    }
    TestChannel receive;
    TestChannel transmit;
};

TEST_F(PxamciModelDma, AReadIsHandedToTheChannelAlsoIfItStartsLate) {
    for (const int cycles : {0, 60, 800, 100'000}) {
        receive = {};
        make_with_dma({});
        on->sd.content().write(0, pattern(0, 1024));
        set_data(2);
        start(18, 0, r1 | with_data | with_dma);
        pass(cycles);
        run(receive);
        ASSERT_TRUE(wait(stat, data_done)) << cycles;
        EXPECT_EQ(receive.moved, pattern(0, 1024)) << cycles;
    }
}

TEST_F(PxamciModelDma, WithDmaTheFifoRaisesNoInterrupt) {
    make_with_dma({});
    model->write(i_mask, 0);
    write_two_blocks();
    EXPECT_NE(model->read(i_reg) & transmit_request, 0u);
    EXPECT_FALSE(line->up());
}

TEST_F(PxamciModelDma, AWriteThatBeginsAfterTheResponseIsWhole) {
    for (const bool erratum : {false, true}) {
        make_with_dma({.loses_early_dma = erratum});
        transmit.moved.clear();
        transmit.running = false;
        write_two_blocks();
        ASSERT_TRUE(command_ends());
        run(transmit);
        ASSERT_TRUE(wait(stat, data_done));
        const Chunk written = on->sd.content().read(8 * 512, 1024);
        EXPECT_TRUE(std::ranges::equal(bytes(written), pattern(0, 1024)));
    }
}

TEST_F(PxamciModelDma, AWriteThatBeginsBeforeTheResponseLosesABurstInTheCellWithTheErratum) {
    for (const bool before_the_command : {false, true}) {
        for (const bool erratum : {false, true}) {
            make_with_dma({.loses_early_dma = erratum});
            transmit.moved.clear();
            transmit.running = before_the_command;
            write_two_blocks();
            if (!before_the_command) run(transmit);
            EXPECT_EQ(wait(stat, data_done), !erratum);
        }
    }
}

} // namespace
} // namespace mmcpipe::sim::controller
