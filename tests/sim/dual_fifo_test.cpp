#include "mmcpipe/sim/controller/dual_fifo.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace mmcpipe::sim::controller {
namespace {

using Bytes = std::vector<std::byte>;

Bytes counting(std::size_t size, unsigned from = 0) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(from + i);
    return bytes;
}
Bytes take(DualFifo& fifo, std::size_t most) {
    Bytes bytes(most);
    bytes.resize(fifo.get(bytes));
    return bytes;
}

TEST(DualFifo, NothingCanBeTakenBeforeAHalfIsFull) {
    DualFifo fifo;
    EXPECT_EQ(fifo.put(counting(31)), 31u);
    EXPECT_EQ(fifo.level(), 0u);
    fifo.put(counting(1, 31));
    EXPECT_EQ(fifo.level(), 32u);
    EXPECT_EQ(take(fifo, 100), counting(32));
    EXPECT_TRUE(fifo.empty());
}

TEST(DualFifo, TwoHalvesFullLeaveNoRoomUntilOneIsEmpty) {
    DualFifo fifo;
    EXPECT_EQ(fifo.put(counting(100)), 64u);
    EXPECT_EQ(fifo.room(), 0u);
    take(fifo, 31);
    EXPECT_EQ(fifo.room(), 0u);
    take(fifo, 1);
    EXPECT_EQ(fifo.room(), 32u);
    EXPECT_EQ(take(fifo, 100), counting(32, 32));
}

TEST(DualFifo, AHalfThatIsHandedOverHoldsLess) {
    DualFifo fifo;
    fifo.put(counting(5));
    fifo.hand_over();
    EXPECT_EQ(fifo.level(), 5u);
    fifo.put(counting(3, 5));
    fifo.hand_over(); // waits for its turn
    EXPECT_EQ(fifo.room(), 0u);
    EXPECT_EQ(take(fifo, 100), counting(8));
    EXPECT_EQ(fifo.room(), 32u);
}

TEST(DualFifo, WhatIsDroppedIsOneHalf) {
    DualFifo fifo;
    fifo.put(counting(64));
    take(fifo, 10);
    fifo.drop();
    EXPECT_EQ(take(fifo, 100), counting(32, 32));
}

RC_GTEST_PROP(DualFifo, BytesComeOutAsTheyWentIn, ()) {
    DualFifo fifo;
    Bytes in;
    Bytes out;
    unsigned next = 0;
    for (const auto& step : *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0u, 130u))) {
        if (step < 64) {
            const std::uint32_t room = fifo.room();
            const Bytes bytes = counting(step, next);
            const std::uint32_t put = fifo.put(bytes);
            RC_ASSERT(put >= std::min(room, step));
            in.insert(in.end(), bytes.begin(), bytes.begin() + put);
            next += put;
        } else if (step < 128) {
            const Bytes bytes = take(fifo, step - 64);
            out.insert(out.end(), bytes.begin(), bytes.end());
        } else {
            fifo.hand_over();
        }
    }
    fifo.hand_over();
    const Bytes rest = take(fifo, 200);
    out.insert(out.end(), rest.begin(), rest.end());
    RC_ASSERT(in == out);
}

} // namespace
} // namespace mmcpipe::sim::controller
