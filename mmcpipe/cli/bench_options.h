#pragma once
// mmcpipe bench on the command line.

#include "mmcpipe/cli/options.h"

#include <CLI/App.hpp>
#include <memory>

namespace mmcpipe::cli {

/// Adds --platform, --card and --set.
void add_board(CLI::App& command, Selection& board);

/// Adds the subcommand. `options` lives as long as the parser.
void add_bench(CLI::App& app, BenchOptions& options);
/// What cannot be seen from one option alone; after parsing. Throws measure::BadInput.
void complete(const CLI::App& bench, BenchOptions& options);
void add_compare(CLI::App& app, CompareOptions& options);

} // namespace mmcpipe::cli
