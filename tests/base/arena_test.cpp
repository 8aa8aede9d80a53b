#include "mmcpipe/base/arena.h"

#include "mmcpipe/base/bits.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>

namespace mmcpipe::base {
namespace {

TEST(FrameArena, ABlockThatWasFreedIsGivenAgainToItsSize) {
    StaticFrameArena<4096> arena;
    void* a = arena.allocate(100);
    void* b = arena.allocate(100);
    EXPECT_NE(a, b);
    arena.free(a, 100);
    EXPECT_EQ(arena.allocate(128), a) << "100 and 128 bytes are of one size";
}

TEST(FrameArena, GivesNothingWhenItIsUsedUpOrAskedForTooMuch) {
    StaticFrameArena<256> arena;
    EXPECT_EQ(arena.allocate(FrameArena::largest + 1), nullptr);
    EXPECT_NE(arena.allocate(256), nullptr);
    EXPECT_EQ(arena.allocate(1), nullptr);
}

TEST(FrameArena, EveryBlockBeginsACacheLine) {
    StaticFrameArena<4096> arena;
    for (const std::size_t size : {1u, 65u, 200u, 64u}) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.allocate(size)) % FrameArena::granule, 0u);
    }
}

TEST(FrameArenaProperty, BlocksNeverOverlap) {
    EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::uint16_t, bool>>& plan) {
        StaticFrameArena<65536> arena;
        std::map<void*, std::size_t> live;
        for (const auto& [size, give_back] : plan) {
            if (give_back && !live.empty()) {
                arena.free(live.begin()->first, live.begin()->second);
                live.erase(live.begin());
                continue;
            }
            const std::size_t bytes = 1 + size % 2000;
            void* block = arena.allocate(bytes);
            if (block == nullptr) continue;
            std::memset(block, 0x5a, bytes);
            const auto after = live.lower_bound(block);
            if (after != live.end())
                RC_ASSERT(static_cast<std::byte*>(block) + bytes <= static_cast<std::byte*>(after->first));
            if (after != live.begin()) {
                const auto before = std::prev(after);
                RC_ASSERT(static_cast<std::byte*>(before->first) + before->second <= static_cast<std::byte*>(block));
            }
            live[block] = bytes;
        }
    }));
}

TEST(Field, SetsOnlyItsOwnBits) {
    using Middle = Field<std::uint8_t, 11, 8>;
    EXPECT_EQ(Middle::mask, 0xf00u);
    EXPECT_EQ(Middle::set(0xffff'ffff, 5), 0xffff'f5ffu);
    EXPECT_EQ(Middle::get(0x0000'0a00), 10);
    EXPECT_EQ(Middle::of(0x1f), 0xf00u) << "what does not fit is cut off";
    EXPECT_EQ((Field<std::uint32_t, 31, 0>::mask), 0xffff'ffffu);
}

} // namespace
} // namespace mmcpipe::base
