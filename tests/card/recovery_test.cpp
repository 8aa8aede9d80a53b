// Recovery, row by row and rule by rule.

#include "mmcpipe/card/recovery.h"

#include "mmcpipe/host/transaction.h"
#include "tests/card/card_fixture.h"

#include <array>
#include <string>

namespace mmcpipe::card {
namespace {

using base::Code;
using base::Error;
using base::Result;
using host::BusWidth;
using host::Direction;
using host::Timing;

struct Recovering : CardFixture {
    void SetUp() override { use(FakeCard::emmc()); }

    /// A request for 8 blocks, of which the host says that `done` bytes are done.
    void prepare(Direction direction, std::uint32_t done = 0, Bounding bounding = Bounding::predefined) {
        Transfer transfer;
        transfer.direction = direction;
        transfer.bounding = bounding;
        transfer.blocks = 8;
        ASSERT_TRUE(card->fill(request, transfer));
        request.bytes_done = done;
    }
    Verdict recover(Error error, unsigned attempt = 1) {
        const Result<Verdict> verdict = host->run(card->recover(request, error, attempt));
        EXPECT_TRUE(verdict);
        return verdict.value_or(Verdict{false, 0, Error(Code::out_of_frames), 0});
    }
    Verdict recover(Code code, unsigned attempt = 1) { return recover(Error(code, 0x77), attempt); }
    Result<void> fill_again() {
        Transfer transfer;
        transfer.blocks = 1;
        return card->fill(request, transfer);
    }

    host::Request request;
};

// --- the table ---

/// What can be seen of a row's actions on a card that is in the middle of sending.
const CardFixture::Trace restored{"CMD13", "CMD12", "CMD13"};
const CardFixture::Trace reset_and_restored{"reset lines", "CMD13", "CMD12", "CMD13"};
const CardFixture::Trace slower{"CMD13", "CMD12", "CMD13", "26000 kHz x8", "CMD6"};   // and so on
const CardFixture::Trace power_cycled{"power off", "power on", "400 kHz x1", "CMD0"}; // and so on

struct Row {
    Code error;
    unsigned attempt;
    CardFixture::Trace trace; ///< how it begins
    bool whole;               ///< the trace is all
};

const Row rows[] = {
    {Code::command_timeout, 1, restored, true},
    {Code::command_timeout, 2, reset_and_restored, true},
    {Code::command_timeout, 3, power_cycled, false},
    {Code::command_crc, 1, restored, true},
    {Code::command_crc, 2, slower, false},
    {Code::command_crc, 3, power_cycled, false},
    {Code::data_timeout, 1, restored, true},
    {Code::data_timeout, 2, reset_and_restored, true},
    {Code::data_timeout, 3, power_cycled, false},
    {Code::data_crc, 1, restored, true},
    {Code::data_crc, 2, slower, false},
    {Code::data_crc, 3, slower, false},
    {Code::data_crc, 4, power_cycled, false},
    {Code::write_crc, 1, restored, true},
    {Code::write_crc, 2, slower, false},
    {Code::write_crc, 3, slower, false},
    {Code::write_crc, 4, power_cycled, false},
    {Code::busy_timeout, 1, restored, true},
    {Code::busy_timeout, 2, power_cycled, false},
    {Code::overrun, 1, reset_and_restored, true},
    {Code::underrun, 1, reset_and_restored, true},
    {Code::dma_error, 1, reset_and_restored, true},
    {Code::software_timeout, 1, reset_and_restored, true},
    {Code::software_timeout, 2, power_cycled, false},
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << base::name(row.error) << ", attempt " << row.attempt;
}

struct EachRow : Recovering, testing::WithParamInterface<Row> {};

TEST_P(EachRow, DoesWhatItSaysAndTheRequestIsSentAgain) {
    const Row& row = GetParam();
    prepare(Direction::read);
    fake().state = spec::State::data;
    const Verdict verdict = recover(row.error, row.attempt);
    EXPECT_TRUE(verdict.retry);
    EXPECT_EQ(verdict.error, Error(row.error, 0x77)) << "the first error, for the record";
    ASSERT_GE(log().size(), row.trace.size());
    EXPECT_EQ((Trace{log().begin(), log().begin() + static_cast<std::ptrdiff_t>(row.trace.size())}), row.trace);
    EXPECT_EQ(log().size() == row.trace.size(), row.whole);
    EXPECT_TRUE(card->usable());
    EXPECT_EQ(fake().state, spec::State::tran);
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, EachRow, testing::ValuesIn(rows), [](const auto& row) {
    std::string name = std::string(base::name(row.param.error)) + std::to_string(row.param.attempt);
    std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
    return name;
});

TEST(RecoveryTable, HasNoRowWithoutATest) { EXPECT_EQ(recovery_table.size(), std::size(rows)); }

TEST(RecoveryTable, AttemptsOfAnErrorHaveNoGaps) {
    for (const RecoveryRow& row : recovery_table) {
        if (row.attempt == 1) continue;
        EXPECT_NE(recovery_row(row.error, row.attempt - 1u), nullptr) << base::name(row.error) << row.attempt;
    }
}

TEST(RecoveryTable, EveryRowEndsWithTheResend) {
    for (const RecoveryRow& row : recovery_table) {
        Action last = Action::none;
        for (const Action action : row.actions) last = action == Action::none ? last : action;
        EXPECT_EQ(last, Action::resend) << base::name(row.error) << int{row.attempt};
    }
}

// --- no row ---

TEST_F(Recovering, WithoutARowTheCardIsPutInOrderAndTheRequestFails) {
    for (const Error error :
         {Error(Code::r1_error, spec::r1::WpViolation::mask), Error(Code::switch_refused), Error(Code::aborted)}) {
        host->forget();
        prepare(Direction::read);
        fake().state = spec::State::data;
        const Verdict verdict = recover(error);
        EXPECT_FALSE(verdict.retry);
        EXPECT_EQ(verdict.error, error);
        EXPECT_EQ(log(), restored);
        EXPECT_TRUE(card->usable());
    }
}

TEST_F(Recovering, EveryErrorRunsOutOfAttempts) {
    for (unsigned code = 0; code <= static_cast<unsigned>(Code::out_of_frames); ++code) {
        prepare(Direction::read);
        EXPECT_FALSE(recover(static_cast<Code>(code), 5).retry);
        EXPECT_TRUE(card->usable());
    }
}

TEST_F(Recovering, WhatWasNeverSentNeedsNoRecovery) {
    for (const Code code : {Code::misaligned, Code::out_of_range, Code::not_possible, Code::out_of_frames}) {
        prepare(Direction::read);
        EXPECT_FALSE(recover(code).retry);
        EXPECT_TRUE(log().empty());
    }
}

// --- the rules beside the table ---

TEST_F(Recovering, ACardThatIsGoneIsRemovedAtOnce) {
    prepare(Direction::read);
    host->present = false;
    const Verdict verdict = recover(Code::data_timeout);
    EXPECT_FALSE(verdict.retry);
    EXPECT_EQ(verdict.error.code, Code::removed);
    EXPECT_TRUE(log().empty());
    EXPECT_EQ(fill_again(), base::fail(Code::removed));
}

TEST_F(Recovering, ACardThatGoesDuringRecoveryIsRemovedAndNotDead) {
    prepare(Direction::read);
    host->on_command = [](FakeHost& host, const std::string&) {
        host.present = false;
        host.card.dead = true;
    };
    EXPECT_EQ(recover(Code::data_timeout).error.code, Code::removed);
    EXPECT_EQ(fill_again().error().code, Code::removed);
}

TEST_F(Recovering, ACardThatDoesNotAnswerCmd13IsPowerCycled) {
    prepare(Direction::read);
    fake().mute = true;
    const Verdict verdict = recover(Code::command_timeout);
    EXPECT_TRUE(verdict.retry);
    EXPECT_EQ(host->place("power off"), 3u) << "after CMD13 as often as the table of single commands says";
    EXPECT_EQ(properties().mode, (BusMode{Timing::high_speed, BusWidth::x8}));
}

TEST_F(Recovering, ACardThatDoesNotGetReadyIsPowerCycledAfterTheTimeOfAWrite) {
    prepare(Direction::write);
    fake().state = spec::State::prg;
    fake().busy_until = host->executor().now() + base::seconds(100);
    const base::Instant began = host->executor().now();
    const Verdict verdict = recover(Code::busy_timeout);
    EXPECT_TRUE(verdict.retry);
    EXPECT_EQ(host->count("power off"), 1u);
    const base::Duration waited = host->times[host->place("power off")] - began;
    EXPECT_GE(waited, properties().times.write);
    EXPECT_LT(waited, properties().times.write + base::milliseconds(1));
}

TEST_F(Recovering, AHostWhosePathsCannotBeResetLeadsToAPowerCycle) {
    prepare(Direction::read);
    host->reset_works = false;
    EXPECT_TRUE(recover(Code::dma_error).retry);
    EXPECT_EQ(host->count("power off"), 1u);
}

TEST_F(Recovering, WhatHasBeenPowerCycledIsNotStoppedToo) {
    prepare(Direction::read);
    fake().mute = true;
    recover(Code::data_crc, 1);
    EXPECT_EQ(host->count("CMD12"), 0u);
    EXPECT_EQ(log().back(), "CMD8") << "the end of the bring-up";
}

TEST_F(Recovering, ACardThatDoesNotComeBackIsDeadAndEveryLaterRequestIsAnsweredAtOnce) {
    prepare(Direction::read);
    fake().dead = true;
    const Verdict verdict = recover(Code::command_timeout, 3);
    EXPECT_FALSE(verdict.retry);
    EXPECT_EQ(verdict.error.code, Code::dead);
    host->forget();
    EXPECT_EQ(fill_again().error().code, Code::dead);
    EXPECT_EQ(recover(Code::command_timeout).error.code, Code::dead);
    EXPECT_TRUE(log().empty());
}

TEST_F(Recovering, ADeadCardLivesAgainWhenItIsInsertedAnew) {
    prepare(Direction::read);
    fake().dead = true;
    recover(Code::command_timeout, 3);
    fake().dead = false;
    EXPECT_TRUE(bring_up());
    EXPECT_TRUE(fill_again());
}

TEST_F(Recovering, AnotherCardAfterThePowerCycleIsNotTheOneThatFailed) {
    prepare(Direction::read);
    fake().cid[3] ^= 0xff;
    EXPECT_TRUE(recover(Code::command_timeout, 3).retry) << "the checksum alone: not every host gives it";
    for (const std::size_t word : {0u, 1u, 2u, 3u}) {
        use(FakeCard::emmc());
        prepare(Direction::read);
        fake().cid[word] ^= 0x100;
        EXPECT_EQ(recover(Code::command_timeout, 3).error.code, Code::removed);
        EXPECT_EQ(fill_again().error().code, Code::removed);
    }
}

TEST_F(Recovering, ACardThatIsLockedAfterThePowerCycleIsNotSentTheRequestAgain) {
    prepare(Direction::read);
    fake().locked = true;
    const Verdict verdict = recover(Code::command_timeout, 3);
    EXPECT_FALSE(verdict.retry);
    EXPECT_EQ(verdict.error, Error(Code::r1_error, spec::r1::CardIsLocked::mask));
}

TEST_F(Recovering, AStopThatFailsDoesNotHideTheFirstError) {
    prepare(Direction::read);
    fake().state = spec::State::data;
    host->faults = {{"CMD12", Error(Code::command_crc)}};
    const Verdict verdict = recover(Error(Code::data_crc, 0x10));
    EXPECT_TRUE(verdict.retry);
    EXPECT_EQ(verdict.error, Error(Code::data_crc, 0x10));
}

TEST_F(Recovering, AStopThatIsNotHeardLeadsToAPowerCycleAndStillToTheFirstError) {
    prepare(Direction::read);
    fake().state = spec::State::data;
    host->faults = {{"CMD12", Error(Code::command_timeout)}};
    const Verdict verdict = recover(Code::data_crc);
    EXPECT_TRUE(verdict.retry);
    EXPECT_EQ(host->count("power off"), 1u);
    EXPECT_EQ(verdict.error.code, Code::data_crc);
}

TEST_F(Recovering, WhatTheCardSaysOnTheWayIsRecordedBesideTheFirstError) {
    prepare(Direction::read);
    fake().state = spec::State::data;
    fake().errors = spec::r1::CardEccFailed::mask;
    host->on_command = [](FakeHost& host, const std::string& what) {
        if (what == "CMD12") host.card.errors |= spec::r1::Error::mask;
    };
    const Verdict verdict = recover(Code::data_timeout);
    EXPECT_TRUE(verdict.retry);
    EXPECT_EQ(verdict.error.code, Code::data_timeout);
    EXPECT_EQ(verdict.met, spec::r1::CardEccFailed::mask | spec::r1::Error::mask);
}

// --- one bus mode down ---

TEST_F(Recovering, ModesGoDownTheClockFirstAndThenTheWidth) {
    const BusMode way[] = {{Timing::legacy, BusWidth::x8},
                           {Timing::legacy, BusWidth::x4},
                           {Timing::legacy, BusWidth::x1},
                           {Timing::legacy, BusWidth::x1}};
    for (const BusMode mode : way) {
        prepare(Direction::read);
        EXPECT_TRUE(recover(Code::data_crc, 2).retry);
        EXPECT_EQ(properties().mode, mode);
        EXPECT_EQ(host->applied.width, mode.width);
        EXPECT_EQ(host->applied.timing, mode.timing);
        EXPECT_EQ(host->count("power off"), 0u);
    }
    EXPECT_EQ(properties().timing_limit, Limit::recovery);
    EXPECT_EQ(properties().width_limit, Limit::recovery);
}

TEST_F(Recovering, BothEdgesAreGivenUpBeforeHighSpeed) {
    host->can().ddr52 = true;
    ASSERT_TRUE(bring_up());
    ASSERT_EQ(properties().mode, (BusMode{Timing::ddr52, BusWidth::x8}));
    for (const Timing timing : {Timing::high_speed, Timing::legacy}) {
        prepare(Direction::read);
        EXPECT_TRUE(recover(Code::data_crc, 2).retry);
        EXPECT_EQ(properties().mode, (BusMode{timing, BusWidth::x8}));
        EXPECT_EQ(host->applied.timing, timing);
        EXPECT_FALSE(fake().both_edges);
    }
}

TEST_F(Recovering, AnSdCardGoesDownToOneLine) {
    use(FakeCard::sdhc());
    prepare(Direction::read);
    EXPECT_TRUE(recover(Code::data_crc, 2).retry);
    EXPECT_EQ(properties().mode.width, BusWidth::x1);
    EXPECT_EQ(host->applied.width, BusWidth::x1);
    EXPECT_EQ(fake().lines, 1u);
}

TEST_F(Recovering, ALowerModeIsRememberedOverThePowerCycle) {
    prepare(Direction::read);
    recover(Code::data_crc, 2);
    recover(Code::data_crc, 4);
    EXPECT_EQ(properties().mode, (BusMode{Timing::legacy, BusWidth::x8}));
    EXPECT_EQ(properties().timing_limit, Limit::recovery);
    recover(Code::data_crc, 2);
    recover(Code::data_crc, 4);
    EXPECT_EQ(properties().mode, (BusMode{Timing::legacy, BusWidth::x4}));
    EXPECT_EQ(properties().width_limit, Limit::recovery);
}

TEST_F(Recovering, ALowerModeIsForgottenWhenACardIsInserted) {
    prepare(Direction::read);
    recover(Code::data_crc, 2);
    ASSERT_TRUE(bring_up());
    EXPECT_EQ(properties().mode, (BusMode{Timing::high_speed, BusWidth::x8}));
    EXPECT_EQ(properties().timing_limit, Limit::host);
}

TEST_F(Recovering, AModeThatCannotBeLeftIsLeftByAPowerCycle) {
    prepare(Direction::read);
    host->faults = {{"CMD6", Error(Code::command_timeout)}};
    EXPECT_TRUE(recover(Code::data_crc, 2).retry);
    EXPECT_EQ(host->count("power off"), 1u);
    EXPECT_EQ(properties().mode, (BusMode{Timing::legacy, BusWidth::x8}));
}

// --- bytes done ---

TEST_F(Recovering, WholeBlocksThatTheHostCountedAreDone) {
    prepare(Direction::read, 3 * 512 + 100);
    EXPECT_EQ(recover(Code::data_crc).bytes_done, 3u * 512);
    prepare(Direction::write, 3 * 512);
    EXPECT_EQ(recover(Code::write_crc).bytes_done, 3u * 512);
}

TEST_F(Recovering, NoMoreIsDoneThanWasAskedFor) {
    prepare(Direction::read, 100 * 512);
    EXPECT_EQ(recover(Code::data_crc).bytes_done, 8u * 512);
}

TEST_F(Recovering, AfterAPowerCycleNothingThatWasWrittenCounts) {
    prepare(Direction::write, 3 * 512);
    EXPECT_EQ(recover(Code::write_crc, 4).bytes_done, 0u);
    prepare(Direction::read, 3 * 512);
    EXPECT_EQ(recover(Code::data_crc, 4).bytes_done, 3u * 512) << "what was read is here";
}

TEST_F(Recovering, AWriteThatTheCardReportsAnErrorOfCountsAsNothing) {
    prepare(Direction::write, 3 * 512);
    EXPECT_EQ(recover(Error(Code::r1_error, spec::r1::Error::mask)).bytes_done, 0u);
    prepare(Direction::write, 3 * 512);
    fake().errors = spec::r1::CcError::mask;
    EXPECT_EQ(recover(Code::write_crc).bytes_done, 0u) << "found on the way";
    prepare(Direction::write, 3 * 512);
    host->forget();
    host->on_command = [](FakeHost& host, const std::string&) {
        if (host.count("CMD13") == 2) host.card.errors = spec::r1::CcError::mask;
    };
    EXPECT_EQ(recover(Code::write_crc).bytes_done, 0u) << "found while it gets ready";
}

TEST_F(Recovering, WhereTheHostLostTrackNothingCounts) {
    for (const Code code : {Code::dma_error, Code::software_timeout}) {
        prepare(Direction::read, 3 * 512);
        EXPECT_EQ(recover(code).bytes_done, 0u);
    }
}

TEST_F(Recovering, AWriteWhoseCardBecomesReadyLateIsDoneAndNeedsNoResend) {
    prepare(Direction::write, 8 * 512);
    fake().state = spec::State::prg;
    fake().busy_until = host->executor().now() + base::milliseconds(300);
    const Verdict verdict = recover(Code::busy_timeout);
    EXPECT_TRUE(verdict.retry);
    EXPECT_EQ(verdict.bytes_done, 8u * 512);
}

// --- all of it together ---

struct Journey : Recovering {
    /// Reads or writes until it is done or given up, as a client of these parts would.
    static base::Task<Result<void>> carry(Card& card, Transfer rest) {
        host::Transaction transaction(card.executor());
        Settle settle(card.host());
        for (unsigned attempt = 1; rest.blocks > 0; ++attempt) {
            co_await card.fill(transaction, rest);
            Result<void> ended = co_await outcome(host::transact(card.host(), transaction));
            ended = verdict(transaction, card.properties());
            if (ended && rest.direction == Direction::write) {
                settle.start(card.peer(), Confirm::status, card.properties().times.write);
                co_await settle.over();
                if (!settle.verdict()) ended = base::fail(settle.verdict().error());
            }
            if (ended) co_return {};
            const Verdict next = co_await card.recover(transaction, ended.error(), attempt);
            if (!next.retry) co_return base::fail(next.error);
            rest.sector += next.bytes_done >> 9;
            rest.blocks -= next.bytes_done >> 9;
        }
        co_return {};
    }

    Result<void> go(Direction direction, Bounding bounding) {
        Transfer transfer;
        transfer.direction = direction;
        transfer.bounding = bounding;
        transfer.sector = 1000;
        transfer.blocks = bounding == Bounding::single ? 1 : 8;
        return host->run(carry(*card, transfer));
    }
};

TEST_F(Journey, ATransferEndsWellAfterEachKindOfErrorInEachOfItsCommands) {
    const Code codes[] = {Code::command_timeout, Code::command_crc, Code::data_timeout,
                          Code::data_crc,        Code::write_crc,   Code::overrun,
                          Code::underrun,        Code::dma_error,   Code::software_timeout};
    for (const Bounding bounding : {Bounding::single, Bounding::open_ended, Bounding::predefined}) {
        for (const Direction direction : {Direction::read, Direction::write}) {
            for (const Code code : codes) {
                for (const char* at : {"CMD17", "CMD18", "CMD24", "CMD25", "CMD23", "CMD12"}) {
                    for (unsigned times = 1; times <= 2; ++times) {
                        host->faults = {{.at = at, .error = Error(code), .times = times}};
                        const Result<void> ended = go(direction, bounding);
                        const bool gives_up =
                            times == 2 && recovery_row(code, 2) == nullptr && host->faults[0].times == 0;
                        EXPECT_EQ(ended.has_value(), !gives_up) << at << ' ' << base::name(code) << ' ' << times;
                        EXPECT_EQ(fake().state, spec::State::tran) << at << ' ' << base::name(code);
                        EXPECT_TRUE(card->usable());
                    }
                }
            }
        }
    }
}

TEST_F(Journey, ABlockThatCannotBeReadFailsWithTheFirstErrorAndTheCardLives) {
    host->faults = {{.at = "CMD18", .error = Error(Code::data_crc, 5), .times = 100}};
    EXPECT_EQ(go(Direction::read, Bounding::predefined), base::fail(Code::data_crc, 5));
    host->faults.clear();
    EXPECT_TRUE(go(Direction::read, Bounding::predefined));
}

TEST_F(Journey, TheRestGoesOnWhereTheHostSaysThatBlocksAreDone) {
    host->faults = {{.at = "CMD18", .error = Error(Code::data_crc), .bytes_done = 3 * 512}};
    EXPECT_TRUE(go(Direction::read, Bounding::predefined));
    EXPECT_EQ(host->last_argument(18), 1003u);
    EXPECT_EQ(host->last_argument(23), 5u);
}

TEST_F(Journey, ACardThatDiesInTheMiddleEndsTheTransferInBoundedTime) {
    const base::Instant began = host->executor().now();
    host->on_command = [](FakeHost& host, const std::string& what) {
        if (what == "CMD25") host.card.dead = true;
    };
    const Result<void> ended = go(Direction::write, Bounding::open_ended);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, Code::dead);
    EXPECT_LT(host->executor().now() - began, base::seconds(5));
}

} // namespace
} // namespace mmcpipe::card
