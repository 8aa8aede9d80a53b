#include "mmcpipe/measure/compare.h"

#include <filesystem>

namespace mmcpipe::measure {

Published read_published(const std::string& log, std::string_view variant) {
    std::vector<PublishedRow> rows = read_log(log);
    const std::string wanted = variant.empty() ? rows.front().variant : std::string(variant);
    const std::string tolerances = tolerance_file(log);
    return {.rows = of_variant(std::move(rows), wanted),
            .tolerances = std::filesystem::exists(tolerances) ? read_tolerances(tolerances) : std::vector<Tolerance>{}};
}

double miss_percent(base::Duration simulated, base::Duration published) {
    return 100.0 * static_cast<double>((simulated - published).ns) / static_cast<double>(published.ns);
}

std::optional<Miss> compare(unsigned number, const trial::Row& row, const Published& published) {
    const RowKey key{.number = number, .sectors = row.request_sectors(), .sg_len = row.elements};
    const PublishedRow* const measured = find(published.rows, key);
    if (measured == nullptr) return std::nullopt;
    const base::Duration expected{(measured->took * row.requests).ns / measured->requests};
    if (expected.ns == 0) return std::nullopt; // no request was made
    const Tolerance* const allowed = find(published.tolerances, key);
    return Miss{.key = key,
                .simulated = row.took,
                .published = expected,
                .percent = miss_percent(row.took, expected),
                .allowed = allowed != nullptr ? std::optional(*allowed) : std::nullopt};
}

std::vector<Miss> compare(std::span<const CaseResult> results, const Published& published) {
    std::vector<Miss> misses;
    for (const CaseResult& result : results) {
        for (const trial::Row& row : result.rows) {
            if (const std::optional<Miss> miss = compare(result.number, row, published)) misses.push_back(*miss);
        }
    }
    return misses;
}

} // namespace mmcpipe::measure
