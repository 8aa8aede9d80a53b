#include "mmcpipe/cli/picture.h"

#include "mmcpipe/cli/case_list.h"
#include "mmcpipe/cli/run.h"
#include "mmcpipe/measure/results.h"
#include "mmcpipe/report/first_requests.h"
#include "mmcpipe/report/timeline.h"

#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace mmcpipe::cli {

namespace {

constexpr std::uint32_t request_bytes = 64 * 1024;
constexpr unsigned before = 4; ///< requests before the ones that are drawn: by then each is like the one before
constexpr unsigned drawn = 2;
constexpr unsigned after = 2; ///< the last gap that is drawn ends with the next one's data

/// The beginning of the case's row of that size.
std::vector<sim::Span> spans_of(const Board& board, const char* number) {
    report::SpanBuffer buffer;
    report::FirstRequests part(buffer, before + drawn + after);
    std::vector<sim::Span> found;
    const auto begins = [&](const measure::CaseResult&) {
        buffer.spans.clear();
        part.restart();
    };
    const auto transferred = [&](const measure::CaseResult& result) {
        if (result.rows.back().request_bytes == request_bytes && found.empty()) found = std::exchange(buffer.spans, {});
        begins(result);
    };
    measure::Recorder recorder({.begins = begins, .transferred = transferred, .ended = {}});
    run(board, cases_of(number), recorder, &part);
    if (found.empty())
        throw std::runtime_error(fmt::format("case {} has no reads of 64 KiB here, so there is no timeline", number));
    return found;
}

} // namespace

std::string picture(const Board& board) {
    return report::timeline(report::excerpt(spans_of(board, "39"), before, drawn),
                            report::excerpt(spans_of(board, "40"), before, drawn),
                            {.title = "Two reads of 64 KiB, blocking and non-blocking",
                             .subtitle = fmt::format("simulated: platform {}, card {}; mmc_test cases 39 and 40",
                                                     board.platform.name, board.card.name),
                             .request = "read"});
}

} // namespace mmcpipe::cli
