#include "mmcpipe/block/by_deadline.h"
#include "mmcpipe/block/fair.h"
#include "mmcpipe/block/fifo.h"
#include "mmcpipe/block/turns.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <set>
#include <vector>

namespace mmcpipe::block {
namespace {

constexpr base::Instant at(std::int64_t ms) { return base::Instant{} + base::milliseconds(ms); }

Request& set(Request& request, Operation operation, std::uint64_t sector, unsigned stream = 0, std::int64_t ms = 0) {
    request.operation = operation;
    request.sector = sector;
    request.sectors = 8;
    request.stream = static_cast<std::uint16_t>(stream);
    request.submitted = at(ms);
    return request;
}

std::vector<std::uint64_t> order_of(Scheduler& scheduler, std::size_t count, std::int64_t ms = 0) {
    std::vector<std::uint64_t> sectors;
    for (std::size_t i = 0; i < count; ++i) {
        Request* const request = scheduler.next(at(ms));
        if (request == nullptr) break;
        sectors.push_back(request->sector);
    }
    return sectors;
}

TEST(Fifo, GivesInTheOrderOfArrival) {
    Fifo fifo;
    std::array<Request, 3> r;
    fifo.add(set(r[0], Operation::write, 30));
    fifo.add(set(r[1], Operation::read, 10));
    fifo.add(set(r[2], Operation::write, 20));
    EXPECT_EQ(order_of(fifo, 3), (std::vector<std::uint64_t>{30, 10, 20}));
}

TEST(Fifo, WhatIsPutBackIsFirst) {
    Fifo fifo;
    std::array<Request, 2> r;
    fifo.add(set(r[0], Operation::write, 30));
    fifo.add(set(r[1], Operation::write, 10));
    fifo.put_back(*fifo.next(at(0)));
    EXPECT_EQ(order_of(fifo, 2), (std::vector<std::uint64_t>{30, 10}));
}

TEST(ByDeadline, ReadsGoBeforeWritesByAscendingSectors) {
    ByDeadline scheduler;
    std::array<Request, 4> r;
    scheduler.add(set(r[0], Operation::write, 5));
    scheduler.add(set(r[1], Operation::read, 300));
    scheduler.add(set(r[2], Operation::read, 100));
    scheduler.add(set(r[3], Operation::read, 200));
    EXPECT_EQ(order_of(scheduler, 4), (std::vector<std::uint64_t>{100, 200, 300, 5}));
}

TEST(ByDeadline, WritesWaitForSoManyBatchesOfReadsOnly) {
    ByDeadline scheduler({.batch = 2, .writes_starved = 2});
    std::array<Request, 6> r;
    scheduler.add(set(r[0], Operation::write, 9));
    for (unsigned i = 1; i < 6; ++i) scheduler.add(set(r[i], Operation::read, i * 100));
    EXPECT_EQ(order_of(scheduler, 6), (std::vector<std::uint64_t>{100, 200, 300, 400, 9, 500}));
}

TEST(ByDeadline, ABatchBeginsWithTheOldestIfThatIsLate) {
    ByDeadline scheduler({.read_within = base::milliseconds(10), .batch = 1});
    std::array<Request, 3> r;
    scheduler.add(set(r[0], Operation::read, 100));
    ASSERT_NE(scheduler.next(at(0)), nullptr); // the position is behind sector 100 now
    scheduler.add(set(r[1], Operation::read, 50));
    scheduler.add(set(r[2], Operation::read, 200, 0, 15));
    EXPECT_EQ(order_of(scheduler, 2, 20), (std::vector<std::uint64_t>{50, 200}));
}

TEST(Fair, AStreamKeepsTheBusForItsSlice) {
    Fair fair({.read_slice = base::milliseconds(10)});
    std::array<Request, 6> r;
    for (unsigned i = 0; i < 3; ++i) fair.add(set(r[i], Operation::read, 100 + i, 1));
    for (unsigned i = 3; i < 6; ++i) fair.add(set(r[i], Operation::read, 200 + i, 2));
    EXPECT_EQ(order_of(fair, 2, 0), (std::vector<std::uint64_t>{100, 101}));
    EXPECT_EQ(order_of(fair, 2, 10), (std::vector<std::uint64_t>{203, 204}));
    EXPECT_EQ(order_of(fair, 1, 20), (std::vector<std::uint64_t>{102}));
}

TEST(Fair, AReadersNextRequestIsWaitedForAMoment) {
    Fair fair({.read_slice = base::milliseconds(100), .patience = base::milliseconds(8), .samples = 0});
    std::array<Request, 3> r;
    fair.add(set(r[0], Operation::read, 100, 1));
    fair.add(set(r[1], Operation::write, 900, 2));
    ASSERT_EQ(fair.next(at(0)), r.data());
    EXPECT_EQ(fair.next(at(1)), nullptr); // it is on the wire
    EXPECT_EQ(fair.ask_again(), base::never);
    fair.ended(r[0], at(2));
    EXPECT_EQ(fair.next(at(2)), nullptr);
    EXPECT_EQ(fair.ask_again(), at(10));
    fair.add(set(r[2], Operation::read, 108, 1));
    EXPECT_EQ(fair.next(at(3)), &r[2]);
    fair.ended(r[2], at(4));
    EXPECT_EQ(fair.next(at(12)), &r[1]); // it did not come in time
}

TEST(Fair, NobodyWaitsForAReaderIfNobodyElseHasAnything) {
    Fair fair({.samples = 0});
    Request r;
    fair.add(set(r, Operation::read, 100, 1));
    ASSERT_NE(fair.next(at(0)), nullptr);
    EXPECT_EQ(fair.next(at(1)), nullptr);
    EXPECT_EQ(fair.ask_again(), base::never);
}

TEST(Fair, NobodyIsWaitedForWhereTheDeviceHoldsManyAtOnce) {
    Fair fair({.samples = 1});
    std::array<Request, 8> r;
    for (unsigned i = 0; i < 5; ++i) fair.add(set(r[i], Operation::write, 900 + i, 2));
    for (unsigned i = 0; i < 5; ++i) ASSERT_EQ(fair.next(at(0)), &r[i]); // all five are under way
    fair.ended(r[0], at(1));
    fair.add(set(r[5], Operation::read, 100, 1));
    fair.add(set(r[6], Operation::write, 910, 2));
    ASSERT_EQ(fair.next(at(50)), &r[5]); // the slice of the writes is over
    EXPECT_EQ(fair.next(at(51)), &r[6]); // though the reader's is not
}

TEST(Turns, ReadsGoFirstAndAReadersNextRequestIsWaitedFor) {
    Turns turns({.patience = base::milliseconds(2)});
    std::array<Request, 3> r;
    turns.add(set(r[0], Operation::write, 900));
    turns.add(set(r[1], Operation::read, 100));
    ASSERT_EQ(turns.next(at(0)), &r[1]);
    EXPECT_EQ(turns.next(at(1)), nullptr); // it is on the wire
    turns.ended(r[1], at(2));
    EXPECT_EQ(turns.next(at(2)), nullptr);
    EXPECT_EQ(turns.ask_again(), at(4));
    turns.add(set(r[2], Operation::read, 108));
    EXPECT_EQ(turns.next(at(3)), &r[2]);
    turns.ended(r[2], at(4));
    EXPECT_EQ(turns.next(at(6)), r.data()); // it did not come in time
}

TEST(Turns, AWriteThatHasWaitedLongEnoughBeginsATurnOfWrites) {
    Turns turns({.write_within = base::milliseconds(60), .write_turn = base::milliseconds(15)});
    std::array<Request, 12> r;
    for (unsigned i = 0; i < 6; ++i) turns.add(set(r[i], Operation::write, 900 + i));
    for (unsigned i = 6; i < 12; ++i) turns.add(set(r[i], Operation::read, 100 + i));
    EXPECT_EQ(turns.next(at(59)), &r[6]);
    EXPECT_EQ(turns.next(at(60)), r.data());
    EXPECT_EQ(turns.may_hold(host::Direction::write, at(65)), base::milliseconds(10));
    EXPECT_EQ(turns.next(at(74)), &r[1]);
    EXPECT_EQ(turns.next(at(75)), &r[7]);  // the turn is over
    EXPECT_EQ(turns.next(at(134)), &r[8]); // and reads have theirs, however long the writes have waited
    EXPECT_EQ(turns.next(at(135)), &r[2]);
}

TEST(Turns, WithoutReadsWritesHaveTheBus) {
    Turns turns;
    std::array<Request, 3> r;
    for (Request& each : r) turns.add(set(each, Operation::write, 900));
    for (int i = 0; i < 3; ++i) EXPECT_NE(turns.next(at(100 + 1000 * i)), nullptr);
    EXPECT_EQ(turns.may_hold(host::Direction::write, at(5000)), TurnsSettings{}.longest);
}

// What every scheduler owes: each request comes out exactly once, whatever is put back or taken out of turn.
template <class S>
void gives_each_once() {
    S scheduler;
    std::vector<std::unique_ptr<Request>> all;
    std::multiset<Request*> waiting;
    std::size_t gone = 0;
    std::int64_t now = 0;
    const auto steps = *rc::gen::inRange(1, 100);
    for (int i = 0; i < steps; ++i) {
        now += *rc::gen::inRange(0, 30);
        switch (*rc::gen::inRange(0, 4)) {
        case 0: {
            Request& r = *all.emplace_back(std::make_unique<Request>());
            scheduler.add(set(r, *rc::gen::element(Operation::read, Operation::write), *rc::gen::inRange(0u, 1000u),
                              *rc::gen::inRange(0u, 70u), now));
            waiting.insert(&r);
            break;
        }
        case 1:
        case 2:
            if (Request* const r = scheduler.next(at(now))) {
                RC_ASSERT(waiting.count(r) == 1u);
                if (*rc::gen::inRange(0, 3) == 0) {
                    scheduler.put_back(*r);
                } else {
                    waiting.erase(r);
                    scheduler.ended(*r, at(now));
                    ++gone;
                }
            } else if (!waiting.empty()) {
                RC_ASSERT(scheduler.ask_again() != base::never);
            }
            break;
        case 3:
            if (!waiting.empty()) {
                Request& r = **waiting.begin();
                scheduler.take(r);
                waiting.erase(&r);
                scheduler.ended(r, at(now));
                ++gone;
            }
            break;
        }
    }
    for (std::size_t tries = 0; !waiting.empty(); ++tries) {
        RC_ASSERT(tries < 1000u);
        now += 10;
        Request* const r = scheduler.next(at(now));
        if (r == nullptr) continue;
        RC_ASSERT(waiting.erase(r) == 1u);
        scheduler.ended(*r, at(now));
        ++gone;
    }
    RC_ASSERT(gone == all.size());
}

RC_GTEST_PROP(SchedulerProperty, FifoGivesEachRequestOnce, ()) { gives_each_once<Fifo>(); }
RC_GTEST_PROP(SchedulerProperty, ByDeadlineGivesEachRequestOnce, ()) { gives_each_once<ByDeadline>(); }
RC_GTEST_PROP(SchedulerProperty, TurnsGivesEachRequestOnce, ()) { gives_each_once<Turns>(); }
RC_GTEST_PROP(SchedulerProperty, FairGivesEachRequestOnce, ()) { gives_each_once<Fair>(); }

} // namespace
} // namespace mmcpipe::block
