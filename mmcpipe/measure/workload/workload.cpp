#include "mmcpipe/measure/workload/workload.h"

#include <algorithm>

namespace mmcpipe::measure::workload {

std::span<const Workload> workloads() {
    using enum Takes;
    static const std::vector<Workload> all{
        {"iozone",
         "write, rewrite, read, reread, random read and write of a file, by record size",
         {seed, file, records},
         iozone},
        {"lmdd", "a file written and read through a page cache; how long interrupts are off meanwhile", {file}, lmdd},
        {"interference",
         "threads that read beside threads that write: five scenarios, the rate of each side",
         {seed, length},
         interference},
        {"random", "random requests of 4 KiB by some threads", {seed, file, jobs, queue_depth, reads, length}, random},
    };
    return all;
}

const Workload* find(std::string_view name) {
    const auto found = std::ranges::find(workloads(), name, &Workload::name);
    return found != workloads().end() ? &*found : nullptr;
}

double rate(std::uint64_t bytes, base::Duration took, double unit) {
    return took.ns == 0 ? 0 : static_cast<double>(bytes) / unit / (static_cast<double>(took.ns) * 1e-9);
}

} // namespace mmcpipe::measure::workload
