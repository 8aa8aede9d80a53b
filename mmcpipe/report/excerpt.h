#pragma once
// A piece of a trace that shows a number of requests in the steady state.

#include "mmcpipe/sim/trace.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace mmcpipe::report {

/// From one command that transfers data to another: whole periods of what repeats.
struct Excerpt {
    sim::Time from{};
    sim::Time to{};
    std::vector<sim::Span> spans; ///< all that touch it, and some around

    sim::Time length() const { return to - from; }
};

/// CMD17, CMD18, CMD24, CMD25
bool transfers_data(const sim::Span& span);

/// From the `first`-th command that transfers data, counted from zero, to the one `count` later. Throws
/// std::runtime_error if the trace has no so many.
Excerpt excerpt(std::span<const sim::Span> spans, std::size_t first, std::size_t count);

/// The wait between the data of two requests.
struct Gap {
    sim::Time from{};
    sim::Time to{};

    sim::Time length() const { return to - from; }
};
/// All that begin in the excerpt. Throws std::runtime_error if there are none.
std::vector<Gap> gaps(const Excerpt& excerpt);

/// The first span of this lane and name that begins at `from` or later; nullptr if there is none.
const sim::Span* first_span(const Excerpt& excerpt, sim::Lane lane, std::string_view name, sim::Time from);

} // namespace mmcpipe::report
