#include "mmcpipe/report/phases.h"

#include <fmt/format.h>

namespace mmcpipe::report {

namespace {

double us(std::uint64_t ns) { return static_cast<double>(ns) * 1e-3; }

void add_line(std::string& out, const char* name, const base::Histogram& spent, double all) {
    out += fmt::format("  {:<12}{:>10}{:>8.1f} %{:>12.1f}{:>12.1f}{:>12.1f}{:>12.1f}\n", name, spent.count(),
                       all == 0 ? 0.0 : us(spent.sum()) / all * 100,
                       spent.count() == 0 ? 0.0 : us(spent.sum()) / static_cast<double>(spent.count()),
                       us(spent.percentile(base::share_50)), us(spent.percentile(base::share_99)), us(spent.max()));
}

} // namespace

std::string phases(const block::Statistics& statistics) {
    std::string out;
    for (const host::Direction direction : {host::Direction::read, host::Direction::write}) {
        const block::Statistics::Way& way = statistics.of(direction);
        if (way.requests == 0) continue;
        double all = 0;
        for (const base::Histogram& spent : way.spent) all += us(spent.sum());
        out += fmt::format("{:<14}{:>10}{:>10}{:>12}{:>12}{:>12}{:>12}\n",
                           direction == host::Direction::read ? "reads" : "writes", "times", "share", "mean us", "50 %",
                           "99 %", "longest");
        for (std::size_t i = 0; i < block::phases; ++i) {
            add_line(out, block::name(static_cast<block::Phase>(i)), way.spent[i], all);
        }
        add_line(out, "latency", way.latency, all);
        const base::Histogram& data = way.spent[static_cast<std::size_t>(block::Phase::data)];
        out += fmt::format(
            "  {} requests, {} KiB, in {} transfers: {} merged, {} packed in {} commands, {} sent again; "
            "{} failed\n",
            way.requests, way.sectors / 2, way.transfers, way.merged, way.packed, way.packs, way.resent, way.failures);
        if (data.sum() != 0) {
            out += fmt::format("  while data moved: {:.2f} MB/s\n",
                               static_cast<double>(way.sectors) * 512e-6 / (static_cast<double>(data.sum()) * 1e-9));
        }
    }
    return out;
}

} // namespace mmcpipe::report
