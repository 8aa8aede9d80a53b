#include "mmcpipe/report/flight_lines.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

namespace mmcpipe::report {
namespace {

constexpr base::Instant start{1'234'567'890};

void fill_in_a_read_that_failed(host::Request& request) {
    request.command.command = spec::read_multiple_block({0x1000});
    request.command.response[0] = 0x900;
    request.stop.emplace();
    request.stop->response[0] = 0xb00;
    request.data.emplace();
    request.data->blocks = 8;
    request.bytes_done = 512;
    request.error = base::Error(base::Code::data_crc, 2);
    request.host_status = 2;
    request.phases.prepared = base::Instant{start.ns - 80'200};
    request.phases.started = start;
    request.phases.responded = start + base::microseconds(171);
    request.phases.data_ended = start + base::microseconds(171);
    request.phases.stopped = start + base::microseconds(175);
    request.phases.interrupted = start + base::microseconds(175);
    request.phases.woken = start + base::nanoseconds(313'140);
}

TEST(FlightLines, SayWhatWasSentHowItWasAnsweredAndWhenItWentOn) {
    host::FlightRecord record;
    host::Request request;
    fill_in_a_read_that_failed(request);
    record.add(request);
    EXPECT_EQ(
        text_of(record),
        "the last of 1 transactions:\n"
        "    1.234567890 s  CMD18 00001000 -> 00000900, stop -> 00000b00, 512 of 4096 bytes by PIO: data CRC, status "
        "00000002\n"
        "                     us: prepared -80.2, response 171.0, last data 171.0, stop 175.0, interrupt 175.0, "
        "wake-up 313.1\n");
}

TEST(FlightLines, PhasesThatDidNotHappenAreLeftOutAndRepetitionsCounted) {
    host::FlightRecord record;
    host::Request question;
    question.command.command = spec::send_status({1});
    question.command.response[0] = 0xe00;
    question.phases.started = start;
    for (int i = 0; i < 52; ++i) record.add(question);
    EXPECT_EQ(text_of(record), "the last of 52 transactions:\n"
                               "    1.234567890 s  CMD13 00010000 x 52 -> 00000e00\n");
}

TEST(FlightLines, AreBoundedInNumberAndLength) {
    host::FlightRecord record;
    host::Request request;
    fill_in_a_read_that_failed(request);
    request.phases.data_begun = request.phases.released = request.phases.finished = start + base::milliseconds(9'999);
    for (int i = 0; i < 100; ++i) record.add(request);
    std::istringstream lines(text_of(record));
    std::size_t count = 0;
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line); ++count) longest = std::max(longest, line.size());
    EXPECT_EQ(count, 1 + 2 * flight_lines_most);
    EXPECT_LE(longest, 200u);
}

} // namespace
} // namespace mmcpipe::report
