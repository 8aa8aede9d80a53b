// The PL18x driver against a controller that does what no model does.

#include "pl18x_fixture.h"

namespace mmcpipe::host::pl18x {
namespace {

TEST_F(Pl18xFixture, AReadWhoseEndComesBeforeAllWordsIsAnOverrunAndTellsWhatCameWhole) {
    ASSERT_TRUE(driver.prepare(block(Direction::read, 2)));
    driver.start(request);
    for (int half = 0; half < 17; ++half) { // a block, and half a FIFO of the next one
        io.values[offset::status] = status::rx_fifo_half_full;
        io.on_fifo = [&] { io.values[offset::status] = 0; };
        EXPECT_TRUE(line.interrupt());
    }
    interrupt(status::response_end | status::data_end);
    executor.drain();
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::overrun);
    EXPECT_EQ(request.bytes_done, 512u);
}

TEST_F(Pl18xFixture, AWriteWhoseEndComesBeforeAllWordsAreInTheFifoIsAnUnderrun) {
    ASSERT_TRUE(driver.prepare(block(Direction::write)));
    driver.start(request);
    interrupt(status::response_end);
    interrupt(status::data_end);
    executor.drain();
    ASSERT_TRUE(request.error);
    EXPECT_EQ(request.error->code, base::Code::underrun);
    EXPECT_EQ(request.bytes_done, 0u);
}

TEST_F(Pl18xFixture, AReadWhoseLastWordsComeWithItsEndIsDone) {
    ASSERT_TRUE(driver.prepare(block(Direction::read)));
    driver.start(request);
    for (int half = 0; half < 15; ++half) {
        io.values[offset::status] = status::rx_fifo_half_full;
        io.on_fifo = [&] { io.values[offset::status] = 0; };
        EXPECT_TRUE(line.interrupt());
    }
    interrupt(status::response_end | status::data_end);
    executor.drain();
    EXPECT_FALSE(request.error);
    EXPECT_EQ(request.bytes_done, 512u);
    EXPECT_EQ(io.fifo_words, 128u);
}

TEST_F(Pl18xFixture, ARequestThatCanNeverBeDoneIsRefusedByName) {
    const Capabilities& can = driver.capabilities();
    const auto refusal = [&](auto change) {
        Data& data = *block(Direction::write).data;
        change(data);
        const auto prepared = driver.prepare(request);
        return prepared ? std::optional<base::Code>() : prepared.error().code;
    };
    using base::Code;
    EXPECT_EQ(refusal([](Data&) {}), std::nullopt);
    EXPECT_EQ(refusal([](Data& d) { d.block_size = 0; }), Code::not_possible);
    EXPECT_EQ(refusal([&](Data& d) { d.block_size = 2 * can.max_block_size; }), Code::not_possible);
    EXPECT_FALSE(can.any_block_size);
    EXPECT_EQ(refusal([](Data& d) { d.block_size = 100; }), Code::not_possible);
    EXPECT_EQ(refusal([](Data& d) { d.blocks = 0; }), Code::out_of_range);
    EXPECT_EQ(refusal([&](Data& d) { d.blocks = can.max_blocks + 1; }), Code::out_of_range);
    EXPECT_EQ(refusal([&](Data& d) { d.blocks = can.max_bytes / 512 + 1; }), Code::out_of_range);
    EXPECT_EQ(refusal([](Data& d) { d.blocks = 65536 / 512 + 1; }), Code::out_of_range) << "more than the buffers hold";
    EXPECT_EQ(refusal([](Data& d) { d.offset = 65536 - 511; }), Code::out_of_range);
}

TEST_F(Pl18xFixture, StartForgetsWhatARunBeforeHasLeft) {
    ASSERT_TRUE(driver.prepare(block(Direction::read)));
    request.stop.emplace();
    for (CommandPhase* phase : {&request.command, &*request.stop}) {
        phase->response = {1, 2, 3, 4};
        phase->error = base::Error(base::Code::command_crc);
    }
    request.error = base::Error(base::Code::data_crc);
    request.bytes_done = 512;
    const base::Instant prepared = request.phases.prepared;
    driver.start(request);
    for (const CommandPhase* phase : {&request.command, &*request.stop}) {
        EXPECT_EQ(phase->response[0], 0u);
        EXPECT_FALSE(phase->error);
    }
    EXPECT_FALSE(request.error);
    EXPECT_EQ(request.bytes_done, 0u);
    EXPECT_EQ(request.phases.prepared, prepared);
}

TEST_F(Pl18xFixture, BothEdgesAreSetInClockAndDataControlAndLimitTheBlockSize) {
    ASSERT_TRUE(driver.capabilities().ddr52);
    const auto set_timing = [this](Timing timing) {
        Settings settings;
        settings.supply = port::Supply::v3_3;
        settings.clock = base::megahertz(52);
        settings.width = BusWidth::x4;
        settings.timing = timing;
        auto task = driver.apply(settings);
        task.start();
        executor.run_until([&] { return task.done(); });
        EXPECT_TRUE(task.take());
    };
    const auto both_edges = [this] {
        EXPECT_TRUE(driver.prepare(block(Direction::read)));
        driver.start(request);
        const bool in_data = data_control::BothEdges::get(io.values[offset::data_control]);
        EXPECT_EQ(clock::NegativeEdge::get(io.values[offset::clock]), in_data);
        interrupt(status::command_timeout);
        executor.drain();
        return in_data;
    };
    set_timing(Timing::ddr52);
    EXPECT_TRUE(both_edges());
    block(Direction::read).data->block_size = 256;
    EXPECT_EQ(driver.prepare(request), base::fail(base::Code::not_possible));

    set_timing(Timing::high_speed);
    EXPECT_FALSE(both_edges());
    block(Direction::read).data->block_size = 256;
    EXPECT_TRUE(driver.prepare(request));
}

} // namespace
} // namespace mmcpipe::host::pl18x
