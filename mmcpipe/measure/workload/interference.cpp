// Who reads suffers from who writes: threads that read, alone and beside others that write, through the page cache, for
// a given time.

#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/measure/client/read_ahead.h"
#include "mmcpipe/measure/client/write_back.h"
#include "mmcpipe/measure/workload/workload.h"

#include <array>
#include <atomic>
#include <fmt/format.h>
#include <memory>
#include <random>

namespace mmcpipe::measure::workload {

namespace {

constexpr base::Duration usual_length = base::seconds(10);
constexpr std::uint64_t region = 512 << 20;    ///< bytes of the card for each thread
constexpr std::uint32_t short_read = 64 << 10; ///< bytes of a file
constexpr std::uint32_t short_write = 16 << 10;
constexpr unsigned several = 4;

struct Scenario {
    const char* name;
    unsigned long_reads;
    unsigned short_reads;
    unsigned long_writes;
    unsigned short_writes;

    unsigned threads() const { return long_reads + short_reads + long_writes + short_writes; }
};

// Named as in the report of 2012.
constexpr std::array scenarios{
    Scenario{"long read", 1, 0, 0, 0},
    Scenario{"several parallel reads", several, 0, 0, 0},
    Scenario{"parallel long read and long write", 1, 0, 1, 0},
    Scenario{"parallel short read and long write", 0, 1, 1, 0},
    Scenario{"several parallel short reads and short writes", 0, several, 0, several},
};

struct Run {
    Mounted& mounted;
    base::Instant end;
    std::uint64_t seed;
    std::atomic<std::uint64_t> read = 0; ///< bytes until the end
    std::atomic<std::uint64_t> written = 0;
};

std::uint64_t begin_of(unsigned thread) { return thread * (region / 512); }

void read_long(Run& run, unsigned thread) {
    client::ReadAhead reader(run.mounted.disk, static_cast<std::uint16_t>(thread));
    while (run.mounted.system.now() < run.end) {
        reader.open(begin_of(thread), region);
        for (;;) {
            const std::uint32_t bytes = reader.read();
            if (bytes == 0) break;
            if (run.mounted.system.now() < run.end) {
                run.read += bytes;
            } else {
                reader.close();
                return;
            }
        }
    }
}

void read_short(Run& run, unsigned thread) {
    client::ReadAhead reader(run.mounted.disk, static_cast<std::uint16_t>(thread));
    std::mt19937_64 generator(run.seed * 1000 + thread);
    while (run.mounted.system.now() < run.end) {
        reader.open(begin_of(thread) + generator() % (region / short_read) * (short_read / 512), short_read);
        while (const std::uint32_t bytes = reader.read()) {
            if (run.mounted.system.now() < run.end) run.read += bytes;
        }
    }
}

/// `next`: the next sector to write to.
template <class Next>
void write(Run& run, unsigned thread, const client::WriteBackSettings& settings, Next&& next) {
    client::WriteBack cache(run.mounted.disk, static_cast<std::uint16_t>(thread), settings);
    std::uint64_t written = 0;
    while (run.mounted.system.now() < run.end) {
        cache.write(next(), settings.request);
        if (run.mounted.system.now() < run.end) written = cache.written();
    }
    run.written += written;
    cache.close();
}

void write_long(Run& run, unsigned thread) {
    constexpr client::WriteBackSettings settings;
    std::uint64_t at = 0;
    write(run, thread, settings, [&] {
        const std::uint64_t sector = begin_of(thread) + at / 512;
        at = (at + settings.request) % region;
        return sector;
    });
}

void write_short(Run& run, unsigned thread) {
    std::mt19937_64 generator(run.seed * 1000 + thread);
    constexpr client::WriteBackSettings settings{.request = short_write, .memory = 1 << 20, .background = 256 << 10};
    write(run, thread, settings,
          [&] { return begin_of(thread) + generator() % (region / short_write) * (short_write / 512); });
}

void one(Run& run, const Scenario& scenario, unsigned thread) {
    unsigned number = thread;
    if (number < scenario.long_reads) return read_long(run, thread);
    number -= scenario.long_reads;
    if (number < scenario.short_reads) return read_short(run, thread);
    number -= scenario.short_reads;
    if (number < scenario.long_writes) return write_long(run, thread);
    write_short(run, thread);
}

Row row(const Scenario& scenario, Mounted& mounted, const Options& options) {
    const base::Duration length = options.length.ns != 0 ? options.length : usual_length;
    if (begin_of(scenario.threads()) > mounted.disk.sectors()) {
        throw BadInput(fmt::format("interference: the card has {} MiB, expected {} MiB or more",
                                   mounted.disk.sectors() / 2048, begin_of(scenario.threads()) / 2048));
    }
    Run run{.mounted = mounted, .end = mounted.system.now() + length, .seed = options.seed};
    run_all(mounted.system, "process", scenario.threads(), [&](unsigned i) { one(run, scenario, i); });
    return {{"scenario", scenario.name},
            {"read_MB_s", rate(run.read, length, 1e6)},
            {"write_MB_s", rate(run.written, length, 1e6)},
            {"read_latency_us", latency_of(mounted.statistics.of(host::Direction::read).latency)},
            {"write_latency_us", latency_of(mounted.statistics.of(host::Direction::write).latency)}};
}

} // namespace

Report interference(const OnNewBoard& on_new_board, const Options& options) {
    Report report;
    for (const Scenario& scenario : scenarios) {
        on_new_board(options.mount, [&](Mounted& mounted) { report.rows.push_back(row(scenario, mounted, options)); });
    }
    return report;
}

} // namespace mmcpipe::measure::workload
