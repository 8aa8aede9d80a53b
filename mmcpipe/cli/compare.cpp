#include "mmcpipe/cli/commands.h"
#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/report/comparison.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace mmcpipe::cli {

namespace {

std::string content(const std::string& file) {
    std::ifstream in(file);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    if (!in || !text) throw measure::BadInput(fmt::format("{}: cannot be read", file));
    return std::move(text).str();
}

} // namespace

int compare(const CompareOptions& options, std::ostream& out) {
    out << report::comparison(options.before, content(options.before), options.after, content(options.after));
    return success;
}

} // namespace mmcpipe::cli
