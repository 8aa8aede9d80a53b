#include "mmcpipe/spec/packed.h"

#include "generate.h"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

using namespace mmcpipe;
using spec::mmc::PackedDirection;
using spec::mmc::PackedEntry;
using spec::mmc::PackedFlaw;
using spec::mmc::PackedHeader;

namespace {

using Block = std::array<std::byte, spec::mmc::packed_header_size>;

PackedEntry entry(std::uint16_t blocks, std::uint32_t address) {
    PackedEntry made{};
    made.count.blocks = blocks;
    made.address.argument = address;
    return made;
}

Block header_of(PackedDirection direction, const std::vector<PackedEntry>& entries) {
    Block block;
    block.fill(std::byte{0xee});
    spec::mmc::encode_packed_header(block, direction, entries);
    return block;
}

Block two_writes() { return header_of(PackedDirection::write, {entry(8, 0x11223344), entry(0x0201, 16)}); }

PackedFlaw flaw_of(std::span<const std::byte> block) {
    const auto decoded = PackedHeader::decode(block);
    EXPECT_FALSE(decoded.has_value());
    return decoded ? PackedFlaw::size : decoded.error();
}

} // namespace

TEST(PackedHeader, LiesOnTheBusAsTheSpecificationDrawsIt) {
    Block expected{};
    constexpr std::array<unsigned, 24> bytes{1,    2,    2,    0,    0,    0,    0, 0, 8,  0, 0, 0,
                                             0x44, 0x33, 0x22, 0x11, 0x01, 0x02, 0, 0, 16, 0, 0, 0};
    for (std::size_t i = 0; i < bytes.size(); ++i) expected[i] = static_cast<std::byte>(bytes[i]);
    EXPECT_EQ(two_writes(), expected);
}

TEST(PackedHeader, HasRoomForSixtyThreeEntriesAndForMoreInALargeSector) {
    EXPECT_EQ(spec::mmc::packed_entries_in(spec::mmc::packed_header_size), 63u);
    EXPECT_EQ(spec::mmc::packed_entries_in(spec::mmc::large_packed_header_size), 511u);
    EXPECT_EQ(spec::mmc::packed_entries_in(7), 0u);
}

RC_GTEST_PROP(PackedHeader, DecodesToWhatWasEncoded, ()) {
    const bool large = *rc::gen::arbitrary<bool>();
    const std::size_t size = large ? spec::mmc::large_packed_header_size : spec::mmc::packed_header_size;
    const std::size_t most = std::min(spec::mmc::packed_entries_in(size), spec::mmc::most_packed_entries);
    std::vector<PackedEntry> entries(*rc::gen::inRange<std::size_t>(1, most + 1));
    std::uint32_t blocks = 0;
    for (PackedEntry& made : entries) {
        made.count = spec::BlockCount::in(*rc::gen::arbitrary<std::uint32_t>());
        made.count.packed = false;
        made.count.blocks = *rc::gen::inRange<std::uint16_t>(1, 0xffff);
        made.address.argument = *rc::gen::arbitrary<std::uint32_t>();
        blocks += made.count.blocks;
    }
    const auto direction = *rc::gen::element(PackedDirection::read, PackedDirection::write);
    std::vector<std::byte> block(size, std::byte{0xa5});
    spec::mmc::encode_packed_header(block, direction, entries);
    const auto decoded = PackedHeader::decode(block);
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(decoded->direction() == direction);
    RC_ASSERT(decoded->entries() == entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) RC_ASSERT((*decoded)[i] == entries[i]);
    RC_ASSERT(decoded->blocks() == blocks);
}

TEST(PackedHeader, EachFlawIsNamed) {
    const Block good = two_writes();
    ASSERT_TRUE(PackedHeader::decode(good).has_value());
    const auto with = [&good](std::size_t at, unsigned value) {
        Block block = good;
        block[at] = static_cast<std::byte>(value);
        return block;
    };
    EXPECT_EQ(flaw_of(std::span(good).first<511>()), PackedFlaw::size);
    EXPECT_EQ(flaw_of({}), PackedFlaw::size);
    EXPECT_EQ(flaw_of(with(0, 0)), PackedFlaw::version);
    EXPECT_EQ(flaw_of(with(0, 2)), PackedFlaw::version);
    EXPECT_EQ(flaw_of(with(1, 0)), PackedFlaw::direction);
    EXPECT_EQ(flaw_of(with(1, 3)), PackedFlaw::direction);
    EXPECT_EQ(flaw_of(with(2, 0)), PackedFlaw::no_entries);
    EXPECT_EQ(flaw_of(with(2, 64)), PackedFlaw::too_many_entries);
    EXPECT_EQ(flaw_of(with(2, 3)), PackedFlaw::empty_entry) << "the third is all zeros";
    EXPECT_EQ(flaw_of(with(11, 0x40)), PackedFlaw::packed_entry);
}

RC_GTEST_PROP(PackedHeader, ArbitraryBytesAreDecodedOrRefusedAndNeverReadBeyond, ()) {
    std::vector<std::byte> block(*rc::gen::element<std::size_t>(0, 1, 511, 512, 4095, 4096));
    for (std::size_t i = 0; i < std::min<std::size_t>(block.size(), 32); ++i)
        block[i] = static_cast<std::byte>(*rc::gen::weightedOneOf<unsigned>(
            {{1, rc::gen::inRange(0u, 256u)}, {3, rc::gen::element(0u, 1u, 2u, 3u)}}));
    const auto decoded = PackedHeader::decode(block);
    if (!decoded) return;
    RC_ASSERT(decoded->entries() >= 1);
    RC_ASSERT(decoded->blocks() >= decoded->entries());
}

TEST(BlockCount, HasEachFlagWhereTheSpecificationPutsIt) {
    spec::BlockCount count;
    EXPECT_EQ(count.argument(), 0u);
    count.blocks = 0xabcd;
    EXPECT_EQ(count.argument(), 0xabcdu);
    count.forced_programming = true;
    EXPECT_EQ(count.argument(), 0x0100abcdu);
    count.context = 15;
    EXPECT_EQ(count.argument(), 0x1f00abcdu);
    count.tag = true;
    EXPECT_EQ(count.argument(), 0x3f00abcdu);
    count.reliable_write = true;
    EXPECT_EQ(count.argument(), 0xbf00abcdu);
    EXPECT_EQ(spec::mmc::set_packed_count(9).argument, 0x40000009u);
}

RC_GTEST_PROP(BlockCount, EncodesWhatItDecodes, (std::uint32_t argument)) {
    constexpr std::uint32_t no_field = 0x00ff0000;
    RC_ASSERT(spec::BlockCount::in(argument).argument() == (argument & ~no_field));
}
