#pragma once
// The timeline of a board.

#include "mmcpipe/cli/profiles.h"

#include <string>

namespace mmcpipe::cli {

/// Runs reads of 64 KiB, blocking and non-blocking (mmc_test's cases 39 and 40), and draws two of each; an SVG
/// document. Throws std::runtime_error if they cannot be carried out.
std::string picture(const Board& board);

} // namespace mmcpipe::cli
