// Random requests of 4 KiB: a number of threads, each with some under way.

#include "mmcpipe/measure/client/pages.h"
#include "mmcpipe/measure/workload/workload.h"

#include <deque>
#include <fmt/format.h>
#include <random>
#include <stdexcept>

namespace mmcpipe::measure::workload {

namespace {

constexpr base::Duration usual_length = base::seconds(5);
constexpr std::uint64_t usual_file = 256 << 20;
constexpr std::uint32_t size = 4096;

struct Slot {
    explicit Slot(System& system) : pages(system, size) {}
    client::Pages pages;
    Disk::Request request;
};

/// One thread.
void job(Mounted& mounted, const Options& options, unsigned number, std::uint64_t records, base::Instant end) {
    System& system = mounted.system;
    Disk::Client client(mounted.disk, static_cast<std::uint16_t>(number));
    std::mt19937_64 generator(options.seed * 1000 + number);
    std::deque<Slot> slots;
    const auto go = [&](Disk::Request& request) {
        system.spend(system.costs().call);
        request.operation = generator() % 100 < options.reads ? block::Operation::read : block::Operation::write;
        request.sector = generator() % records * (size / 512);
        client.submit(request);
    };
    for (unsigned i = 0; i < options.queue_depth; ++i) {
        Slot& slot = slots.emplace_back(system);
        slot.request.sectors = size / 512;
        slot.request.buffers = slot.pages.list(size);
    }
    for (Slot& slot : slots) go(slot.request);
    for (unsigned open = options.queue_depth; open != 0;) {
        Disk::Request* const over = client.take_over();
        if (over == nullptr) {
            client.sleep();
        } else if (over->failure) {
            throw std::runtime_error(fmt::format("a request failed: {}", base::name(over->failure->code)));
        } else if (system.now() < end) {
            go(*over);
        } else {
            --open;
        }
    }
}

} // namespace

Report random(const OnNewBoard& on_new_board, const Options& options) {
    const base::Duration length = options.length.ns != 0 ? options.length : usual_length;
    Report report;
    on_new_board(options.mount, [&](Mounted& mounted) {
        const std::uint64_t room = mounted.disk.sectors() * 512;
        const std::uint64_t file = std::min(options.file != 0 ? options.file : usual_file, room);
        const base::Instant from = mounted.system.now();
        run_all(mounted.system, "job", options.jobs,
                [&](unsigned i) { job(mounted, options, i, file / size, from + length); });
        const base::Duration took = mounted.system.now() - from;
        const block::Statistics::Way& reads = mounted.statistics.of(host::Direction::read);
        const block::Statistics::Way& writes = mounted.statistics.of(host::Direction::write);
        report.rows.push_back({{"read_iops", rate(reads.requests, took, 1)},
                               {"write_iops", rate(writes.requests, took, 1)},
                               {"read_latency_us", latency_of(reads.latency)},
                               {"write_latency_us", latency_of(writes.latency)}});
    });
    return report;
}

} // namespace mmcpipe::measure::workload
