// IOZone with O_DIRECT: one thread, one record after another, each waited for.

#include "mmcpipe/measure/bad_input.h"
#include "mmcpipe/measure/client/pages.h"
#include "mmcpipe/measure/workload/workload.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <stdexcept>

namespace mmcpipe::measure::workload {

namespace {

constexpr std::uint64_t usual_file = 50 << 20;
constexpr std::uint64_t begin = 8192; ///< sector: behind what a file system has for itself
constexpr std::uint32_t smallest = 4096;
constexpr std::uint32_t largest = 16 << 20;

struct Test {
    const char* name;
    block::Operation operation;
    bool random;
};

constexpr std::array tests{
    Test{"write", block::Operation::write, false},     Test{"rewrite", block::Operation::write, false},
    Test{"read", block::Operation::read, false},       Test{"reread", block::Operation::read, false},
    Test{"random_read", block::Operation::read, true}, Test{"random_write", block::Operation::write, true}};

/// The order in which the records of a file are used.
std::vector<std::uint32_t> order_of(std::uint32_t count, bool random, std::uint64_t seed) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::mt19937_64 generator(seed);
    // Not std::shuffle: what it does differs between libraries.
    for (std::uint32_t i = count; random && i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
    return order;
}

struct Measured {
    base::Duration took;
    base::Duration busy;
};

Measured run(Mounted& mounted, const Test& test, std::uint32_t record, std::uint64_t file, std::uint64_t seed) {
    System& system = mounted.system;
    const std::size_t mark = system.allocated();
    const client::Pages pages(system, record);
    Disk::Client client(mounted.disk, 0);
    Disk::Request request;
    request.operation = test.operation;
    request.sectors = record / 512;
    request.buffers = pages.list(record);

    const base::Instant from = system.now();
    const base::Duration busy = system.busy();
    for (const std::uint32_t i : order_of(static_cast<std::uint32_t>(file / record), test.random, seed)) {
        system.spend(system.costs().call);
        request.sector = begin + std::uint64_t{i} * request.sectors;
        client.submit(request);
        client.wait(request);
        if (request.failure) throw std::runtime_error(fmt::format("a {} failed", test.name));
    }
    const Measured measured{system.now() - from, system.busy() - busy};
    system.release_to(mark);
    return measured;
}

std::vector<std::uint32_t> all_records(std::uint64_t file) {
    std::vector<std::uint32_t> records;
    for (std::uint32_t size = smallest; size <= largest && size <= file; size *= 2) records.push_back(size);
    return records;
}

} // namespace

Report iozone(const OnNewBoard& on_new_board, const Options& options) {
    const std::uint64_t file = options.file != 0 ? options.file : usual_file;
    const std::vector<std::uint32_t> records = options.records.empty() ? all_records(file) : options.records;
    for (const std::uint32_t record : records) {
        if (record < smallest || record > largest || record % smallest != 0 || record > file) {
            throw BadInput(
                fmt::format("--record {} KiB: expected a multiple of 4 KiB from 4 KiB to 16 MiB, and no more "
                            "than the file's {} KiB",
                            record / 1024, file / 1024));
        }
    }
    Report report;
    for (const std::uint32_t record : records) {
        on_new_board(options.mount, [&](Mounted& mounted) {
            const std::uint64_t whole = file / record * record;
            if (begin + whole / 512 > mounted.disk.sectors()) {
                throw BadInput(
                    fmt::format("--file {} KiB: the card has {} KiB", file / 1024, mounted.disk.sectors() / 2));
            }
            for (const Test& test : tests) {
                const Measured m = run(mounted, test, record, file, options.seed);
                const double processors = mounted.system.processors();
                report.rows.push_back({{"operation", test.name},
                                       {"record_kib", std::int64_t{record / 1024}},
                                       {"kB_s", rate(whole, m.took, 1024)},
                                       {"cpu_load_percent", static_cast<double>(m.busy.ns) /
                                                                static_cast<double>(m.took.ns) / processors * 100}});
            }
        });
    }
    return report;
}

} // namespace mmcpipe::measure::workload
