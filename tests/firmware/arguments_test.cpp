#include "firmware/run/arguments.h"

#include <gtest/gtest.h>

namespace firmware {
namespace {

TEST(Arguments, WithoutAnyTheCardIsInSlot0AndThereIsNoFile) {
    for (const char* line : {"", "image.elf", "image.elf  "}) {
        const auto arguments = parse_arguments(line, 1);
        ASSERT_TRUE(arguments) << line;
        EXPECT_EQ(arguments->slot, 0u);
        EXPECT_EQ(arguments->json, "");
    }
}

TEST(Arguments, ComeInAnyOrder) {
    for (const char* line : {"image slot=1 json=a=b.json", "image  json=a=b.json   slot=1 "}) {
        const auto arguments = parse_arguments(line, 2);
        ASSERT_TRUE(arguments) << line;
        EXPECT_EQ(arguments->slot, 1u);
        EXPECT_EQ(arguments->json, "a=b.json");
    }
}

TEST(Arguments, WhatIsNotUnderstoodIsNotPassedOver) {
    for (const char* line : {"image slot=2", "image slot=", "image slot=01", "image slot=x", "image slot",
                             "image json=", "image json", "image slots=1", "image =", "image slot=0 verbose"}) {
        EXPECT_FALSE(parse_arguments(line, 2)) << line;
    }
}

} // namespace
} // namespace firmware
