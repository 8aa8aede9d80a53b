#include "mmcpipe/block/order.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <vector>

namespace mmcpipe::block {
namespace {

void set(Request& request, Operation operation, std::uint64_t sector, std::uint32_t sectors) {
    request.operation = operation;
    request.sector = sector;
    request.sectors = sectors;
}

TEST(Order, ReadsOfTheSameSectorsGoInAnyOrder) {
    Order order;
    Request a;
    Request b;
    set(a, Operation::read, 0, 8);
    set(b, Operation::read, 4, 8);
    EXPECT_TRUE(order.enter(a));
    EXPECT_TRUE(order.enter(b));
}

TEST(Order, AReadOfWhatIsToBeWrittenWaitsForIt) {
    Order order;
    Request write;
    Request read;
    Request beside;
    set(write, Operation::write, 8, 8);
    set(read, Operation::read, 15, 1);
    set(beside, Operation::read, 16, 1);
    EXPECT_TRUE(order.enter(write));
    EXPECT_FALSE(order.enter(read));
    EXPECT_TRUE(order.enter(beside));
    std::vector<Request*> freed;
    order.leave(write, [&](Request& r) { freed.push_back(&r); });
    EXPECT_EQ(freed, std::vector<Request*>{&read});
}

TEST(Order, OneThatWaitsForTwoIsFreedByTheLast) {
    Order order;
    std::array<Request, 3> r;
    set(r[0], Operation::write, 0, 8);
    set(r[1], Operation::write, 8, 8);
    set(r[2], Operation::discard, 4, 8);
    for (Request& each : r) order.enter(each);
    int freed = 0;
    order.leave(r[1], [&](Request&) { ++freed; });
    EXPECT_EQ(freed, 0);
    order.leave(r[0], [&](Request&) { ++freed; });
    EXPECT_EQ(freed, 1);
}

TEST(Order, WhatFollowsIsFoundOnlyIfItMayGoAndIsOfTheSameKind) {
    Order order;
    std::array<Request, 5> r;
    set(r[0], Operation::write, 0, 8);
    set(r[1], Operation::read, 8, 8);
    set(r[2], Operation::write, 4, 8); // held by the first
    set(r[3], Operation::write, 20, 4);
    set(r[4], Operation::write, 24, 4);
    r[4].fua = true;
    for (Request& each : r) order.enter(each);
    EXPECT_EQ(order.following(r[0], 8), nullptr);
    EXPECT_EQ(order.following(r[0], 4), nullptr);
    EXPECT_EQ(order.following(r[0], 20), &r[3]);
    EXPECT_EQ(order.following(r[3], 24), nullptr);
}

// Whatever goes first of what may go: overlapping requests leave in the order in which they entered.
RC_GTEST_PROP(OrderProperty, RequestsThatOverlapLeaveInOrder, ()) {
    Order order;
    std::vector<std::unique_ptr<Request>> all;
    std::vector<Request*> may_go;
    std::vector<Request*> left;
    const auto steps = *rc::gen::inRange(1, 80);
    for (int i = 0; i < steps; ++i) {
        if (may_go.empty() || *rc::gen::inRange(0, 2) == 0) {
            Request& r = *all.emplace_back(std::make_unique<Request>());
            set(r, *rc::gen::element(Operation::read, Operation::write, Operation::discard),
                *rc::gen::inRange<std::uint64_t>(0, 16), *rc::gen::inRange<std::uint32_t>(1, 8));
            if (order.enter(r)) may_go.push_back(&r);
        } else {
            const auto which = *rc::gen::inRange<std::size_t>(0, may_go.size());
            Request& r = *may_go[which];
            may_go.erase(may_go.begin() + static_cast<std::ptrdiff_t>(which));
            left.push_back(&r);
            order.leave(r, [&](Request& freed) { may_go.push_back(&freed); });
        }
    }
    while (!may_go.empty()) { // nobody is forgotten
        Request& r = *may_go.back();
        may_go.pop_back();
        left.push_back(&r);
        order.leave(r, [&](Request& freed) { may_go.push_back(&freed); });
    }
    RC_ASSERT(left.size() == all.size());
    RC_ASSERT(order.empty());
    for (std::size_t a = 0; a < all.size(); ++a) {
        for (std::size_t b = a + 1; b < all.size(); ++b) {
            const bool both_read = all[a]->operation == Operation::read && all[b]->operation == Operation::read;
            if (both_read || all[a]->sector >= all[b]->end() || all[b]->sector >= all[a]->end()) continue;
            RC_ASSERT(std::ranges::find(left, all[a].get()) < std::ranges::find(left, all[b].get()));
        }
    }
}

} // namespace
} // namespace mmcpipe::block
