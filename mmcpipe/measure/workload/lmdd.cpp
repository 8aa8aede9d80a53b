// LMDD: one thread writes a file through the page cache, and reads it again. Beside it, on each processor, a thread of
// high priority and a timer look how late they are.

#include "mmcpipe/measure/client/read_ahead.h"
#include "mmcpipe/measure/client/write_back.h"
#include "mmcpipe/measure/workload/workload.h"

#include <algorithm>

namespace mmcpipe::measure::workload {

namespace {

constexpr std::uint64_t usual_file = 100'000'000 / 4096 * 4096;
constexpr std::uint64_t begin = 8192;                            ///< sector
constexpr base::Duration probe_period = base::microseconds(777); ///< of no round ratio to anything that happens

void write_file(Mounted& mounted, std::uint64_t file) {
    constexpr std::uint32_t request = client::WriteBackSettings{}.request;
    client::WriteBack cache(mounted.disk, 0);
    for (std::uint64_t at = 0; at < file; at += request) {
        cache.write(begin + at / 512, static_cast<std::uint32_t>(std::min<std::uint64_t>(request, file - at)));
    }
    cache.sync();
    cache.close();
}

void read_file(Mounted& mounted, std::uint64_t file) {
    client::ReadAhead reader(mounted.disk, 0);
    reader.open(begin, file);
    while (reader.read() != 0) {}
}

Row run(Mounted& mounted, const char* direction, std::uint64_t file, void (*body)(Mounted&, std::uint64_t)) {
    System& system = mounted.system;
    system.forget_interrupts_off();
    const auto probe = system.make_probe(0, probe_period);
    const base::Instant from = system.now();
    body(mounted, file);
    const base::Duration took = system.now() - from;
    const base::Histogram off = system.interrupts_off();
    const std::string by = system.interrupts_off_by();
    probe->stop();
    return {
        {"direction", direction},
        {"MB_s", rate(file, took, 1e6)},
        {"irqs_off_max_us", static_cast<double>(off.max()) * 1e-3},
        {"irqs_off_by", by},
        {"irqs_off_us", latency_of(off)},
        {"probe_thread_late_us", latency_of(probe->thread_late())},
        {"probe_thread_late_p99_9_us", static_cast<double>(probe->thread_late().percentile(base::share_99_9)) * 1e-3},
        {"probe_timer_late_us", latency_of(probe->interrupt_late())}};
}

} // namespace

Report lmdd(const OnNewBoard& on_new_board, const Options& options) {
    const std::uint64_t file = options.file != 0 ? options.file : usual_file;
    Report report;
    on_new_board(options.mount, [&](Mounted& mounted) {
        report.rows.push_back(run(mounted, "write", file, write_file));
        report.rows.push_back(run(mounted, "read", file, read_file));
    });
    return report;
}

} // namespace mmcpipe::measure::workload
