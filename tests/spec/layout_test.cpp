#include "mmcpipe/spec/layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
using base::WideField;

TEST(WideField, BitZeroIsTheLowestOfTheLastWord) {
    const std::array<std::uint32_t, 4> words{0x80000000, 0, 0, 1};
    EXPECT_TRUE((WideField<bool, 0>::get(words)));
    EXPECT_TRUE((WideField<bool, 127>::get(words)));
    EXPECT_FALSE((WideField<bool, 1>::get(words)));
}

TEST(WideField, ReadsAFieldThatLiesInTwoWords) {
    const std::array<std::uint32_t, 2> words{0x12345678, 0x9abcdef0};
    EXPECT_EQ((WideField<std::uint16_t, 39, 24>::get(words)), 0x789a);
    EXPECT_EQ((WideField<std::uint32_t, 47, 16>::get(words)), 0x56789abcu);
    EXPECT_EQ((WideField<std::uint32_t, 63, 32>::get(words)), 0x12345678u);
}

TEST(WideField, SettingAFieldLeavesItsNeighboursAlone) {
    std::array<std::uint32_t, 2> words{0xffffffff, 0xffffffff};
    WideField<std::uint16_t, 39, 24>::set(words, 0);
    EXPECT_EQ(words, (std::array<std::uint32_t, 2>{0xffffff00, 0x00ffffff}));
    WideField<std::uint8_t, 3, 0>::set(words, 0x1a); // too large: only its four bits count
    EXPECT_EQ(words, (std::array<std::uint32_t, 2>{0xffffff00, 0x00fffffa}));
}

RC_GTEST_PROP(WideField, GivesBackWhatWasSet, (std::array<std::uint32_t, 4> words, std::uint32_t value)) {
    WideField<std::uint32_t, 73, 52>::set(words, value);
    RC_ASSERT((WideField<std::uint32_t, 73, 52>::get(words)) == (value & 0x3fffffu));
}

RC_GTEST_PROP(Words, OfBytesGiveTheBytesBack, (std::array<std::uint32_t, 4> words)) {
    const auto bytes = spec::layout::bytes_of(words);
    RC_ASSERT(spec::layout::words_of(std::span<const std::byte, 16>(bytes)) == words);
}
