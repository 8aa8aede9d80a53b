#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

namespace {

Outcome outcome_of(base::Error error) {
    if (error.domain() == base::Domain::usage) return Outcome::unsupported_by_host;
    if (error.code == base::Code::not_supported) return Outcome::unsupported_by_card;
    return Outcome::error;
}

} // namespace

const char* name(Outcome outcome) {
    switch (outcome) {
    case Outcome::ok: return "OK";
    case Outcome::failed: return "FAILED";
    case Outcome::unsupported_by_host: return "UNSUPPORTED by host";
    case Outcome::unsupported_by_card: return "UNSUPPORTED by card";
    case Outcome::error: return "ERROR";
    }
    return "unknown";
}

base::Task<base::Result<Outcome>> run(Bench& bench, const Case& trial, Sink& sink) {
    sink.begins(trial);
    const base::Result<Outcome> tried = co_await outcome(trial.attempt(bench, sink));
    const Outcome outcome = tried ? *tried : outcome_of(tried.error());
    sink.ended(trial, outcome, tried ? std::nullopt : std::optional(tried.error()));
    co_return outcome;
}

} // namespace mmcpipe::trial
