#include "mmcpipe/measure/published.h"

#include "mmcpipe/measure/bad_input.h"
#include "tests/report/temporary.h"

#include <gtest/gtest.h>

namespace mmcpipe::measure {
namespace {

using test::TemporaryFolder;

constexpr const char* log = "data/published/mmc_test-ux500.csv";
constexpr const char* head =
    "variant,case,direction,mode,requests,sectors,request_kib,seconds,kB_s,KiB_s,iops,sg_len\n";
constexpr const char* good = "baseline,37,write,blocking,32768,8,4,18.298817895,7334,7162,1790.71,1\n";

std::string complaint(std::string_view content) {
    const TemporaryFolder folder;
    const std::string file = folder.file("log.csv", content);
    const std::string text = test::complaint<BadInput>([&] { read_log(file); });
    return text.starts_with(file) ? text.substr(file.size()) : text;
}

std::string tolerance_complaint(std::string_view content) {
    const TemporaryFolder folder;
    const std::string file = folder.file("t.csv", "case,from_kib,to_kib,percent,use\n" + std::string(content));
    const std::string text = test::complaint<BadInput>([&] { read_tolerances(file); });
    return text.empty() ? text : text.substr(file.size());
}

TEST(Published, ARowIsReadAsItStands) {
    const std::vector<PublishedRow> rows = read_log(log);
    ASSERT_EQ(rows.size(), 48u);
    const PublishedRow& last = rows.back();
    EXPECT_EQ(last.place, std::string(log) + ":49");
    EXPECT_EQ(last.variant, "baseline");
    EXPECT_EQ(last.key, (RowKey{.number = 43, .sectors = 1024, .sg_len = 512}));
    EXPECT_EQ(last.requests, 256u);
    EXPECT_EQ(last.took.ns, 6'645'568'847);
    EXPECT_EQ(last.iops_x100, 3852u);
}

TEST(Published, ARowIsFoundByCaseSizeAndList) {
    const std::vector<PublishedRow> rows = read_log(log);
    const PublishedRow* const row = find(rows, {.number = 43, .sectors = 1024, .sg_len = 64});
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->took.ns, 6'435'882'569);
    EXPECT_EQ(find(rows, {.number = 43, .sectors = 1024, .sg_len = 3}), nullptr);
    EXPECT_EQ(find(rows, {.number = 44, .sectors = 1024, .sg_len = 64}), nullptr);
}

TEST(Published, AFileThatCannotBeReadIsNamed) {
    EXPECT_EQ(test::complaint<BadInput>([] { read_log("nowhere/log.csv"); }),
              "nowhere/log.csv: cannot be read, or is empty");
    EXPECT_EQ(complaint(""), ": cannot be read, or is empty");
    EXPECT_EQ(complaint(head), ": no rows");
}

TEST(Published, AMissingColumnIsNamed) {
    EXPECT_EQ(complaint("variant,case\n"), ":1: no column requests, found variant,case");
}

TEST(Published, AMalformedCellIsNamedWithItsLine) {
    const std::string before = std::string(head) + good + "\n";
    EXPECT_EQ(complaint(before + "baseline,x,write,blocking,1,8,4,1.0,1,1,1.00,1\n"),
              ":4: case is \"x\", expected a whole number up to 4294967295");
    EXPECT_EQ(complaint(before + "baseline,37,write,blocking,1,8,4,1.0,1,1,1.00,-1\n"),
              ":4: sg_len is \"-1\", expected a whole number up to 4294967295");
    EXPECT_EQ(complaint(before + "baseline,37,write,blocking,1,8,4,1.0000000001,1,1,1.00,2\n"),
              ":4: seconds is \"1.0000000001\", expected a number with up to 9 decimals");
    EXPECT_EQ(complaint(before + "baseline,37,write,blocking,1,8,4,,1,1,1.00,2\n"),
              ":4: seconds is \"\", expected a number with up to 9 decimals");
    EXPECT_EQ(complaint(before + "baseline,37,write,blocking,1,8,4,0.0,1,1,1.00,2\n"),
              ":4: seconds is \"0.0\", expected more than zero");
    EXPECT_EQ(complaint(before + "baseline,37,write,blocking,0,8,4,1.0,1,1,1.00,2\n"),
              ":4: requests is \"0\", expected more than zero");
}

TEST(Published, ARowWithTooFewCellsIsNamed) {
    EXPECT_EQ(complaint(std::string(head) + "baseline,37\n").substr(0, 24), ":2: 2 cells, expected 12");
}

TEST(Published, ASizeThatContradictsItsSectorsIsAnError) {
    EXPECT_EQ(complaint(std::string(head) + "baseline,37,write,blocking,1,8,8,1.0,1,1,1.00,1\n"),
              ":2: request_kib is \"8\", expected half of sectors, which is 8");
    EXPECT_EQ(complaint(std::string(head) + "baseline,37,write,blocking,1,3,1.5,1.0,1,1,1.00,1\n"), "");
}

TEST(Published, TheSameRowTwiceIsAnErrorUnlessTheVariantsDiffer) {
    EXPECT_NE(
        complaint(std::string(head) + good + good).find(":3: case 37, 4 KiB, sg_len 1 of baseline is already in "),
        std::string::npos);
    const std::string other = "patched" + std::string(good).substr(8);
    EXPECT_EQ(complaint(std::string(head) + good + other), "");
}

TEST(Published, LinesMayEndAsOnWindows) {
    std::string content = std::string(head) + good;
    for (std::size_t at = content.find('\n'); at != std::string::npos; at = content.find('\n', at + 2))
        content.insert(at, "\r");
    EXPECT_EQ(complaint(content), "");
}

TEST(Published, AVariantIsChosenByName) {
    std::vector<PublishedRow> rows(3);
    rows[0].variant = "baseline";
    rows[1].variant = rows[2].variant = "patched";
    EXPECT_EQ(of_variant(rows, "patched").size(), 2u);
    EXPECT_EQ(test::complaint<BadInput>([&] { of_variant(rows, "other"); }),
              "no variant other in the log; it has baseline, patched");
}

TEST(Tolerance, TheShippedOnesCoverEveryRowOfTheLog) {
    const std::vector<Tolerance> tolerances = read_tolerances(tolerance_file(log));
    for (const PublishedRow& row : read_log(log)) {
        const Tolerance* const tolerance = find(tolerances, row.key);
        ASSERT_NE(tolerance, nullptr) << row.place;
        EXPECT_EQ(tolerance->use, Use::fit) << row.place;
    }
}

TEST(Tolerance, ItIsTheOneOfItsCaseAndSize) {
    const std::vector<Tolerance> tolerances = read_tolerances(tolerance_file(log));
    const auto percent = [&](unsigned number, std::uint32_t kib) {
        const Tolerance* const found = find(tolerances, {.number = number, .sectors = kib * 2, .sg_len = 1});
        return found != nullptr ? found->percent : 0;
    };
    EXPECT_EQ(percent(37, 4), 2);
    EXPECT_EQ(percent(38, 8), 1.5);
    EXPECT_EQ(percent(38, 512), 1.5);
    EXPECT_EQ(percent(37, 1024), 4.5);
    EXPECT_EQ(percent(39, 16), 8);
    EXPECT_EQ(percent(39, 32), 1);
    EXPECT_EQ(percent(39, 64), 0.5);
    EXPECT_EQ(percent(40, 128), 3);
    EXPECT_EQ(percent(40, 4096), 1);
    EXPECT_EQ(percent(42, 512), 2);
    EXPECT_EQ(percent(43, 512), 0.5);
    EXPECT_EQ(percent(44, 512), 0.5);
    EXPECT_EQ(percent(40, 2), 0) << "not covered";
    EXPECT_EQ(percent(30, 64), 0) << "not covered";
    EXPECT_EQ(find(tolerances, {.number = 44, .sectors = 1024, .sg_len = 8})->use, Use::predict);
}

TEST(Tolerance, WhatCannotBeMeantIsAnError) {
    EXPECT_EQ(tolerance_complaint("39,64,32,1,fit\n"), ":2: to_kib is \"32\", expected from_kib, 64, or more");
    EXPECT_EQ(tolerance_complaint("39,4,8,0,fit\n"), ":2: percent is \"0\", expected more than zero");
    EXPECT_EQ(tolerance_complaint("39,4,8,1,perhaps\n"), ":2: use is \"perhaps\", expected fit or predict");
    EXPECT_EQ(tolerance_complaint("39,4,8,1,fit\n39,8,16,2,fit\n"),
              ":3: case 39 has a tolerance for 4 to 8 KiB already");
    EXPECT_EQ(tolerance_complaint("39,4,8,1,fit\n40,8,16,2,fit\n").find("already"), std::string::npos);
}

} // namespace
} // namespace mmcpipe::measure
