#pragma once
// The picture that shows why non-blocking is faster: blocking above, non-blocking below, to one scale; beneath, what
// lies between two requests, close up.

#include "mmcpipe/report/excerpt.h"

#include <string>

namespace mmcpipe::report {

struct TimelineText {
    std::string title;    ///< "Two reads of 64 KiB: why preparing the next one early pays"
    std::string subtitle; ///< platform, card, case
    std::string request;  ///< "read"
};

/// An SVG document.
std::string timeline(const Excerpt& blocking, const Excerpt& non_blocking, const TimelineText& text);

} // namespace mmcpipe::report
