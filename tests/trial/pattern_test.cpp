#include "mmcpipe/trial/pattern.h"

#include "mmcpipe/trial/random.h"

#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace mmcpipe::trial {
namespace {

std::vector<std::byte> bytes_of(std::uint32_t seed, std::uint32_t sector, std::size_t count) {
    std::vector<std::byte> bytes(count);
    Pattern pattern(seed, sector);
    fill(bytes, pattern);
    return bytes;
}

TEST(Pattern, GoesOnFromSectorToSector) {
    const std::vector<std::byte> two = bytes_of(1, 10, 1024);
    EXPECT_EQ(std::vector(two.begin() + 512, two.end()), bytes_of(1, 11, 512));
}

TEST(Pattern, IsAnotherOneForEachSectorAndSeed) {
    std::set<std::vector<std::byte>> all;
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        for (std::uint32_t sector = 0; sector < 50; ++sector) all.insert(bytes_of(seed, sector, 8));
    }
    EXPECT_EQ(all.size(), 2500u);
}

TEST(Pattern, DoesNotMatchAShiftedCopyOfItself) {
    const std::vector<std::byte> bytes = bytes_of(1, 0, 512);
    for (std::size_t shift = 1; shift < 511; ++shift) {
        Pattern pattern(1, 0);
        EXPECT_FALSE(matches(std::span(bytes).subspan(shift), pattern) && shift < 508);
    }
}

TEST(Pattern, FindsOneWrongBit) {
    std::vector<std::byte> bytes = bytes_of(1, 0, 512);
    bytes[300] ^= std::byte{1};
    Pattern pattern(1, 0);
    EXPECT_FALSE(matches(bytes, pattern));
}

TEST(Pattern, GoesOnFromPieceToPiece) {
    std::vector<std::byte> bytes(600);
    const std::array<host::Buffer, 3> pieces{std::span(bytes).first(1), std::span(bytes).subspan(1, 510),
                                             std::span(bytes).subspan(511)};
    fill(pieces, Pattern(3, 4));
    EXPECT_EQ(bytes, bytes_of(3, 4, 600));
    EXPECT_TRUE(matches(pieces, Pattern(3, 4)));
    EXPECT_FALSE(matches(pieces, Pattern(3, 5)));
}

TEST(Random, IsTheSameForTheSameSeedAndReachesEveryNumber) {
    Random one(5);
    Random other(5);
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 200; ++i) {
        const std::uint32_t number = one.below(10);
        EXPECT_EQ(number, other.below(10));
        seen.insert(number);
    }
    EXPECT_EQ(seen.size(), 10u);
    EXPECT_EQ(*seen.rbegin(), 9u);
}

} // namespace
} // namespace mmcpipe::trial
