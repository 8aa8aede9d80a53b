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

} // namespace
} // namespace mmcpipe::host::pl18x
