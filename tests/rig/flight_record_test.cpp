// Every phase of a request that can be seen is measured, and in the flight record.

#include "rig_fixture.h"

namespace mmcpipe::rig {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// The records of a write and of a read of 4 KiB, without those of CMD13.
std::array<host::FlightEntry, 2> transfers_of(const Settings& settings) {
    std::array<host::FlightEntry, 2> entries;
    SimulatedBoard board(platform("ux500", settings), card_profile("ux500-emmc"));
    board.run([&](Stack& stack) {
        ASSERT_TRUE(stack.run(stack.card().bring_up()));
        const host::Buffer buffer = board.memory().allocate(4096);
        EXPECT_FALSE(transfer(stack, host::Direction::write, 4096, std::array{buffer}));
        EXPECT_FALSE(transfer(stack, host::Direction::read, 4096, std::array{buffer}));
        const host::FlightRecord& record = stack.host().record();
        for (std::size_t i = 0; i < record.size(); ++i) {
            if (record[i].command.index == 25) entries[0] = record[i];
            if (record[i].command.index == 18) entries[1] = record[i];
        }
    });
    return entries;
}

/// Those that happened, in this order.
void expect_in_order(std::initializer_list<base::Instant> instants) {
    base::Instant before{};
    int n = 0;
    for (const base::Instant instant : instants) {
        EXPECT_NE(instant, base::never) << "phase " << n;
        EXPECT_LE(before, instant) << "phase " << n;
        before = instant;
        ++n;
    }
}

TEST(FlightRecordTest, ByDmaItHasEveryPhaseButTheFirstData) {
    for (const host::FlightEntry& entry : transfers_of({})) {
        const host::Phases& p = entry.phases;
        expect_in_order(
            {p.prepared, p.started, p.responded, p.data_ended, p.stopped, p.interrupted, p.woken, p.finished});
        EXPECT_GE(p.woken - p.interrupted, base::microseconds(138)) << "the platform's wake-up lies between";
        EXPECT_EQ(p.data_begun, base::never);
        EXPECT_EQ(p.released, base::never) << "this cell does not see busy";
        EXPECT_FALSE(entry.pio);
    }
}

TEST(FlightRecordTest, ByPioItHasTheFirstDataToo) {
    for (const host::FlightEntry& entry : transfers_of({{"dma", "none"}})) {
        const host::Phases& p = entry.phases;
        expect_in_order({p.started, p.data_begun, p.data_ended, p.stopped, p.interrupted, p.woken, p.finished});
        EXPECT_GT(p.data_ended - p.data_begun, base::microseconds(50)) << "4 KiB on four lines take 160 us";
        EXPECT_TRUE(entry.pio);
    }
}

TEST(FlightRecordTest, ACellThatSeesBusyTellsItsEndAfterAWrite) {
    const auto [write, read] = transfers_of({{"cell", "st_v3"}});
    expect_in_order({write.phases.stopped, write.phases.released, write.phases.interrupted});
    EXPECT_EQ(read.phases.released, base::never);
}

TEST(FlightRecordTest, ARequestIsFinishedInTheRecordWhenOthersHaveEndedAfterIt) {
    host::FlightRecord record;
    host::Request request;
    host::Request other;
    record.add(request);
    request.phases.finished = base::Instant{} + base::microseconds(7);
    other.data.emplace();
    other.data->blocks = 1;
    record.add(other);
    record.finished(request);
    EXPECT_EQ(record[0].phases.finished, request.phases.finished);
    EXPECT_EQ(record[1].phases.finished, base::never);
    // When it has left the record there is nothing to finish.
    for (std::size_t i = 0; i < host::FlightRecord::capacity; ++i) record.add(other);
    record.finished(request);
    for (std::size_t i = 0; i < record.size(); ++i) EXPECT_EQ(record[i].phases.finished, base::never);
}

TEST(FlightRecordTest, AQuestionThatIsAskedAgainAndAnsweredTheSameTakesOneEntry) {
    host::FlightRecord record;
    host::Request question;
    question.command.command = spec::send_status({1});
    question.command.response[0] = 0xe00;
    for (int i = 0; i < 100; ++i) {
        question.phases.started = base::Instant{} + base::microseconds(i);
        record.add(question);
    }
    question.command.response[0] = 0x900;
    record.add(question);
    question.error = base::Error(base::Code::command_crc);
    record.add(question);
    record.add(question);
    EXPECT_EQ(record.count(), 103u);
    ASSERT_EQ(record.size(), 4u) << "other answers, and errors, stand by themselves";
    EXPECT_EQ(record[0].times, 100u);
    EXPECT_EQ(record[0].phases.started, base::Instant{} + base::microseconds(99));
    EXPECT_EQ(record[1].times, 1u);
}

} // namespace
} // namespace mmcpipe::rig
