#pragma once
// Calibration: the numbers of a profile that make simulated rows come closest to published ones. It knows nothing of
// profiles or boards, only a function from numbers to times.

#include "mmcpipe/base/units.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mmcpipe::measure {

/// A number that is looked for, above zero. It is varied by factors, so its unit does not matter.
struct Parameter {
    std::string name;
    double start = 0;
    double least = 0;
    double most = 0;
};

/// A time that should come out.
struct Target {
    base::Duration published{};
    double tolerance_percent = 0; ///< a miss by this much weighs one
};

/// The times that these values of the parameters give, one for each target, in the order of the targets.
using Model = std::function<std::vector<base::Duration>(std::span<const double> values)>;

/// Hears of every evaluation of the model: how many there have been, and the smallest sum of squares so far.
using Watcher = std::function<void(unsigned evaluations, double best)>;

struct Fit {
    std::vector<double> values; ///< in the order of the parameters
    double sum_at_start = 0;    ///< sum of the squares of miss / tolerance
    double sum = 0;
    unsigned evaluations = 0;
    bool converged = false; ///< false: the evaluations were used up
};

/// Sum of the squares of miss / tolerance.
double sum_of_squares(std::span<const base::Duration> times, std::span<const Target> targets);

/// Least squares, by NLopt's BOBYQA on the logarithms of the parameters. The same input gives the same output. Ends
/// when the best values are known to a part in 10,000, or after about `most_evaluations`. Throws BadInput for a
/// parameter whose bounds are not above zero and around its start, and passes on what the model throws.
Fit calibrate(const Model& model, std::span<const Parameter> parameters, std::span<const Target> targets,
              unsigned most_evaluations, const Watcher& watcher = nullptr);

} // namespace mmcpipe::measure
