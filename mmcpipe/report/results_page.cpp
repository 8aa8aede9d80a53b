#include "mmcpipe/report/results_page.h"

#include "mmcpipe/report/mmc_test_lines.h"
#include "mmcpipe/report/table.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mmcpipe::report {

namespace {

using measure::Miss;
using measure::Use;

std::string value_or_empty(const sim::Profile& profile, std::string_view key) {
    const sim::Entry* const entry = profile.find(key);
    return entry != nullptr ? entry->value : "";
}

/// A cell of a Markdown table.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
    return escaped;
}

std::string numbers(const sim::Profile& profile, std::span<const sim::Origin> origins) {
    std::string lines;
    for (const sim::Entry& entry : profile.entries()) {
        if (!entry.origin || std::ranges::find(origins, *entry.origin) == origins.end()) continue;
        lines += fmt::format("| `{}.{}` | {} | {} | {} |\n", profile.table(), entry.key, cell(entry.value),
                             name(*entry.origin), cell(entry.note));
    }
    return lines;
}

std::string fitted_numbers(const ResultsPage& page) {
    constexpr sim::Origin tuned[] = {sim::Origin::fitted, sim::Origin::unexplained, sim::Origin::given};
    const std::string lines = numbers(page.platform, tuned) + numbers(page.card, tuned);
    if (lines.empty()) return "None.\n";
    return "| number | value | origin | what |\n|---|---|---|---|\n" + lines;
}

/// Misses of one kind of row.
std::string misses(std::span<const Miss> all, Use use) {
    std::string lines;
    unsigned count = 0;
    unsigned within = 0;
    double squares = 0;
    for (const Miss& miss : all) {
        if ((miss.allowed ? miss.allowed->use : Use::fit) != use) continue;
        ++count;
        within += miss.within() ? 1 : 0;
        squares += miss.percent * miss.percent;
        lines += fmt::format("| {} | {} | {} | {} | {} | {:+.2f} | {} |\n", miss.key.number, kib(miss.key.sectors),
                             miss.key.sg_len, seconds(miss.published), seconds(miss.simulated), miss.percent,
                             miss.allowed ? fmt::format("{}{}", miss.allowed->percent, miss.within() ? "" : ", missed")
                                          : "-");
    }
    if (count == 0) return "None is published here.\n";
    return fmt::format("{} of {} rows within their tolerance; root mean square of the misses {:.2f} %.\n\n"
                       "| case | request | sg_len | published, s | simulated, s | miss, % | tolerance, % |\n"
                       "|---:|---:|---:|---:|---:|---:|---:|\n{}",
                       within, count, std::sqrt(squares / count), lines);
}

/// Rows that nothing was published for.
std::string predictions(const ResultsPage& page) {
    std::string lines;
    for (const measure::CaseResult& result : page.results) {
        for (const trial::Row& row : result.rows) {
            if (compare(result.number, row, page.published)) continue;
            lines += fmt::format("| {} | {} | {} | {} | {} |\n", result.number, kib(row.request_sectors()),
                                 row.elements, seconds(row.took), rates(row).kib_per_s());
        }
    }
    if (lines.empty()) return "None.\n";
    return "| case | request | sg_len | simulated, s | KiB/s |\n|---:|---:|---:|---:|---:|\n" + lines;
}

} // namespace

std::string text_of(const ResultsPage& page) {
    const std::vector<Miss> all = compare(page.results, page.published);
    return fmt::format("# Results\n\n"
                       "Written by `{}`; not by hand.\n\n"
                       "- platform `{}`: {}\n- card `{}`: {}\n- published: `{}`\n\n"
                       "A miss is simulated time against published time; above zero, the simulation is slower.\n\n"
                       "## Numbers that were tuned, or that nobody can explain\n\n"
                       "All others come from manuals, or follow from what was measured; the profiles say which.\n\n{}\n"
                       "## Rows that these numbers were fitted to\n\n{}\n"
                       "## Published rows that nothing was fitted to\n\n{}\n"
                       "## Predictions without a published value\n\n{}\n"
                       "## The table\n\n```text{}```\n",
                       page.command, value_or_empty(page.platform, "name"), value_or_empty(page.platform, "summary"),
                       value_or_empty(page.card, "name"), value_or_empty(page.card, "summary"), page.log,
                       fitted_numbers(page), misses(all, Use::fit), misses(all, Use::predict), predictions(page),
                       text_of(make_table(page.results, page.published)));
}

} // namespace mmcpipe::report
