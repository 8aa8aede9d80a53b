#include "mmcpipe/spec/crc.h"

#include "dump.h"
#include "mmcpipe/spec/command.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string_view>
#include <vector>

using namespace mmcpipe;

namespace {

std::vector<std::byte> text(std::string_view characters) {
    std::vector<std::byte> bytes;
    for (const char c : characters) bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}

std::vector<std::byte> as_bytes(const std::vector<std::uint8_t>& numbers) {
    std::vector<std::byte> bytes;
    for (const std::uint8_t n : numbers) bytes.push_back(static_cast<std::byte>(n));
    return bytes;
}

} // namespace

TEST(Crc7, ClosesTheSpecificationsExampleFrames) {
    EXPECT_EQ(spec::frame(spec::go_idle_state())[5], std::byte{0x95});
    EXPECT_EQ(spec::frame(spec::read_single_block({0}))[5], std::byte{0x55});
    EXPECT_EQ(spec::frame(spec::sd::send_if_cond())[5], std::byte{0x87});
}

TEST(Crc7, OfTheCatalogueCheckString) { EXPECT_EQ(spec::crc7(text("123456789")), 0x75); }

TEST(Crc16, OfABlockOfOnesIsTheSpecificationsExample) {
    std::array<std::byte, 512> ones;
    ones.fill(std::byte{0xff});
    EXPECT_EQ(spec::crc16(ones), 0x7fa1);
}

TEST(Crc16, OfTheCatalogueCheckString) { EXPECT_EQ(spec::crc16(text("123456789")), 0x31c3); }

RC_GTEST_PROP(Crc7, OfAMessageAndItsCrcIsZero, (const std::vector<std::uint8_t>& numbers)) {
    std::vector<std::byte> message = as_bytes(numbers);
    message.push_back(static_cast<std::byte>(spec::crc7(message) << 1)); // the end bit would be left over
    RC_ASSERT(spec::crc7(message) == 0);
}

RC_GTEST_PROP(Crc16, OfAMessageAndItsCrcIsZero, (const std::vector<std::uint8_t>& numbers)) {
    std::vector<std::byte> message = as_bytes(numbers);
    const std::uint16_t crc = spec::crc16(message);
    message.push_back(static_cast<std::byte>(crc >> 8));
    message.push_back(static_cast<std::byte>(crc & 0xff));
    RC_ASSERT(spec::crc16(message) == 0);
}

RC_GTEST_PROP(Crc16, MayBeTakenInPieces,
              (const std::vector<std::uint8_t>& first, const std::vector<std::uint8_t>& second)) {
    std::vector<std::uint8_t> whole = first;
    whole.insert(whole.end(), second.begin(), second.end());
    RC_ASSERT(spec::crc16(as_bytes(second), spec::crc16(as_bytes(first))) == spec::crc16(as_bytes(whole)));
}

RC_GTEST_PROP(Crc7, SeesEverySingleFlippedBitOfACommand, (std::uint32_t argument)) {
    const spec::Command command{17, spec::Response::r1, argument};
    auto bytes = spec::frame(command);
    const auto bit = *rc::gen::inRange<std::size_t>(0, 40);
    bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    RC_ASSERT(spec::closing_byte(std::span(bytes).first<5>()) != bytes[5]);
}
