#include "mmcpipe/report/json_result.h"

#include "tests/report/rows.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mmcpipe::report {
namespace {

using test::row;

TEST(JsonResult, KeysAndTheirOrderAreThese) {
    const std::vector<measure::CaseResult> results{test::result(39, {row(32768, 4, 1, 20'897'765'402)})};
    EXPECT_EQ(json("board", "card", results), R"({
  "platform": "board",
  "card": "card",
  "cases": [
    {
      "case": 39,
      "name": "case 39",
      "result": "OK",
      "transfers": [
        {
          "requests": 32768,
          "sectors": 8,
          "request_bytes": 4096,
          "sg_len": 1,
          "seconds": 20.897765402
        }
      ]
    }
  ]
}
)");
}

TEST(JsonResult, ACaseWithoutTransfersHasAnEmptyList) {
    const std::vector<measure::CaseResult> results{test::result(19, {}, trial::Outcome::unsupported_by_host)};
    const auto parsed = nlohmann::json::parse(json("board", "card", results));
    EXPECT_EQ(parsed["cases"][0]["result"], "UNSUPPORTED by host");
    EXPECT_TRUE(parsed["cases"][0]["transfers"].is_array());
    EXPECT_TRUE(parsed["cases"][0]["transfers"].empty());
}

TEST(JsonResult, EveryNanosecondOfThePublishedTimesSurvives) {
    for (const measure::PublishedRow& published : measure::read_log(test::published_log)) {
        const std::vector<measure::CaseResult> results{test::result(published.key.number, {row(published)})};
        const auto parsed = nlohmann::json::parse(json("board", "card", results));
        const double seconds = parsed["cases"][0]["transfers"][0]["seconds"];
        EXPECT_EQ(std::llround(seconds * 1e9), published.took.ns) << published.place;
    }
}

} // namespace
} // namespace mmcpipe::report
