#pragma once
// Rows and results as cases report them, for tests.

#include "mmcpipe/measure/published.h"
#include "mmcpipe/measure/results.h"

#include <string>
#include <utility>

namespace mmcpipe::test {

/// `took` in nanoseconds.
inline trial::Row row(std::uint32_t requests, std::uint32_t kib, std::uint32_t elements, std::int64_t took) {
    return {.requests = requests, .request_bytes = kib * 1024, .elements = elements, .took = base::nanoseconds(took)};
}

inline trial::Row row(const measure::PublishedRow& published) {
    return {.requests = published.requests,
            .request_bytes = published.key.sectors * 512,
            .elements = published.key.sg_len,
            .took = published.took};
}

inline measure::CaseResult result(unsigned number, std::vector<trial::Row> rows,
                                  trial::Outcome outcome = trial::Outcome::ok) {
    return {.number = number,
            .name = "case " + std::to_string(number),
            .outcome = outcome,
            .error = {},
            .rows = std::move(rows)};
}

inline const std::string published_log = "data/published/mmc_test-ux500.csv";

} // namespace mmcpipe::test
