#include "mmcpipe/cli/run.h"

#include "mmcpipe/rig/simulated_board.h"
#include "mmcpipe/trial/bench.h"

#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mmcpipe::cli {

namespace {

constexpr std::size_t bench_memory = std::size_t{4} << 20; ///< the largest request of cases 37-40
constexpr std::size_t bench_elements = 512;                ///< the longest list of cases 41-44

} // namespace

void run(const Board& board, std::span<const trial::Case* const> cases, trial::Sink& sink, sim::Trace* trace,
         const Evidence& evidence) {
    rig::SimulatedBoard simulated(board.platform, board.card, trace);
    std::vector<host::Buffer> elements(bench_elements);
    std::optional<base::Error> failure;

    simulated.run([&](rig::Stack& stack) {
        bool shown = !evidence;
        const auto show = [&] {
            if (!std::exchange(shown, true)) evidence(stack.host().record());
        };
        const std::span<std::byte> memory = simulated.memory().allocate(bench_memory);
        trial::Bench bench(stack.card(), memory, elements);
        const base::Result<void> up = stack.run(stack.card().bring_up());
        if (!up) {
            failure = up.error();
            show();
        }
        for (const trial::Case* const trial : cases) {
            if (failure) return;
            const base::Result<trial::Outcome> tried = stack.run(trial::run(bench, *trial, sink));
            if (!tried) failure = tried.error();
            if (!tried || *tried == trial::Outcome::failed || *tried == trial::Outcome::error) show();
        }
    });
    if (failure) {
        throw std::runtime_error(fmt::format("{} on {}: {} ({:#x})", board.card.name, board.platform.name,
                                             base::name(failure->code), failure->raw));
    }
}

} // namespace mmcpipe::cli
