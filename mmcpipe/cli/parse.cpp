#include "mmcpipe/cli/bench_options.h"
#include "mmcpipe/cli/options.h"
#include "mmcpipe/measure/bad_input.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace mmcpipe::cli {

namespace {

constexpr const char* about =
    "The mmcpipe stack on a simulated board: the drivers that run on the hardware, against models of its registers.";

constexpr const char* details = "\nExamples:\n"
                                "  mmcpipe test --cases 37-44 --compare data/published/LOG.csv\n"
                                "  mmcpipe test --cases 39,40 --set card.read_gap=300us --json\n"
                                "  mmcpipe list cards\n"
                                "  mmcpipe test --help\n"
                                "\n"
                                "Platforms and cards are profiles in profiles/, or in $MMCPIPE_DATA/profiles/. Exit "
                                "status: 0; 1 if a case failed; 2 if the\n"
                                "input cannot be used.\n";

constexpr const char* test_details =
    "\nPrints the kernel's lines as rows are done, then a table of cases 37-44.\n"
    "\nExamples:\n"
    "  mmcpipe test                                        what the default board does, cases 37-44\n"
    "  mmcpipe test --cases 1-22 --card sdsc-2gb           the functional cases on another card\n"
    "  mmcpipe test --set platform.wake=20us               what if the wake-up were faster?\n"
    "  mmcpipe test --timeline why.svg --trace trace.json  a browser shows the one, ui.perfetto.dev the other\n";

constexpr const char* calibrate_details =
    "\nLeast squares, weighted by the tolerance of each row. Each number starts at its value in the profile and stays "
    "between a\n"
    "tenth and ten times of that, or between the bounds given. Only rows count whose use is `fit` in the log's "
    ".tolerance.csv.\n"
    "Writes the profiles and misses.csv.\n"
    "\nExamples:\n"
    "  mmcpipe calibrate --platform ./board.toml --log log.csv --fit platform.wake,card.read_gap --out fitted\n"
    "  mmcpipe calibrate --log log.csv --fit platform.wake=20us..500us --out fitted\n";

constexpr const char* results_details =
    "\nMarkdown: the fitted numbers with their origin, and the miss of every published row.\n"
    "\nExample:\n"
    "  mmcpipe results --out docs/results.md\n";

void add_test(CLI::App& app, TestOptions& test, std::string& json) {
    CLI::App& command = *app.add_subcommand("test", "Runs cases of the kernel's mmc_test on a simulated board.");
    command.footer(test_details);
    add_board(command, test.board);
    command.add_option("--cases", test.cases, "numbers and ranges, as in 1-14,37 (see: mmcpipe list cases)")
        ->type_name("LIST")
        ->capture_default_str();
    command.add_option("--json", json, "results as JSON, into a file, or alone on standard output")
        ->type_name("[FILE]")
        ->expected(0, 1);
    command
        .add_option("--compare", test.compare,
                    "a published log; the table then shows its rows and by how much each is missed")
        ->type_name("CSV");
    command.add_option("--variant", test.variant, "which variant of the log (default: its first)")->type_name("NAME");
    command.add_option("--timeline", test.timeline, "a picture of two blocking and two non-blocking reads of 64 KiB")
        ->type_name("OUT.svg");
    command.add_option("--trace", test.trace, "what happened when, as JSON for ui.perfetto.dev")->type_name("OUT.json");
    command
        .add_option("--trace-requests", test.trace_requests,
                    "the trace holds so many requests of each row; 0: all, 2 KB a request and more")
        ->type_name("N")
        ->capture_default_str();
}

void add_list(CLI::App& app, ListOptions& list) {
    CLI::App& command = *app.add_subcommand("list", "Lists what there is to choose from.");
    command.require_subcommand(1);
    const auto add = [&](const char* name, const char* help, Subject subject) {
        command.add_subcommand(name, help)->callback([&list, subject] { list.subject = subject; });
    };
    add("platforms", "boards, for --platform", Subject::platforms);
    add("cards", "cards, for --card", Subject::cards);
    add("cases", "cases of mmc_test, for --cases", Subject::cases);
}

void add_calibrate(CLI::App& app, CalibrateOptions& calibrate) {
    CLI::App& command = *app.add_subcommand("calibrate", "Fits numbers of the profiles to a published log.");
    command.footer(calibrate_details);
    add_board(command, calibrate.board);
    command.add_option("--log", calibrate.log, "a published log")->type_name("CSV")->required();
    command.add_option("--variant", calibrate.variant, "which variant of the log (default: its first)")
        ->type_name("NAME");
    command
        .add_option("--fit", calibrate.fit,
                    "the numbers to look for: platform.KEY or card.KEY, each with bounds if need be")
        ->type_name("KEY[=LEAST..MOST],...")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->required();
    command.add_option("--out", calibrate.out, "directory for the profiles and misses.csv")
        ->type_name("DIR")
        ->required();
    command.add_option("--evaluations", calibrate.evaluations, "stops after so many runs of the cases")
        ->type_name("N")
        ->check(CLI::Range(1u, 1'000'000u))
        ->capture_default_str();
}

void add_results(CLI::App& app, ResultsOptions& results) {
    CLI::App& command =
        *app.add_subcommand("results", "Runs cases 37-44 and writes by how much they miss what was published.");
    command.footer(results_details);
    add_board(command, results.board);
    command.add_option("--out", results.out, "the file to write (default: standard output)")->type_name("FILE");
}

} // namespace

void add_board(CLI::App& command, Selection& board) {
    command.add_option("--platform", board.platform, "a platform by name, or the file of a profile")
        ->type_name("NAME|FILE");
    command.add_option("--card", board.card, "a card by name, or the file of a profile (default: the platform's)")
        ->type_name("NAME|FILE");
    command
        .add_option("--set", board.settings,
                    "changes one number of a profile: platform.KEY=VALUE or card.KEY=VALUE, with its unit, as in "
                    "card.read_gap=450us; "
                    "may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

Options parse(int argc, const char* const* argv) {
    TestOptions test;
    ListOptions list;
    CalibrateOptions calibrate;
    ResultsOptions results;
    BenchOptions bench;
    CompareOptions compare;
    std::string json;

    CLI::App app(about, "mmcpipe");
    app.require_subcommand(1);
    add_test(app, test, json);
    add_list(app, list);
    add_calibrate(app, calibrate);
    add_results(app, results);
    add_bench(app, bench);
    add_compare(app, compare);
    app.footer(details); // subcommands would inherit it

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return Notice{app.help()}; // of the subcommand if there is one
    } catch (const CLI::ParseError& error) {
        throw measure::BadInput(std::string(error.what()) + " (see: mmcpipe --help)");
    }

    const CLI::App& chosen = *app.get_subcommands().front();
    if (chosen.get_name() == "list") return list;
    if (chosen.get_name() == "calibrate") return calibrate;
    if (chosen.get_name() == "results") return results;
    if (chosen.get_name() == "compare") return compare;
    if (chosen.get_name() == "bench") {
        complete(chosen, bench);
        return bench;
    }
    if (chosen.count("--json") != 0) test.json = json;
    return test;
}

} // namespace mmcpipe::cli
