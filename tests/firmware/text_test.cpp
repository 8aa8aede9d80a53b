#include "firmware/run/text.h"

#include <gtest/gtest.h>
#include <string>

namespace firmware {
namespace {

template <class... Parts>
std::string text_of(Parts... parts) {
    Text text;
    (text.put(parts), ...);
    EXPECT_EQ(text.view(), text.c_str());
    return text.c_str();
}

TEST(Text, HasNumbersInDecimalAndInHexadecimal) {
    EXPECT_EQ(text_of("sector ", 0u, ", ", std::uint16_t{65535}, ", ", 4'294'967'295u), "sector 0, 65535, 4294967295");
    EXPECT_EQ(text_of(Hex{std::uint8_t{0xa}}, ' ', Hex{0xdeadbeefu}), "0a deadbeef");
}

TEST(Text, HasTimesInSecondsWithAllDecimals) {
    using mmcpipe::base::nanoseconds;
    EXPECT_EQ(text_of(Seconds{nanoseconds(0)}), "0.000000000");
    EXPECT_EQ(text_of(Seconds{nanoseconds(999'999'999)}), "0.999999999");
    EXPECT_EQ(text_of(Seconds{nanoseconds(20'000'765'402)}), "20.000765402");
}

TEST(Text, EndsWhereThereIsNoMoreRoom) {
    const std::string longer(1000, 'x');
    EXPECT_EQ(text_of("a", std::string_view(longer)), "a" + std::string(254, 'x'));
}

} // namespace
} // namespace firmware
