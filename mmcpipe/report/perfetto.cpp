#include "mmcpipe/report/perfetto.h"

#include <fmt/format.h>
#include <string>

namespace mmcpipe::report {

namespace {

std::string microseconds(sim::Time time) { return fmt::format("{}.{:06}", time.ps / 1'000'000, time.ps % 1'000'000); }

unsigned track(const sim::Span& span) { return static_cast<unsigned>(span.lane) * 256 + span.unit; }

} // namespace

const char* name(sim::Lane lane) {
    switch (lane) {
    case sim::Lane::cpu: return "CPU";
    case sim::Lane::command: return "command line";
    case sim::Lane::data: return "data lines";
    case sim::Lane::card: return "card";
    case sim::Lane::dma: return "DMA";
    }
    return "unknown";
}

PerfettoTrace::PerfettoTrace(std::ostream& out) : out_(out) { out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["; }

void PerfettoTrace::event(std::string_view text) {
    out_ << (first_ ? "\n" : ",\n") << text;
    first_ = false;
}

void PerfettoTrace::name_track(const sim::Span& span) {
    const unsigned number = track(span);
    if (named_.test(number)) return;
    named_.set(number);
    const std::string unit = span.lane == sim::Lane::cpu || span.unit != 0 ? fmt::format(" {}", span.unit) : "";
    event(fmt::format(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}{}"}}}})", number + 1,
                      name(span.lane), unit));
    event(fmt::format(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                      number + 1, number));
}

void PerfettoTrace::span(const sim::Span& span) {
    name_track(span);
    event(fmt::format(R"({{"ph":"X","pid":1,"tid":{},"name":"{}","ts":{},"dur":{},"args":{{"argument":{}}}}})",
                      track(span) + 1, span.name, microseconds(span.from), microseconds(span.to - span.from),
                      span.argument));
}

void PerfettoTrace::finish() { out_ << "\n]}\n"; }

} // namespace mmcpipe::report
