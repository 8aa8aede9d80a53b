#include "mmcpipe/cli/bench_options.h"

#include "mmcpipe/measure/bad_input.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace mmcpipe::cli {

namespace {

constexpr const char* details =
    "\nWhat an option means to a workload that does not know it is an error, not ignored.\n"
    "\nExamples:\n"
    "  mmcpipe bench iozone --depth 1 --json one.json\n"
    "  mmcpipe bench iozone --depth 2 --json two.json && mmcpipe compare one.json two.json\n"
    "  mmcpipe bench lmdd --completion locked\n"
    "  mmcpipe bench random --jobs 8 --queue-depth 4 --reads 70\n";

constexpr const char* compare_details =
    "\nOf throughputs and latencies the change in percent; of CPU loads the difference in points.\n"
    "\nExample:\n"
    "  mmcpipe compare one.json two.json\n";

template <class T>
CLI::Option* add_choice(CLI::App& command, const char* name, T& value, const std::map<std::string, T>& choices,
                        const char* help) {
    std::string type;
    for (const auto& [text, ignored] : choices) type += (type.empty() ? "" : "|") + text;
    return command
        .add_option_function<std::string>(
            name,
            [&value, choices, name](const std::string& text) {
                const auto found = choices.find(text);
                if (found != choices.end()) {
                    value = found->second;
                    return;
                }
                std::string allowed;
                for (const auto& [choice, ignored] : choices) allowed += (allowed.empty() ? "" : ", ") + choice;
                throw measure::BadInput(fmt::format("{}: \"{}\", expected one of {}", name, text, allowed));
            },
            help)
        ->type_name(type);
}

/// "64KiB", "50MiB".
template <class T>
CLI::Option* add_size(CLI::App& command, const char* name, T& value, const char* help) {
    return command.add_option(name, value, help)->transform(CLI::AsSizeValue(false))->type_name("SIZE");
}

std::string about_workloads() {
    std::string text = "\nWorkloads:\n";
    for (const measure::workload::Workload& each : measure::workload::workloads()) {
        text += fmt::format("  {:<14}{}\n", each.name, each.summary);
    }
    return text;
}

} // namespace

void add_bench(CLI::App& app, BenchOptions& bench) {
    CLI::App& command = *app.add_subcommand("bench", "Runs a workload on the block device of a simulated board.");
    command.footer(about_workloads() + details);
    command.add_option("workload", bench.workload, "which one, see below")->type_name("WORKLOAD")->required();
    add_board(command, bench.board);

    measure::MountOptions& mount = bench.options.mount;
    using block::Depth;
    add_choice(command, "--depth", mount.device.depth,
               std::map<std::string, Depth>{{"1", Depth::blocking}, {"2", Depth::non_blocking}},
               "requests that are prepared or on the wire: with 2 the next is prepared meanwhile (default)");
    add_choice(
        command, "--dma", bench.dma,
        std::map<std::string, std::string>{{"engine", "engine"}, {"chain", "chain"}, {"engine-2013", "engine-2013"}},
        "how the DMA controller is used: by its engine driver, by the host driver's own chain, or by an engine "
        "as one was measured in 2013, with a wait that is unexplained")
        ->expected(0, 1)
        ->default_str("engine");
    command.add_flag("--pio", bench.pio, "no DMA: the CPU moves the data");
    add_choice(command, "--completion", mount.completion,
               std::map<std::string, measure::Completion>{{"locked", measure::Completion::locked},
                                                          {"unlocked", measure::Completion::unlocked}},
               "pages of a request that has ended are given back under the lock of the queue, or not (default)");
    add_choice(command, "--scheduler", mount.scheduler,
               std::map<std::string, measure::SchedulerKind>{{"fifo", measure::SchedulerKind::fifo},
                                                             {"deadline", measure::SchedulerKind::deadline},
                                                             {"fair", measure::SchedulerKind::fair},
                                                             {"turns", measure::SchedulerKind::turns}},
               "who goes next (default: turns)");
    add_choice(command, "--packing", bench.packing,
               std::map<std::string, std::string>{
                   {"none", "none"}, {"write", "write"}, {"read", "read"}, {"both", "both"}, {"adaptive", "adaptive"}},
               "packed commands of eMMC 4.5: which requests go together (default: adaptive where the card has them)");
    add_size(command, "--max-request", bench.max_request,
             "requests are cut to this (default: what host and card take)");
    command.add_flag("--no-merge", bench.no_merge, "requests that follow one another are not merged");

    command.add_option("--seed", bench.options.seed, "of what is random (default: 1)")->type_name("N");
    add_size(command, "--file", bench.options.file, "size of the file, or of what is used of the card");
    add_size(command, "--record", bench.options.records, "record sizes, as in 4KiB,1MiB (default: all)")
        ->type_name("SIZE,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--jobs", bench.options.jobs, "threads")->type_name("N")->check(CLI::Range(1u, 64u));
    command.add_option("--queue-depth", bench.options.queue_depth, "requests that a thread has under way")
        ->type_name("N")
        ->check(CLI::Range(1u, 64u));
    command.add_option("--reads", bench.options.reads, "percent of the requests that read")
        ->type_name("N")
        ->check(CLI::Range(0u, 100u));
    command.add_option("--seconds", bench.seconds, "virtual time, where a workload has no other end")
        ->type_name("N")
        ->check(CLI::Range(1u, 86'400u));
    command.add_flag("--phases", bench.phases, "prints where the time of a request went, and the rate of the wire");
    command.add_option("--json", bench.json, "results as JSON, into a file, or alone on standard output")
        ->type_name("[FILE]")
        ->expected(0, 1);
    command.add_option("--trace", bench.trace, "what happened when, as JSON for ui.perfetto.dev")
        ->type_name("OUT.json");
    command.add_option("--trace-requests", bench.trace_requests, "the trace holds so many requests; 0: all")
        ->type_name("N")
        ->capture_default_str();
}

void add_compare(CLI::App& app, CompareOptions& compare) {
    CLI::App& command = *app.add_subcommand("compare", "Sets the results of two runs of a workload side by side.");
    command.footer(compare_details);
    command.add_option("before", compare.before, "results of `bench --json`")->type_name("A.json")->required();
    command.add_option("after", compare.after, "others of the same workload")->type_name("B.json")->required();
}

void complete(const CLI::App& bench, BenchOptions& options) {
    const measure::workload::Workload* const workload = measure::workload::find(options.workload);
    if (workload == nullptr) {
        std::string names;
        for (const auto& each : measure::workload::workloads()) {
            names += (names.empty() ? "" : ", ") + std::string(each.name);
        }
        throw measure::BadInput(fmt::format("bench: no workload \"{}\", expected one of {}", options.workload, names));
    }
    using enum measure::workload::Takes;
    const std::pair<const char*, measure::workload::Takes> optional[]{{"--seed", seed},
                                                                      {"--file", file},
                                                                      {"--record", records},
                                                                      {"--jobs", jobs},
                                                                      {"--queue-depth", queue_depth},
                                                                      {"--reads", reads},
                                                                      {"--seconds", length}};
    for (const auto& [name, what] : optional) {
        if (bench.count(name) != 0 && std::ranges::find(workload->takes, what) == workload->takes.end()) {
            throw measure::BadInput(fmt::format("{}: {} has no use for it", name, workload->name));
        }
    }
    options.wants_json = bench.count("--json") != 0;
    if (options.pio && bench.count("--dma") != 0) throw measure::BadInput("--pio: not together with --dma");
}

} // namespace mmcpipe::cli
