#pragma once
// The subcommands. Each returns the exit status, and throws measure::BadInput or sim::ProfileError before it has
// written anything.

#include "mmcpipe/cli/options.h"

#include <ostream>

namespace mmcpipe::cli {

inline constexpr int success = 0;
inline constexpr int some_failed = 1; ///< a case is FAILED or ERROR, or the simulation came to an end
inline constexpr int bad_input = 2;

/// On `err`: what the host did before the first case that is FAILED or ERROR.
int test(const TestOptions& options, std::ostream& out, std::ostream& err);
int list(const ListOptions& options, std::ostream& out);
int calibrate(const CalibrateOptions& options, std::ostream& out);
int results(const ResultsOptions& options, std::ostream& out);
int bench(const BenchOptions& options, std::ostream& out);
int compare(const CompareOptions& options, std::ostream& out);

/// All of it: parses, carries out, says in one line on `err` what cannot be used.
int command(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

} // namespace mmcpipe::cli
