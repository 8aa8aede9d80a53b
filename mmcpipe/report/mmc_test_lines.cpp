#include "mmcpipe/report/mmc_test_lines.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace mmcpipe::report {

namespace {

constexpr std::uint64_t ns_per_s = 1'000'000'000;

std::uint32_t rate(std::uint64_t amount, base::Duration took) {
    const auto ns = static_cast<std::uint64_t>(took.ns);
    const int excess = std::max(32, static_cast<int>(std::bit_width(ns))) - 32;
    if (ns == 0) return 0;
    return static_cast<std::uint32_t>(((amount * ns_per_s) >> excess) / (ns >> excess));
}

} // namespace

Rates rates(const trial::Row& row) {
    return {.bytes_per_s = rate(row.bytes(), row.took), .iops_x100 = rate(std::uint64_t{row.requests} * 100, row.took)};
}

std::string seconds(base::Duration took) {
    const auto ns = static_cast<std::uint64_t>(took.ns);
    return fmt::format("{}.{:09}", ns / ns_per_s, ns % ns_per_s);
}

std::string kib(std::uint32_t sectors) { return fmt::format("{}{} KiB", sectors / 2, sectors % 2 != 0 ? ".5" : ""); }

std::string starting_tests() { return "mmc0: Starting tests of card mmc0:0001..."; }

std::string test_case(unsigned number, std::string_view name) {
    return fmt::format("mmc0: Test case {}. {}...", number, name);
}

std::string transfer(const trial::Row& row) {
    const bool no_data = row.requests == 1 && row.elements == 0;
    const std::string times = no_data ? "" : fmt::format("{} x ", row.requests);
    const Rates rate = rates(row);
    return fmt::format("mmc0: Transfer of {}{} sectors ({}{}) took {} seconds ({} kB/s, {} KiB/s, {}.{:02} IOPS{})",
                       times, row.request_sectors(), times, kib(row.request_sectors()), seconds(row.took),
                       rate.kb_per_s(), rate.kib_per_s(), rate.iops_x100 / 100, rate.iops_x100 % 100,
                       no_data ? "" : fmt::format(", sg_len {}", row.elements));
}

std::string result(const measure::CaseResult& result) {
    using trial::Outcome;
    std::string text = trial::name(result.outcome);
    if (result.outcome == Outcome::unsupported_by_host) text = "UNSUPPORTED (by host)";
    if (result.outcome == Outcome::unsupported_by_card) text = "UNSUPPORTED (by card)";
    if (result.outcome == Outcome::error && result.error)
        text = fmt::format("ERROR ({})", base::name(result.error->code));
    return "mmc0: Result: " + text;
}

std::string tests_completed() { return "mmc0: Tests completed."; }

} // namespace mmcpipe::report
