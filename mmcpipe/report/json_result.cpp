#include "mmcpipe/report/json_result.h"

#include <nlohmann/json.hpp>

namespace mmcpipe::report {

namespace {

using Json = nlohmann::ordered_json;

Json of(const trial::Row& row) {
    return {{"requests", row.requests},
            {"sectors", row.request_sectors()},
            {"request_bytes", row.request_bytes},
            {"sg_len", row.elements},
            // The nearest double of a number with nine decimals prints as that number.
            {"seconds", static_cast<double>(row.took.ns) / 1e9}};
}

Json of(const measure::CaseResult& result) {
    Json transfers = Json::array();
    for (const trial::Row& row : result.rows) transfers.push_back(of(row));
    return {{"case", result.number},
            {"name", result.name},
            {"result", trial::name(result.outcome)},
            {"transfers", std::move(transfers)}};
}

} // namespace

std::string json(std::string_view platform, std::string_view card, std::span<const measure::CaseResult> results) {
    Json cases = Json::array();
    for (const measure::CaseResult& result : results) cases.push_back(of(result));
    const Json document{{"platform", platform}, {"card", card}, {"cases", std::move(cases)}};
    return document.dump(2) + "\n";
}

} // namespace mmcpipe::report
