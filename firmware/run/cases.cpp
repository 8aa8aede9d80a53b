#include "firmware/run/cases.h"

#include "firmware/run/not_tried.h"
#include "firmware/run/semihosting.h"
#include "firmware/run/show.h"

namespace firmware {

using namespace mmcpipe;
using base::Result;
using base::Task;
using trial::Outcome;

namespace {

/// The line begins with the case and ends with it, so that one that hangs can be seen.
void begin_line(const Suite& suite, const trial::Case& trial) {
    print(suite.name, " ", trial.number, ", ", trial.name, ": ");
}

class Lines final : public trial::Sink {
public:
    Lines(const Suite& suite, const host::Host& host, Tally& tally, JsonResults* json)
        : suite_(suite), host_(host), tally_(tally), json_(json) {}

    void begins(const trial::Case& trial) override {
        begin_line(suite_, trial);
        if (json_ != nullptr) json_->begins(trial);
    }

    void transferred(const trial::Row& row) override {
        if (json_ != nullptr) json_->transferred(row);
    }

    void ended(const trial::Case& trial, Outcome outcome, std::optional<base::Error> error) override {
        print(trial::name(outcome));
        if (error) print(", ", base::name(error->code));
        if (error && error->raw != 0) print(", raw ", Hex{error->raw});
        print("\n");
        const bool was_good = tally_.good();
        count(outcome);
        if (was_good && !tally_.good()) show(host_.record());
        if (json_ != nullptr) json_->ended(trial, outcome, error);
    }

private:
    void count(Outcome outcome) {
        switch (outcome) {
        case Outcome::ok: ++tally_.ok; break;
        case Outcome::unsupported_by_host:
        case Outcome::unsupported_by_card: ++tally_.unsupported; break;
        case Outcome::failed: ++tally_.failed; break;
        case Outcome::error: ++tally_.errors; break;
        }
    }

    const Suite& suite_;
    const host::Host& host_;
    Tally& tally_;
    JsonResults* json_;
};

} // namespace

Task<Result<void>> run_cases(trial::Bench& bench, const Suite& suite, Tally& tally, JsonResults* json) {
    Lines lines(suite, bench.host(), tally, json);
    for (const trial::Case& trial : suite.cases) {
        if (trial.kind == trial::Kind::performance) continue;
        if (const char* why = not_tried(bench.properties(), suite.name, trial.number)) {
            begin_line(suite, trial);
            print("not tried: ", why, "\n");
            ++tally.not_tried;
            continue;
        }
        co_await trial::run(bench, trial, lines);
    }
    co_return {};
}

} // namespace firmware
