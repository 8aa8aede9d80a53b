// How the end of a command is confirmed.

#include "mmcpipe/card/settle.h"

#include "mmcpipe/host/transaction.h"
#include "tests/card/card_fixture.h"

namespace mmcpipe::card {
namespace {

using base::Code;
using base::Duration;
using base::Error;
using base::microseconds;
using base::milliseconds;

struct Settling : CardFixture {
    void SetUp() override {
        use(FakeCard::emmc());
        settle.emplace(*host);
        executor = &host->executor();
    }

    void busy_for(Duration length) {
        fake().state = spec::State::prg;
        fake().busy_until = executor->now() + length;
    }

    base::Result<std::uint32_t> settled(Confirm how, Duration timeout) {
        began = executor->now();
        settle->start(card->peer(), how, timeout);
        host->run(over(host->frames(), *settle));
        took = executor->now() - began;
        return settle->verdict();
    }

    static base::Task<base::Result<void>> over(base::FrameArena&, Settle& settle) {
        co_await settle.over();
        co_return {};
    }

    std::optional<Settle> settle;
    base::Executor* executor = nullptr;
    base::Instant began{};
    Duration took{};
};

TEST_F(Settling, AReadyCardIsAskedOnceAndAtOnce) {
    const base::Result<std::uint32_t> status = settled(Confirm::status, milliseconds(500));
    ASSERT_TRUE(status);
    EXPECT_TRUE(spec::r1::in_transfer_state(*status));
    EXPECT_EQ(log(), Trace{"CMD13"});
    EXPECT_EQ(host->times[0], began);
    EXPECT_EQ(host->last_argument(13), card->peer().rca.argument());
}

TEST_F(Settling, ABusyCardIsAskedAtOnceAFewTimesAndThenLessAndLessOften) {
    busy_for(milliseconds(200));
    ASSERT_TRUE(settled(Confirm::status, milliseconds(500)));
    const std::vector<Duration> intervals = host->intervals("CMD13");
    EXPECT_EQ(intervals[0], microseconds(50)) << "the answer alone";
    EXPECT_EQ(intervals[3], microseconds(50));
    EXPECT_EQ(intervals[4], microseconds(100));
    EXPECT_EQ(intervals[5], microseconds(150));
    EXPECT_EQ(intervals.back(), milliseconds(10) + microseconds(50));
}

TEST_F(Settling, ACardThatStaysBusyIsGivenTheTimeOfItsCommandAndNoMore) {
    busy_for(base::seconds(100));
    const base::Result<std::uint32_t> status = settled(Confirm::status, milliseconds(500));
    EXPECT_EQ(status, base::fail(Code::busy_timeout, spec::r1::status(spec::State::prg, false)));
    EXPECT_EQ(took, milliseconds(500) + microseconds(50));
}

TEST_F(Settling, ACardThatIsReadyInTheLastMomentIsStillSeen) {
    busy_for(milliseconds(500));
    EXPECT_TRUE(settled(Confirm::status, milliseconds(500)));
}

TEST_F(Settling, ACardThatIsReadyWhileItsLastAnswerIsOnTheWireIsStillSeen) {
    busy_for(microseconds(220)); // asked at 200 us, answered at 250 us
    EXPECT_TRUE(settled(Confirm::status, microseconds(230)));
}

TEST_F(Settling, ACardThatNeverLeavesTheReceiveStateIsNotSettled) {
    fake().state = spec::State::rcv;
    const base::Result<std::uint32_t> status = settled(Confirm::status, milliseconds(20));
    EXPECT_EQ(status, base::fail(Code::busy_timeout, spec::r1::status(spec::State::rcv, false)));
}

TEST_F(Settling, ErrorBitsThatShowWhileTheCardIsBusyAreGathered) {
    busy_for(milliseconds(1));
    fake().errors = spec::r1::WpEraseSkip::mask;
    EXPECT_EQ(settled(Confirm::status, milliseconds(500)), base::fail(Code::r1_error, spec::r1::WpEraseSkip::mask));
    EXPECT_GT(host->count("CMD13"), 3u) << "not before it is ready";
}

TEST_F(Settling, ARefusedSwitchHasItsOwnError) {
    fake().errors = spec::r1::SwitchError::mask;
    EXPECT_EQ(settled(Confirm::status, milliseconds(500)),
              base::fail(Code::switch_refused, spec::r1::SwitchError::mask));
}

TEST_F(Settling, WhatIsSaidOfTheCommandBeforeIsNoError) {
    fake().errors = spec::r1::IllegalCommand::mask | spec::r1::ComCrcError::mask;
    EXPECT_TRUE(settled(Confirm::status, milliseconds(500)));
}

TEST_F(Settling, ErrorsOfAnEarlierTimeAreForgotten) {
    fake().errors = spec::r1::WpEraseSkip::mask;
    EXPECT_FALSE(settled(Confirm::status, milliseconds(500)));
    EXPECT_TRUE(settled(Confirm::status, milliseconds(500)));
}

TEST_F(Settling, TwoLostAnswersAreNotTheEnd) {
    host->faults = {{"CMD13", Error(Code::command_crc), 2}};
    EXPECT_TRUE(settled(Confirm::status, milliseconds(500)));
    EXPECT_EQ(host->count("CMD13"), 3u);
}

TEST_F(Settling, ThreeLostAnswersAre) {
    host->faults = {{"CMD13", Error(Code::command_timeout), 3}};
    EXPECT_EQ(settled(Confirm::status, milliseconds(500)), base::fail(Code::command_timeout));
}

TEST_F(Settling, EachStartBeginsAnew) {
    host->faults = {{"CMD13", Error(Code::command_timeout), 6}};
    EXPECT_EQ(settled(Confirm::status, milliseconds(500)), base::fail(Code::command_timeout));
    EXPECT_EQ(settled(Confirm::status, milliseconds(500)), base::fail(Code::command_timeout));
    EXPECT_EQ(host->count("CMD13"), 6u);

    busy_for(milliseconds(100));
    ASSERT_TRUE(settled(Confirm::status, milliseconds(500)));
    host->forget();
    busy_for(milliseconds(100));
    ASSERT_TRUE(settled(Confirm::status, milliseconds(500)));
    EXPECT_EQ(host->intervals("CMD13").front(), microseconds(50)) << "at once, not after the longest pause";
}

TEST_F(Settling, AnswersLostNowAndThenDoNotAddUp) {
    busy_for(milliseconds(2));
    host->faults = {{"CMD13", Error(Code::command_crc), 2}, {"CMD13", Error(Code::command_crc), 2, 1}};
    EXPECT_TRUE(settled(Confirm::status, milliseconds(500)));
}

TEST_F(Settling, TheBusyLineIsWatchedWithoutACommand) {
    busy_for(milliseconds(3));
    EXPECT_EQ(settled(Confirm::busy_line, milliseconds(500)), 0u);
    EXPECT_TRUE(log().empty());
    EXPECT_GE(took, milliseconds(3));
    EXPECT_LT(took, milliseconds(7));
}

TEST_F(Settling, ALineThatStaysLowIsABusyTimeOut) {
    busy_for(base::seconds(100));
    EXPECT_EQ(settled(Confirm::busy_line, milliseconds(500)), base::fail(Code::busy_timeout));
    EXPECT_EQ(took, milliseconds(500));
}

TEST_F(Settling, AHostThatDoesNotSeeTheLineSaysSo) {
    host->sees_busy = false;
    EXPECT_EQ(settled(Confirm::busy_line, milliseconds(500)), base::fail(Code::not_possible));
}

TEST_F(Settling, ItCreatesNoTask) {
    FakeHost fresh(FakeCard::emmc());
    fresh.card.power(true);
    fresh.card.rca = 1;
    fresh.card.state = spec::State::prg;
    fresh.card.busy_until = fresh.executor().now() + milliseconds(3);
    fresh.applied.clock = base::megahertz(26);
    const std::size_t frames = fresh.frames().untouched();

    Settle asker(fresh);
    asker.start(Peer{spec::Rca{1}, spec::Family::mmc}, Confirm::status, milliseconds(500));
    fresh.executor().run_until([&fresh] { return fresh.wire_is_free() && fresh.card.state == spec::State::tran; });
    EXPECT_TRUE(asker.verdict());
    EXPECT_EQ(fresh.frames().untouched(), frames);
}

} // namespace
} // namespace mmcpipe::card
