#include "mmcpipe/cli/case_list.h"

#include "mmcpipe/measure/bad_input.h"
#include "tests/report/temporary.h"

#include <gtest/gtest.h>

namespace mmcpipe::cli {
namespace {

std::vector<unsigned> numbers(std::string_view list) {
    std::vector<unsigned> numbers;
    for (const trial::Case* const trial : cases_of(list)) numbers.push_back(trial->number);
    return numbers;
}

std::string complaint(std::string_view list) {
    return test::complaint<measure::BadInput>([&] { cases_of(list); });
}

TEST(CaseList, NumbersAndRangesKeepTheirOrder) {
    EXPECT_EQ(numbers("37"), (std::vector{37u}));
    EXPECT_EQ(numbers("37-39"), (std::vector{37u, 38u, 39u}));
    EXPECT_EQ(numbers("40,1-2,44"), (std::vector{40u, 1u, 2u, 44u}));
}

TEST(CaseList, ANumberThatNoCaseHasIsNamed) {
    EXPECT_EQ(complaint("45"), "--cases: no case 45, expected 1 to 44 (see: mmcpipe list cases)");
    EXPECT_EQ(complaint("0"), "--cases: no case 0, expected 1 to 44 (see: mmcpipe list cases)");
    EXPECT_EQ(complaint("40-4000000000"), "--cases: no case 4000000000, expected 1 to 44 (see: mmcpipe list cases)");
}

TEST(CaseList, WhatIsNoListOfNumbersIsShown) {
    EXPECT_EQ(complaint("read"), "--cases: \"read\", expected numbers and ranges, as in 1-14,37");
    for (const char* list : {"", ",", "1,", "1-", "-3", "1-2-3", "1 2", "99999999999"}) {
        EXPECT_NE(complaint(list).find("expected numbers and ranges"), std::string::npos) << list;
    }
}

TEST(CaseList, ARangeRunsUpwards) {
    EXPECT_EQ(complaint("44-37"), "--cases: \"44-37\", expected the smaller number first");
}

} // namespace
} // namespace mmcpipe::cli
