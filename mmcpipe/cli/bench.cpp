#include "mmcpipe/cli/commands.h"
#include "mmcpipe/cli/profiles.h"
#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/measure/workload/workload.h"
#include "mmcpipe/report/first_requests.h"
#include "mmcpipe/report/output_file.h"
#include "mmcpipe/report/perfetto.h"
#include "mmcpipe/report/phases.h"
#include "mmcpipe/report/workload.h"
#include "mmcpipe/rig/simulated_system.h"

#include <fmt/format.h>
#include <map>
#include <memory>

namespace mmcpipe::cli {

namespace {

using measure::BadInput;

/// The trace of a run, into a file.
struct TraceFile {
    TraceFile(const std::string& path, unsigned requests) : file(path), trace(file.stream()), part(trace, requests) {}

    report::OutputFile file;
    report::PerfettoTrace trace;
    report::FirstRequests part;
};

/// The platform with its DMA used as asked for.
Board board_of(const BenchOptions& options) {
    Selection selection = options.board;
    if (options.pio) selection.settings.push_back("platform.dma=none");
    const Board board = load(selection);
    if (options.dma.empty()) return board;
    if (board.platform.controller != rig::Controller::pxamci) {
        throw BadInput(fmt::format("--dma {}: platform {} has one way to use its DMA controller only", options.dma,
                                   board.platform.name));
    }
    const bool chain = options.dma == "chain";
    return with(board, {Setting(chain ? "platform.dma=pxa_chain" : "platform.dma=pxa")}, sim::Origin::given);
}

const std::map<std::string, block::Packing>& packings() {
    static const std::map<std::string, block::Packing> all{{"none", block::packing::none},
                                                           {"write", block::packing::write},
                                                           {"read", block::packing::read},
                                                           {"both", block::packing::both},
                                                           {"adaptive", block::packing::adaptive}};
    return all;
}

measure::workload::Options workload_options(const BenchOptions& options) {
    measure::workload::Options made = options.options;
    block::DeviceSettings& device = made.mount.device;
    if (!options.packing.empty()) device.packing = packings().at(options.packing);
    device.merge = !options.no_merge;
    if (options.max_request != 0) {
        if (options.max_request % 512 != 0 || options.max_request > UINT32_MAX) {
            throw BadInput(
                fmt::format("--max-request {} B: expected a multiple of 512 B below 4 GiB", options.max_request));
        }
        device.most_sectors = static_cast<std::uint32_t>(options.max_request / 512);
    }
    made.length = base::seconds(options.seconds);
    return made;
}

std::vector<measure::Field> in_force(const BenchOptions& options) {
    static const char* const schedulers[]{"fifo", "deadline", "fair", "turns"};
    const measure::MountOptions& mount = options.options.mount;
    std::vector<measure::Field> fields{
        {"depth", std::int64_t{static_cast<int>(mount.device.depth)}},
        {"dma", options.pio           ? std::string("none")
                : options.dma.empty() ? std::string("platform")
                                      : options.dma},
        {"completion", mount.completion == measure::Completion::locked ? "locked" : "unlocked"},
        {"scheduler", schedulers[static_cast<std::size_t>(mount.scheduler)]},
        {"packing", options.packing.empty() ? std::string("adaptive") : options.packing},
        {"merge", options.no_merge ? "no" : "yes"}};
    if (options.max_request != 0) fields.push_back({"max_request", static_cast<std::int64_t>(options.max_request)});
    using enum measure::workload::Takes;
    for (const measure::workload::Takes what : measure::workload::find(options.workload)->takes) {
        if (what == jobs) fields.push_back({"jobs", std::int64_t{options.options.jobs}});
        if (what == queue_depth) fields.push_back({"queue_depth", std::int64_t{options.options.queue_depth}});
        if (what == reads) fields.push_back({"reads_percent", std::int64_t{options.options.reads}});
        if (what == seed) fields.push_back({"seed", static_cast<std::int64_t>(options.options.seed)});
    }
    for (const std::string& setting : options.board.settings) fields.push_back({"set", setting});
    return fields;
}

void check_packing(const BenchOptions& options, const card::Card& card) {
    if (options.packing.empty() || options.packing == "none") return;
    if (card.properties().max_packed_writes >= 2) return;
    throw BadInput(fmt::format("--packing {}: the card has no packed commands", options.packing));
}

} // namespace

int bench(const BenchOptions& options, std::ostream& out) {
    const Board board = board_of(options);
    const measure::workload::Options how = workload_options(options);
    const auto trace =
        options.trace.empty() ? nullptr : std::make_unique<TraceFile>(options.trace, options.trace_requests);
    const bool only_json = options.wants_json && options.json.empty();
    const auto json_file =
        !options.wants_json || only_json ? nullptr : std::make_unique<report::OutputFile>(options.json);

    const auto total = std::make_unique<block::Statistics>(); // of all boards
    const auto on_new_board = [&](const measure::MountOptions& mount, const measure::workload::Clients& clients) {
        rig::SimulatedBoard simulated(board.platform, board.card, trace != nullptr ? &trace->part : nullptr);
        rig::SimulatedSystem system(simulated, board.platform.clients);
        simulated.run([&](rig::Stack& stack) {
            measure::mount(system, stack.card(), mount, [&](measure::Mounted& mounted) {
                check_packing(options, mounted.card);
                clients(mounted);
                total->add(mounted.statistics);
            });
        });
    };
    measure::Report result = measure::workload::find(options.workload)->run(on_new_board, how);
    result.options = in_force(options);

    const std::string json = report::json(options.workload, board.platform.name, board.card.name, result);
    if (only_json) {
        out << json;
    } else {
        out << fmt::format("{} on {} with {}\n\n", options.workload, board.platform.name, board.card.name)
            << report::text_of(result);
        if (options.phases) out << "\n" << report::phases(*total);
    }
    if (json_file != nullptr) {
        json_file->stream() << json;
        json_file->commit();
    }
    if (trace != nullptr) {
        trace->trace.finish();
        trace->file.commit();
    }
    return success;
}

} // namespace mmcpipe::cli
