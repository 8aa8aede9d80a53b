#include "mmcpipe/host/steps.h"

#include <gtest/gtest.h>

namespace mmcpipe::host {
namespace {

constexpr base::Error some_error{base::Code::data_crc};

struct StepsTest : testing::Test {
    StepsTest() {
        request.command.command = spec::read_multiple_block({0});
        request.data.emplace();
    }
    void with_count() {
        request.set_block_count.emplace();
        request.set_block_count->command = spec::set_block_count(1);
    }
    void with_stop() {
        request.stop.emplace();
        request.stop->command = spec::stop_transmission(spec::Transfer::read);
    }
    Request request;
};

TEST_F(StepsTest, ARequestBeginsWithItsCountIfItHasOne) {
    EXPECT_EQ(first_step(request), Step::command);
    with_count();
    EXPECT_EQ(first_step(request), Step::set_block_count);
    EXPECT_EQ(next_step(request, Step::set_block_count), Step::command);
}

TEST_F(StepsTest, ACountThatFailsIsTheEnd) {
    with_count();
    with_stop();
    request.error = some_error;
    EXPECT_EQ(next_step(request, Step::set_block_count), Step::idle);
}

TEST_F(StepsTest, OpenEndedDataIsStoppedWhetherItSucceededOrNot) {
    with_stop();
    EXPECT_EQ(next_step(request, Step::command), Step::stop);
    request.error = some_error;
    EXPECT_EQ(next_step(request, Step::command), Step::stop);
    EXPECT_EQ(next_step(request, Step::stop), Step::idle);
}

TEST_F(StepsTest, CountedDataIsStoppedOnlyIfItFailed) {
    with_count();
    with_stop();
    EXPECT_EQ(next_step(request, Step::command), Step::idle);
    request.error = some_error;
    EXPECT_EQ(next_step(request, Step::command), Step::stop);
}

TEST_F(StepsTest, ACommandThatWasNotAnsweredIsNotStopped) {
    with_stop();
    request.error = request.command.error = some_error;
    EXPECT_EQ(next_step(request, Step::command), Step::idle);
}

TEST_F(StepsTest, WithoutDataOrWithoutAStopTheCommandIsTheEnd) {
    EXPECT_EQ(next_step(request, Step::command), Step::idle);
    with_stop();
    request.data.reset();
    EXPECT_EQ(next_step(request, Step::command), Step::idle);
}

TEST_F(StepsTest, EachStepHasItsCommand) {
    with_count();
    with_stop();
    EXPECT_EQ(phase_of(request, Step::set_block_count).command.index, 23);
    EXPECT_EQ(phase_of(request, Step::command).command.index, 18);
    EXPECT_EQ(phase_of(request, Step::stop).command.index, 12);
}

TEST_F(StepsTest, TheFirstErrorWinsAndKeepsItsStatus) {
    note_error(request, some_error, 7);
    note_error(request, base::Error(base::Code::command_crc), 8);
    EXPECT_EQ(request.error, some_error);
    EXPECT_EQ(request.host_status, 7u);
}

} // namespace
} // namespace mmcpipe::host
