#include "mmcpipe/spec/sd_status.h"

#include "dump.h"
#include "generate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

using namespace mmcpipe;
using spec::sd::SdStatus;
using test::bits;
using test::flag;

TEST(SdStatus, OfARealCardGivesClassesAndEraseTimes) { // field cases, "Vectors usable at once"
    const SdStatus status = SdStatus::decode(test::array_from_hex<64>("0000000008000000"
                                                                      "04009000011b391e0008"
                                                                      "00000002ff0003"));
    EXPECT_EQ(status.speed_class_mb_s(), 10u);
    EXPECT_EQ(status.au_sectors(), 8192u); // 4 MiB
    EXPECT_EQ(status.erase_size, 1);
    EXPECT_EQ(status.erase_timeout, 6);
    EXPECT_EQ(status.erase_offset, 3);
    EXPECT_EQ(status.uhs_speed_grade, 3);
    EXPECT_EQ(status.video_speed_class, 30);
    EXPECT_EQ(status.app_perf_class, 2);
    EXPECT_TRUE(status.discard_support);
    EXPECT_TRUE(status.fule_support);
}

TEST(SdStatus, EachCodeOfTheAllocationUnitHasItsSize) {
    const std::uint32_t kib[] = {0,    16,   32,   64,    128,   256,   512,   1024,
                                 2048, 4096, 8192, 12288, 16384, 24576, 32768, 65536};
    for (std::uint8_t code = 0; code < 16; ++code) {
        EXPECT_EQ((SdStatus{.au_size = code}.au_sectors()), kib[code] * 2) << unsigned{code};
    }
}

TEST(SdStatus, EachSpeedClassHasItsCode) {
    const unsigned classes[] = {0, 2, 4, 6, 10, 0};
    for (std::uint8_t code = 0; code < 6; ++code)
        EXPECT_EQ((SdStatus{.speed_class = code}.speed_class_mb_s()), classes[code]);
}

RC_GTEST_PROP(SdStatus, IsDecodedToWhatWasEncoded, ()) {
    const SdStatus any{.dat_bus_width = bits<std::uint8_t>(2),
                       .secured_mode = flag(),
                       .sd_card_type = bits<std::uint16_t>(16),
                       .size_of_protected_area = bits<std::uint32_t>(32),
                       .speed_class = bits<std::uint8_t>(8),
                       .performance_move = bits<std::uint8_t>(8),
                       .au_size = bits<std::uint8_t>(4),
                       .erase_size = bits<std::uint16_t>(16),
                       .erase_timeout = bits<std::uint8_t>(6),
                       .erase_offset = bits<std::uint8_t>(2),
                       .uhs_speed_grade = bits<std::uint8_t>(4),
                       .uhs_au_size = bits<std::uint8_t>(4),
                       .video_speed_class = bits<std::uint8_t>(8),
                       .vsc_au_size = bits<std::uint16_t>(10),
                       .sus_addr = bits<std::uint32_t>(22),
                       .app_perf_class = bits<std::uint8_t>(4),
                       .performance_enhance = bits<std::uint8_t>(8),
                       .discard_support = flag(),
                       .fule_support = flag()};
    RC_ASSERT(SdStatus::decode(any.encode()) == any);
}
