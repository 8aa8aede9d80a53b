#include "mmcpipe/cli/case_list.h"
#include "mmcpipe/cli/commands.h"
#include "mmcpipe/cli/picture.h"
#include "mmcpipe/cli/run.h"
#include "mmcpipe/measure/compare.h"
#include "mmcpipe/measure/results.h"
#include "mmcpipe/report/first_requests.h"
#include "mmcpipe/report/flight_lines.h"
#include "mmcpipe/report/json_result.h"
#include "mmcpipe/report/mmc_test_lines.h"
#include "mmcpipe/report/output_file.h"
#include "mmcpipe/report/perfetto.h"
#include "mmcpipe/report/progress.h"
#include "mmcpipe/report/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace mmcpipe::cli {

namespace {

constexpr double rows_of_a_case = 10; ///< of most that take long

/// The trace of a run, into a file.
struct TraceFile {
    TraceFile(const std::string& path, unsigned requests) : file(path), trace(file.stream()), part(trace, requests) {}

    report::OutputFile file;
    report::PerfettoTrace trace;
    report::FirstRequests part;
};

/// An output that may not be wanted. The file is made at once, so that nothing runs in vain.
std::unique_ptr<report::OutputFile> output(const std::string& path) {
    return path.empty() ? nullptr : std::make_unique<report::OutputFile>(path);
}

void complete(const std::unique_ptr<report::OutputFile>& file, const std::string& content) {
    file->stream() << content;
    file->commit();
}

/// Prints the kernel's lines as they come, shows how far it is, and starts the trace anew with each row.
measure::Recorder::Listeners listeners(std::ostream* lines, report::Progress& progress, std::size_t cases,
                                       TraceFile* trace) {
    const auto print = [lines, &progress](const std::string& line) {
        if (lines == nullptr) return;
        progress.hide();
        *lines << line << std::endl;
    };
    const auto number = std::make_shared<std::size_t>(0); // of the case, from 1
    const auto show = [=, &progress](const measure::CaseResult& result) {
        const double done =
            static_cast<double>(*number - 1) + std::min(1.0, static_cast<double>(result.rows.size()) / rows_of_a_case);
        progress.show(done / static_cast<double>(cases), fmt::format("case {}", result.number));
    };
    return {.begins =
                [=](const measure::CaseResult& result) {
                    ++*number;
                    if (trace != nullptr) trace->part.restart();
                    print(report::test_case(result.number, result.name));
                    show(result);
                },
            .transferred =
                [=](const measure::CaseResult& result) {
                    if (trace != nullptr) trace->part.restart();
                    print(report::transfer(result.rows.back()));
                    show(result);
                },
            .ended = [=](const measure::CaseResult& result) { print(report::result(result)); }};
}

} // namespace

int test(const TestOptions& options, std::ostream& out, std::ostream& err) {
    const std::vector<const trial::Case*> cases = cases_of(options.cases);
    const Board board = load(options.board);
    const measure::Published published =
        options.compare.empty() ? measure::Published{} : measure::read_published(options.compare, options.variant);
    const bool only_json = options.json && options.json->empty();
    const auto json_file = output(options.json.value_or(""));
    const auto timeline_file = output(options.timeline);
    const auto trace =
        options.trace.empty() ? nullptr : std::make_unique<TraceFile>(options.trace, options.trace_requests);

    report::Progress progress;
    measure::Recorder recorder(listeners(only_json ? nullptr : &out, progress, cases.size(), trace.get()));
    if (!only_json) out << report::starting_tests() << "\n";
    run(board, cases, recorder, trace != nullptr ? &trace->part : nullptr, [&](const host::FlightRecord& record) {
        progress.hide();
        err << "mmcpipe: " << report::text_of(record) << std::flush;
    });
    progress.hide();

    const std::vector<measure::CaseResult>& results = recorder.results();
    if (!only_json) out << report::tests_completed() << "\n" << report::text_of(report::make_table(results, published));
    if (options.json) {
        const std::string json = report::json(board.platform.name, board.card.name, results);
        if (only_json) {
            out << json;
        } else {
            complete(json_file, json);
        }
    }
    if (trace != nullptr) {
        trace->trace.finish();
        trace->file.commit();
    }
    if (timeline_file != nullptr) complete(timeline_file, picture(board));
    return std::ranges::any_of(results, &measure::CaseResult::bad) ? some_failed : success;
}

} // namespace mmcpipe::cli
