#include "mmcpipe/measure/published.h"

#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/measure/csv.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mmcpipe::measure {

namespace {

constexpr std::uint32_t most_kib = 4u << 20; ///< of one request: 4 GiB

} // namespace

std::string text_of(const RowKey& key) {
    return fmt::format("case {}, {}{} KiB, sg_len {}", key.number, key.sectors / 2, key.sectors % 2 != 0 ? ".5" : "",
                       key.sg_len);
}

const PublishedRow* find(std::span<const PublishedRow> rows, const RowKey& key) {
    const auto found = std::ranges::find(rows, key, &PublishedRow::key);
    return found == rows.end() ? nullptr : &*found;
}

std::vector<PublishedRow> read_log(const std::string& file) {
    const Csv csv(
        file, {"variant", "case", "requests", "sectors", "request_kib", "seconds", "kB_s", "KiB_s", "iops", "sg_len"});
    std::vector<PublishedRow> rows;
    for (const CsvRow& line : csv.rows()) {
        PublishedRow row;
        row.place = line.place();
        row.variant = line.text("variant");
        row.key = {.number = line.number("case"), .sectors = line.number("sectors"), .sg_len = line.number("sg_len")};
        row.requests = line.number("requests");
        row.took = base::nanoseconds(line.fixed("seconds", 9));
        row.kb_per_s = line.number("kB_s");
        row.kib_per_s = line.number("KiB_s");
        row.iops_x100 = static_cast<std::uint32_t>(line.fixed("iops", 2));

        if (row.took.ns == 0) line.bad("seconds", "more than zero");
        if (row.requests == 0) line.bad("requests", "more than zero");
        if (line.fixed("request_kib", 1) != std::int64_t{row.key.sectors} * 5) {
            line.bad("request_kib", fmt::format("half of sectors, which is {}", row.key.sectors));
        }
        for (const PublishedRow& other : rows) {
            if (other.key != row.key || other.variant != row.variant) continue;
            throw BadInput(
                fmt::format("{}: {} of {} is already in {}", row.place, text_of(row.key), row.variant, other.place));
        }
        rows.push_back(std::move(row));
    }
    if (rows.empty()) throw BadInput(fmt::format("{}: no rows", file));
    return rows;
}

std::vector<PublishedRow> of_variant(std::vector<PublishedRow> rows, std::string_view variant) {
    std::vector<std::string> known;
    for (const PublishedRow& row : rows) {
        if (std::ranges::find(known, row.variant) == known.end()) known.push_back(row.variant);
    }
    if (std::ranges::find(known, variant) == known.end()) {
        throw BadInput(fmt::format("no variant {} in the log; it has {}", variant, fmt::join(known, ", ")));
    }
    std::erase_if(rows, [&](const PublishedRow& row) { return row.variant != variant; });
    return rows;
}

std::vector<Tolerance> read_tolerances(const std::string& file) {
    const Csv csv(file, {"case", "from_kib", "to_kib", "percent", "use"});
    std::vector<Tolerance> tolerances;
    for (const CsvRow& line : csv.rows()) {
        Tolerance tolerance;
        tolerance.number = line.number("case");
        tolerance.from_kib = line.number("from_kib", most_kib);
        tolerance.to_kib = line.number("to_kib", most_kib);
        tolerance.percent = static_cast<double>(line.fixed("percent", 3)) / 1000;
        if (line.text("use") != "fit" && line.text("use") != "predict") line.bad("use", "fit or predict");
        tolerance.use = line.text("use") == "fit" ? Use::fit : Use::predict;

        if (tolerance.to_kib < tolerance.from_kib)
            line.bad("to_kib", fmt::format("from_kib, {}, or more", tolerance.from_kib));
        if (tolerance.percent <= 0) line.bad("percent", "more than zero");
        for (const Tolerance& other : tolerances) {
            if (other.number != tolerance.number || other.from_kib > tolerance.to_kib ||
                tolerance.from_kib > other.to_kib)
                continue;
            throw BadInput(fmt::format("{}: case {} has a tolerance for {} to {} KiB already", line.place(),
                                       tolerance.number, other.from_kib, other.to_kib));
        }
        tolerances.push_back(tolerance);
    }
    return tolerances;
}

std::string tolerance_file(const std::string& log) {
    return std::filesystem::path(log).replace_extension(".tolerance.csv").string();
}

const Tolerance* find(std::span<const Tolerance> tolerances, const RowKey& key) {
    const auto found = std::ranges::find_if(tolerances, [&](const Tolerance& t) {
        return t.number == key.number && t.from_kib * 2 <= key.sectors && key.sectors <= t.to_kib * 2;
    });
    return found == tolerances.end() ? nullptr : &*found;
}

} // namespace mmcpipe::measure
