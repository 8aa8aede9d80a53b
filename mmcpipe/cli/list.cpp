#include "mmcpipe/cli/commands.h"
#include "mmcpipe/cli/profiles.h"
#include "mmcpipe/trial/mmc_test.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmcpipe::cli {

namespace {

void list_profiles(std::string_view table, std::ostream& out) {
    const std::vector<Listed> profiles = cli::list_profiles(table);
    std::size_t width = 0;
    for (const Listed& profile : profiles) width = std::max(width, profile.name.size());
    for (const Listed& profile : profiles) out << fmt::format("{:<{}}  {}\n", profile.name, width, profile.summary);
}

} // namespace

int list(const ListOptions& options, std::ostream& out) {
    switch (options.subject) {
    case Subject::platforms: list_profiles("platform", out); break;
    case Subject::cards: list_profiles("card", out); break;
    case Subject::cases:
        for (const trial::Case& trial : trial::mmc_test_cases())
            out << fmt::format("{:>2}  {}\n", trial.number, trial.name);
        break;
    }
    return success;
}

} // namespace mmcpipe::cli
