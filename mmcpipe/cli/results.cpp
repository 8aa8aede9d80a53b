#include "mmcpipe/cli/case_list.h"
#include "mmcpipe/cli/commands.h"
#include "mmcpipe/cli/run.h"
#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/measure/compare.h"
#include "mmcpipe/report/output_file.h"
#include "mmcpipe/report/progress.h"
#include "mmcpipe/report/results_page.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmcpipe::cli {

namespace {

constexpr const char* cases = "37-44";

} // namespace

int results(const ResultsOptions& options, std::ostream& out) {
    const Board board = load(options.board);
    if (board.platform.published.empty()) {
        throw measure::BadInput(
            fmt::format("platform {} names no published log, so there is nothing to compare", board.platform.name));
    }
    const std::string log = "data/published/" + board.platform.published;
    const measure::Published published = measure::read_published((data_root() / log).string());

    report::Progress progress;
    const std::vector<const trial::Case*> wanted = cases_of(cases);
    double done = 0;
    measure::Recorder recorder({.begins =
                                    [&](const measure::CaseResult& result) {
                                        progress.show(done / static_cast<double>(wanted.size()),
                                                      fmt::format("case {}", result.number));
                                    },
                                .transferred = {},
                                .ended = [&](const measure::CaseResult&) { ++done; }});
    run(board, wanted, recorder);
    progress.hide();

    const std::string page =
        report::text_of({.command = fmt::format("mmcpipe results --platform {} --card {} --out docs/results.md",
                                                board.platform.name, board.card.name),
                         .platform = board.platform.profile,
                         .card = board.card.profile,
                         .log = log,
                         .published = published,
                         .results = recorder.results()});
    if (options.out.empty()) {
        out << page;
    } else {
        report::write_file(options.out, page);
    }
    return std::ranges::any_of(recorder.results(), &measure::CaseResult::bad) ? some_failed : success;
}

} // namespace mmcpipe::cli
