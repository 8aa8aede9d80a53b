#include "mmcpipe/report/flight_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace mmcpipe::report {

namespace {

constexpr std::int64_t billion = 1'000'000'000;

std::string what(const host::FlightEntry& entry) {
    const std::int64_t start = entry.phases.started.ns;
    std::string line = fmt::format("{:>5}.{:09} s  CMD{} {:08x}", start / billion, start % billion, entry.command.index,
                                   entry.command.argument);
    if (entry.times != 1) line += fmt::format(" x {}", entry.times);
    if (entry.command.response != spec::Response::none) line += fmt::format(" -> {:08x}", entry.response);
    if (entry.phases.stopped != base::never) line += fmt::format(", stop -> {:08x}", entry.stop_response);
    if (entry.bytes != 0) {
        line += fmt::format(", {} of {} bytes by {}", entry.bytes_done, entry.bytes, entry.pio ? "PIO" : "DMA");
    }
    if (entry.error) line += fmt::format(": {}, status {:08x}", base::name(entry.error->code), entry.host_status);
    return line + "\n";
}

std::string when(const host::FlightEntry& entry) {
    const host::Phases& p = entry.phases;
    const std::pair<std::string_view, base::Instant> phases[] = {
        {"prepared", p.prepared},     {"response", p.responded}, {"first data", p.data_begun},
        {"last data", p.data_ended},  {"stop", p.stopped},       {"busy over", p.released},
        {"interrupt", p.interrupted}, {"wake-up", p.woken},      {"finish", p.finished}};
    std::string line;
    for (const auto& [name, instant] : phases) {
        if (instant == base::never) continue;
        const double us = static_cast<double>((instant - p.started).ns) / 1000;
        line += fmt::format("{}{} {:.1f}", line.empty() ? "" : ", ", name, us);
    }
    return line.empty() ? line : fmt::format("{:20} us: {}\n", "", line);
}

} // namespace

std::string text_of(const host::FlightRecord& record) {
    const std::size_t shown = std::min(record.size(), flight_lines_most);
    std::string text = fmt::format("the last of {} transactions:\n", record.count());
    for (std::size_t i = record.size() - shown; i != record.size(); ++i) text += what(record[i]) + when(record[i]);
    return text;
}

} // namespace mmcpipe::report
