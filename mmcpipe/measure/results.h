#pragma once
// What came out of trial cases, kept.

#include "mmcpipe/trial/case.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mmcpipe::measure {

struct CaseResult {
    unsigned number = 0;
    std::string name;
    trial::Outcome outcome = trial::Outcome::error;
    std::optional<base::Error> error;
    std::vector<trial::Row> rows;

    bool bad() const { return outcome == trial::Outcome::failed || outcome == trial::Outcome::error; }
};

/// Collects what cases report, and passes it on as it comes.
class Recorder final : public trial::Sink {
public:
    /// Hear of it at once; each may be empty.
    struct Listeners {
        std::function<void(const CaseResult&)> begins;      ///< number and name are known
        std::function<void(const CaseResult&)> transferred; ///< the new row is the last one
        std::function<void(const CaseResult&)> ended;
    };

    Recorder() = default;
    explicit Recorder(Listeners listeners) : listeners_(std::move(listeners)) {}

    const std::vector<CaseResult>& results() const { return results_; }

    void begins(const trial::Case& trial) override {
        results_.push_back({.number = trial.number, .name = trial.name, .error = {}, .rows = {}});
        tell(listeners_.begins);
    }
    void transferred(const trial::Row& row) override {
        results_.back().rows.push_back(row);
        tell(listeners_.transferred);
    }
    void ended(const trial::Case&, trial::Outcome outcome, std::optional<base::Error> error) override {
        results_.back().outcome = outcome;
        results_.back().error = error;
        tell(listeners_.ended);
    }

private:
    void tell(const std::function<void(const CaseResult&)>& listener) const {
        if (listener) listener(results_.back());
    }

    Listeners listeners_;
    std::vector<CaseResult> results_;
};

} // namespace mmcpipe::measure
