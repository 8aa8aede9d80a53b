#include "mmcpipe/report/mmc_test_lines.h"

#include "tests/report/rows.h"

#include <gtest/gtest.h>

namespace mmcpipe::report {
namespace {

using test::row;

TEST(MmcTestLines, EveryPublishedRowIsRoundedAsTheKernelRoundedIt) {
    const std::vector<measure::PublishedRow> log = measure::read_log(test::published_log);
    ASSERT_EQ(log.size(), 48u);
    for (const measure::PublishedRow& published : log) {
        const Rates rate = rates(row(published));
        EXPECT_EQ(rate.kb_per_s(), published.kb_per_s) << published.place;
        EXPECT_EQ(rate.kib_per_s(), published.kib_per_s) << published.place;
        EXPECT_EQ(rate.iops_x100, published.iops_x100) << published.place;
    }
}

TEST(MmcTestLines, ATransferReadsAsInTheKernelsLog) {
    EXPECT_EQ(transfer(row(32768, 4, 1, 18'298'817'895)),
              "mmc0: Transfer of 32768 x 8 sectors (32768 x 4 KiB) took 18.298817895 seconds (7334 kB/s, 7162 KiB/s, "
              "1790.71 IOPS, sg_len 1)");
}

TEST(MmcTestLines, AHalfKibibyteIsShown) {
    const trial::Row odd{.requests = 2, .request_bytes = 3 * 512, .elements = 1, .took = base::milliseconds(1)};
    EXPECT_EQ(transfer(odd), "mmc0: Transfer of 2 x 3 sectors (2 x 1.5 KiB) took 0.001000000 seconds (3072 kB/s, 3000 "
                             "KiB/s, 2000.00 IOPS, sg_len 1)");
}

TEST(MmcTestLines, ATransferWithoutDataHasNoCountAndNoList) {
    const trial::Row trim{.requests = 1, .request_bytes = 4096, .elements = 0, .took = base::milliseconds(4)};
    EXPECT_EQ(transfer(trim),
              "mmc0: Transfer of 8 sectors (4 KiB) took 0.004000000 seconds (1024 kB/s, 1000 KiB/s, 250.00 IOPS)");
}

TEST(MmcTestLines, WhatTookNoTimeHasNoRate) {
    EXPECT_EQ(rates(row(1, 4, 1, 0)).bytes_per_s, 0u);
    EXPECT_EQ(rates(row(1, 4, 1, 0)).iops_x100, 0u);
}

TEST(MmcTestLines, ATimeOfMoreThan32BitsIsHalvedWithItsAmount) {
    // The exact quotient is just below 15,625,000; the kernel drops the lowest bits of the time.
    EXPECT_EQ(rates(row(1, 131072, 1, 8'589'934'593)).bytes_per_s, 15'625'000u);
}

TEST(MmcTestLines, OutcomesReadAsInTheKernelsLog) {
    using trial::Outcome;
    EXPECT_EQ(result(test::result(37, {})), "mmc0: Result: OK");
    EXPECT_EQ(result(test::result(1, {}, Outcome::failed)), "mmc0: Result: FAILED");
    EXPECT_EQ(result(test::result(19, {}, Outcome::unsupported_by_host)), "mmc0: Result: UNSUPPORTED (by host)");
    EXPECT_EQ(result(test::result(29, {}, Outcome::unsupported_by_card)), "mmc0: Result: UNSUPPORTED (by card)");
    measure::CaseResult broken = test::result(2, {}, Outcome::error);
    broken.error = base::Error(base::Code::data_crc);
    EXPECT_EQ(result(broken), "mmc0: Result: ERROR (data CRC)");
}

TEST(MmcTestLines, ACaseIsNamedWithItsNumber) {
    EXPECT_EQ(test_case(37, "Write performance with blocking req 4k to 4MB"),
              "mmc0: Test case 37. Write performance with blocking req 4k to 4MB...");
}

} // namespace
} // namespace mmcpipe::report
