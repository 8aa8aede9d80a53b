#pragma once
// What the kernel's mmc_test prints, to the last digit, so that its logs and ours can be laid side by side.

#include "mmcpipe/measure/results.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mmcpipe::report {

/// Rates as the kernel calculates them: it first halves amount and time until the time fits 32 bits, so the last digits
/// differ from those of an exact division.
struct Rates {
    std::uint32_t bytes_per_s = 0;
    std::uint32_t iops_x100 = 0;

    std::uint32_t kb_per_s() const { return bytes_per_s / 1000; }
    std::uint32_t kib_per_s() const { return bytes_per_s / 1024; }
};
/// All zero if it took no time.
Rates rates(const trial::Row& row);

/// "18.298817895"
std::string seconds(base::Duration took);
/// "4 KiB", "0.5 KiB"
std::string kib(std::uint32_t sectors);

/// "mmc0: Starting tests of card mmc0:0001..."
std::string starting_tests();
/// "mmc0: Test case 37. Write performance with blocking req 4k to 4MB..."
std::string test_case(unsigned number, std::string_view name);
/// "mmc0: Transfer of 32768 x 8 sectors (32768 x 4 KiB) took 18.298817895 seconds (7334 kB/s, 7162 KiB/s, 1790.71 IOPS,
/// sg_len 1)"; of one request without data (an erase) "mmc0: Transfer of 8 sectors (4 KiB) took ..." without sg_len.
std::string transfer(const trial::Row& row);
/// "mmc0: Result: OK", "mmc0: Result: UNSUPPORTED (by host)", "mmc0: Result: ERROR (data CRC)"
std::string result(const measure::CaseResult& result);
/// "mmc0: Tests completed."
std::string tests_completed();

} // namespace mmcpipe::report
