#include "mmcpipe/measure/calibrate.h"

#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/measure/compare.h"

#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <nlopt.hpp>
#include <stdexcept>

namespace mmcpipe::measure {

namespace {

constexpr double first_step = 0.2;  ///< in logarithms: about 20 %
constexpr double known_to = 0.0001; ///< likewise: a part in 10,000

void check(const Parameter& p) {
    if (p.least > 0 && p.least < p.most && p.least <= p.start && p.start <= p.most) return;
    throw BadInput(
        fmt::format("{} starts at {} with bounds {} to {}; the bounds must be above zero and around the start", p.name,
                    p.start, p.least, p.most));
}

/// What NLopt minimises. It has to outlive the optimiser.
class Objective {
public:
    Objective(const Model& model, std::span<const Target> targets, const Watcher& watcher)
        : model_(model), targets_(targets), watcher_(watcher) {}

    double operator()(const std::vector<double>& logarithms) {
        std::vector<double> values;
        for (const double x : logarithms) values.push_back(std::exp(x));
        const double sum = sum_of_squares(model_(values), targets_);
        if (best_values.empty()) first = sum;
        if (best_values.empty() || sum < best) {
            best = sum;
            best_values = std::move(values);
        }
        ++evaluations;
        if (watcher_) watcher_(evaluations, best);
        return sum;
    }

    /// NLopt would turn what the model throws into an error without a message.
    static double call(const std::vector<double>& x, std::vector<double>&, void* context) {
        auto& self = *static_cast<Objective*>(context);
        try {
            return self(x);
        } catch (...) {
            self.thrown = std::current_exception();
            throw nlopt::forced_stop();
        }
    }

    std::vector<double> best_values;
    double first = 0;
    double best = 0;
    unsigned evaluations = 0;
    std::exception_ptr thrown;

private:
    const Model& model_;
    std::span<const Target> targets_;
    const Watcher& watcher_;
};

} // namespace

double sum_of_squares(std::span<const base::Duration> times, std::span<const Target> targets) {
    if (times.size() != targets.size())
        throw std::logic_error("the model gave another number of times than there are targets");
    double sum = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double weighted = miss_percent(times[i], targets[i].published) / targets[i].tolerance_percent;
        sum += weighted * weighted;
    }
    return sum;
}

Fit calibrate(const Model& model, std::span<const Parameter> parameters, std::span<const Target> targets,
              unsigned most_evaluations, const Watcher& watcher) {
    std::vector<double> start;
    std::vector<double> least;
    std::vector<double> most;
    for (const Parameter& p : parameters) {
        check(p);
        start.push_back(std::log(p.start));
        least.push_back(std::log(p.least));
        most.push_back(std::log(p.most));
    }

    Objective objective(model, targets, watcher);
    // BOBYQA needs two parameters at least; a single one is a matter for Subplex.
    nlopt::opt optimiser(parameters.size() > 1 ? nlopt::LN_BOBYQA : nlopt::LN_SBPLX,
                         static_cast<unsigned>(parameters.size()));
    optimiser.set_min_objective(&Objective::call, &objective);
    optimiser.set_lower_bounds(least);
    optimiser.set_upper_bounds(most);
    optimiser.set_initial_step(first_step);
    optimiser.set_xtol_abs(known_to);
    optimiser.set_maxeval(static_cast<int>(most_evaluations));

    bool converged = true;
    try {
        double sum = 0;
        converged = optimiser.optimize(start, sum) != nlopt::MAXEVAL_REACHED;
    } catch (const nlopt::roundoff_limited&) {
        // As close as doubles can tell; the best values are good.
    } catch (const nlopt::forced_stop&) {
        std::rethrow_exception(objective.thrown);
    }
    return {.values = objective.best_values,
            .sum_at_start = objective.first,
            .sum = objective.best,
            .evaluations = objective.evaluations,
            .converged = converged};
}

} // namespace mmcpipe::measure
