#include "mmcpipe/report/excerpt.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace mmcpipe::report {

bool transfers_data(const sim::Span& span) {
    constexpr std::string_view names[] = {"CMD17", "CMD18", "CMD24", "CMD25"};
    return span.lane == sim::Lane::command && std::ranges::find(names, span.name) != std::end(names);
}

Excerpt excerpt(std::span<const sim::Span> spans, std::size_t first, std::size_t count) {
    std::vector<sim::Time> starts;
    for (const sim::Span& span : spans) {
        if (transfers_data(span)) starts.push_back(span.from);
    }
    if (starts.size() <= first + count) {
        throw std::runtime_error(
            fmt::format("the trace has {} requests, a timeline needs {}", starts.size(), first + count + 1));
    }
    Excerpt excerpt{.from = starts[first], .to = starts[first + count], .spans = {}};
    const sim::Time around = excerpt.length();
    for (const sim::Span& span : spans) {
        if (span.to > excerpt.from - around && span.from < excerpt.to + around) excerpt.spans.push_back(span);
    }
    return excerpt;
}

std::vector<Gap> gaps(const Excerpt& excerpt) {
    std::vector<Gap> found;
    const sim::Span* before = nullptr;
    for (const sim::Span& span : excerpt.spans) {
        if (span.lane != sim::Lane::data) continue;
        // The data of one request may be several spans; a command stands between those of two.
        const auto between = [&](const sim::Span& command) {
            return transfers_data(command) && command.from >= before->to && command.from < span.from;
        };
        if (before != nullptr && before->to >= excerpt.from && before->to < excerpt.to &&
            std::ranges::any_of(excerpt.spans, between)) {
            found.push_back({.from = before->to, .to = span.from});
        }
        before = &span;
    }
    if (found.empty()) throw std::runtime_error("the trace has no two requests with data, which a timeline needs");
    return found;
}

const sim::Span* first_span(const Excerpt& excerpt, sim::Lane lane, std::string_view name, sim::Time from) {
    const sim::Span* found = nullptr;
    for (const sim::Span& span : excerpt.spans) {
        if (span.lane != lane || span.name != name || span.from < from) continue;
        if (found == nullptr || span.from < found->from) found = &span;
    }
    return found;
}

} // namespace mmcpipe::report
