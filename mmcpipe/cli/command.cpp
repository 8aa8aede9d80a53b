#include "mmcpipe/cli/commands.h"
#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/sim/profile.h"

#include <exception>

namespace mmcpipe::cli {

namespace {

int carry_out(const Notice& notice, std::ostream& out, std::ostream&) {
    out << notice.text;
    return success;
}
int carry_out(const TestOptions& options, std::ostream& out, std::ostream& err) { return test(options, out, err); }
int carry_out(const ListOptions& options, std::ostream& out, std::ostream&) { return list(options, out); }
int carry_out(const CalibrateOptions& options, std::ostream& out, std::ostream&) { return calibrate(options, out); }
int carry_out(const ResultsOptions& options, std::ostream& out, std::ostream&) { return results(options, out); }
int carry_out(const BenchOptions& options, std::ostream& out, std::ostream&) { return bench(options, out); }
int carry_out(const CompareOptions& options, std::ostream& out, std::ostream&) { return compare(options, out); }

} // namespace

int command(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
    const auto complain = [&](const std::exception& error, int status) {
        err << "mmcpipe: " << error.what() << "\n";
        return status;
    };
    try {
        return std::visit([&](const auto& options) { return carry_out(options, out, err); }, parse(argc, argv));
    } catch (const measure::BadInput& error) {
        return complain(error, bad_input);
    } catch (const sim::ProfileError& error) {
        return complain(error, bad_input);
    } catch (const std::exception& error) {
        return complain(error, some_failed);
    }
}

} // namespace mmcpipe::cli
