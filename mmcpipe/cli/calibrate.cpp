#include "mmcpipe/measure/calibrate.h"

#include "mmcpipe/cli/case_list.h"
#include "mmcpipe/cli/commands.h"
#include "mmcpipe/cli/fit.h"
#include "mmcpipe/cli/run.h"
#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/measure/compare.h"
#include "mmcpipe/report/mmc_test_lines.h"
#include "mmcpipe/report/output_file.h"
#include "mmcpipe/report/progress.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <stdexcept>

namespace mmcpipe::cli {

namespace {

namespace fs = std::filesystem;
using measure::Miss;
using measure::Use;

/// The published rows that a fit may use.
struct Rows {
    std::vector<measure::RowKey> keys;
    std::vector<measure::Target> targets;
    std::vector<const trial::Case*> cases; ///< that they are of
};

Rows rows_to_fit(const measure::Published& published, const std::string& log) {
    Rows rows;
    std::set<unsigned> numbers;
    for (const measure::PublishedRow& row : published.rows) {
        const measure::Tolerance* const tolerance = find(published.tolerances, row.key);
        if (tolerance == nullptr || tolerance->use != Use::fit) continue;
        rows.keys.push_back(row.key);
        rows.targets.push_back({.published = row.took, .tolerance_percent = tolerance->percent});
        numbers.insert(row.key.number);
    }
    if (rows.keys.empty()) {
        throw measure::BadInput(fmt::format("{}: no row to fit to, expected some with use \"fit\" in {}", log,
                                            measure::tolerance_file(log)));
    }
    rows.cases = cases_of(fmt::format("{}", fmt::join(numbers, ",")));
    return rows;
}

std::vector<measure::CaseResult> simulate(const Board& board, std::span<const trial::Case* const> cases) {
    measure::Recorder recorder;
    run(board, cases, recorder);
    return recorder.results();
}

/// The times of these rows, in their order.
std::vector<base::Duration> times_of(std::span<const Miss> misses, std::span<const measure::RowKey> keys) {
    std::vector<base::Duration> times;
    for (const measure::RowKey& key : keys) {
        const auto found = std::ranges::find(misses, key, &Miss::key);
        if (found == misses.end())
            throw std::runtime_error(
                fmt::format("{} is in the log, and did not come out of the simulation", text_of(key)));
        times.push_back(found->simulated);
    }
    return times;
}

std::string csv_of(std::span<const Miss> misses) {
    std::string text = "case,request_kib,sg_len,published_s,simulated_s,miss_percent,tolerance_percent,use\n";
    for (const Miss& miss : misses) {
        const std::string tolerance = miss.allowed ? fmt::format("{}", miss.allowed->percent) : "";
        const std::string_view use = !miss.allowed ? "" : miss.allowed->use == Use::fit ? "fit" : "predict";
        text +=
            fmt::format("{},{},{},{},{},{:.3f},{},{}\n", miss.key.number, fmt::format("{:g}", miss.key.sectors / 2.0),
                        miss.key.sg_len, report::seconds(miss.published), report::seconds(miss.simulated), miss.percent,
                        tolerance, use);
    }
    return text;
}

void write(const fs::path& directory, const sim::Profile& profile) {
    report::write_file(directory / profile.file().filename(), file_text(profile));
}

} // namespace

int calibrate(const CalibrateOptions& options, std::ostream& out) {
    const Board board = load(options.board);
    const measure::Published published = measure::read_published(options.log, options.variant);
    const Rows rows = rows_to_fit(published, options.log);
    std::vector<measure::Parameter> parameters;
    for (const std::string& text : options.fit) parameters.push_back(parameter_of(text, board));

    std::error_code error;
    const fs::path directory = options.out;
    fs::create_directories(directory, error);
    if (!fs::is_directory(directory))
        throw measure::BadInput(fmt::format("--out: {} cannot be made a directory", options.out));

    report::Progress progress;
    const auto model = [&](std::span<const double> values) {
        const Board changed = with(board, settings_of(parameters, values), sim::Origin::fitted);
        return times_of(compare(simulate(changed, rows.cases), published), rows.keys);
    };
    const auto watch = [&](unsigned evaluations, double best) {
        progress.show(static_cast<double>(evaluations) / options.evaluations,
                      fmt::format("run {}, sum of squares {:.2f}", evaluations, best));
    };
    const measure::Fit fit = measure::calibrate(model, parameters, rows.targets, options.evaluations, watch);
    const std::vector<Setting> settings = settings_of(parameters, rounded(fit.values));
    const Board fitted = with(board, settings, sim::Origin::fitted);
    const std::vector<Miss> misses = compare(simulate(fitted, rows.cases), published);
    progress.hide();

    write(directory, fitted.platform.profile);
    write(directory, fitted.card.profile);
    report::write_file(directory / "misses.csv", csv_of(misses));

    for (const Setting& setting : settings)
        out << fmt::format("{}.{} = {}\n", setting.table, setting.key, setting.value);
    const std::vector<base::Duration> times = times_of(misses, rows.keys);
    out << fmt::format("sum of squares of miss / tolerance over {} rows: {:.2f} before, {:.2f} after {} runs{}\n",
                       rows.keys.size(), fit.sum_at_start, measure::sum_of_squares(times, rows.targets),
                       fit.evaluations, fit.converged ? "" : "; not converged, more --evaluations may help");
    const auto within = std::ranges::count_if(misses, &Miss::within);
    out << fmt::format("{} of {} published rows within their tolerance; each one is in {}\n", within, misses.size(),
                       (directory / "misses.csv").string());
    return success;
}

} // namespace mmcpipe::cli
