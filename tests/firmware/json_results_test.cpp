#include "firmware/run/json_results.h"

#include "mmcpipe/report/json_result.h"
#include "tests/report/rows.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace firmware {
namespace {

using namespace mmcpipe;
using Json = nlohmann::ordered_json;

struct StringSink final : TextSink {
    void write(std::string_view text) override { content += text; }
    std::string content;
};

/// What an image writes of these results.
std::string written(std::string_view platform, std::string_view card, const std::vector<measure::CaseResult>& results) {
    StringSink sink;
    JsonResults json(sink, platform, card);
    for (const measure::CaseResult& result : results) {
        const trial::Case which{static_cast<std::uint16_t>(result.number), result.name.c_str(), trial::Kind::functional,
                                nullptr};
        json.begins(which);
        for (const trial::Row& row : result.rows) json.transferred(row);
        json.ended(which, result.outcome, std::nullopt);
    }
    json.end();
    return sink.content;
}

TEST(JsonResults, ReadAsThoseOfTheCommand) {
    std::vector<trial::Row> most(JsonResults::most_rows, test::row(4'294'967'295, 4, 512, 1));
    const std::vector<measure::CaseResult> results{
        test::result(1, {}),
        test::result(39, {test::row(32768, 4, 1, 20'897'765'402), test::row(1, 4096, 0, 1'000'000'000)}),
        test::result(40, most, trial::Outcome::failed), test::result(19, {}, trial::Outcome::unsupported_by_host)};
    EXPECT_EQ(Json::parse(written("board", "card", results)), Json::parse(report::json("board", "card", results)));
    EXPECT_EQ(Json::parse(written("board", "card", {})), Json::parse(report::json("board", "card", {})));
}

TEST(JsonResults, ANameMayHaveAnyByte) {
    const Json parsed = Json::parse(written("a \"board\\", std::string_view("\0\x1f\xff!", 4), {}));
    EXPECT_EQ(parsed["platform"], "a \"board\\");
    EXPECT_EQ(parsed["card"], std::string("\0\x1f\u00ff!", 5));
}

} // namespace
} // namespace firmware
