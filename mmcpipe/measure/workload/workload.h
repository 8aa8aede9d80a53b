#pragma once
// Workloads: what people run to see what a block device is worth. Each runs on boards that the caller makes.

#include "mmcpipe/measure/mounted.h"
#include "mmcpipe/measure/rows.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace mmcpipe::measure::workload {

struct Options {
    MountOptions mount;
    std::uint64_t seed = 1;
    std::uint64_t file = 0;             ///< bytes; 0: as the workload usually has it
    std::vector<std::uint32_t> records; ///< bytes each; empty: all
    unsigned jobs = 4;                  ///< threads
    unsigned queue_depth = 1;           ///< requests of a thread that are under way
    unsigned reads = 100;               ///< percent
    base::Duration length{};            ///< virtual; 0: as usual
    unsigned faults = 0;                ///< faults planned, spread over the run
};

/// What a workload has to do with the board, once it is mounted.
using Clients = std::function<void(Mounted&)>;
/// Makes a new board, mounts its card, calls the clients on a thread of it and returns when they have.
using OnNewBoard = std::function<void(const MountOptions&, const Clients&)>;

/// Those that a workload looks at, beside `mount`.
enum class Takes : std::uint8_t { seed, file, records, jobs, queue_depth, reads, length, faults };

struct Workload {
    std::string_view name;
    std::string_view summary;
    std::vector<Takes> takes;
    Report (*run)(const OnNewBoard& on_new_board, const Options& options);
};

std::span<const Workload> workloads();
/// nullptr if there is none.
const Workload* find(std::string_view name);

Report iozone(const OnNewBoard& on_new_board, const Options& options);
Report lmdd(const OnNewBoard& on_new_board, const Options& options);
Report interference(const OnNewBoard& on_new_board, const Options& options);
Report random(const OnNewBoard& on_new_board, const Options& options);
Report bonnie(const OnNewBoard& on_new_board, const Options& options);
Report stress(const OnNewBoard& on_new_board, const Options& options);

/// Bytes a second, in units of `unit` bytes.
double rate(std::uint64_t bytes, base::Duration took, double unit);

} // namespace mmcpipe::measure::workload
