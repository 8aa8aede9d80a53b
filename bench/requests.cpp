// What a simulated request costs the machine that simulates it: instructions (counted by callgrind, as the difference
// of a long and a short run), requests a second, virtual over wall time, memory.
//
//     bench_requests                              the table, for each way a request can go
//     bench_requests read|write depth kib count   one run; prints virtual and wall seconds

#include "mmcpipe/block/pipeline.h"
#include "mmcpipe/rig/simulated_board.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>

namespace {

using namespace mmcpipe;

/// Equal transfers, one range of sectors after another.
class Repeat final : public block::Source {
public:
    /// `memory`: the buffers of two transfers.
    Repeat(const card::Transfer& first, host::Buffer memory, std::uint32_t count)
        : wanted_(first), left_(count), open_(count) {
        const std::size_t size = memory.size() / lanes_.size();
        for (std::size_t i = 0; i < lanes_.size(); ++i) buffers_[i] = memory.subspan(i * size, size);
    }

    block::Transfer* next() noexcept override {
        if (left_ == 0) return nullptr;
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            if (used_[i]) continue;
            used_[i] = true;
            --left_;
            lanes_[i].wanted = wanted_;
            lanes_[i].wanted.buffers = {&buffers_[i], 1};
            wanted_.sector += wanted_.blocks;
            return &lanes_[i];
        }
        return nullptr;
    }
    void over(block::Transfer& transfer) noexcept override {
        used_[static_cast<std::size_t>(&transfer - lanes_.data())] = false;
        if (transfer.failure) failed = true;
        if (--open_ == 0) {
            pipeline->stop();
        } else {
            pipeline->arrived();
        }
    }

    block::Pipeline* pipeline = nullptr;
    bool failed = false;

private:
    card::Transfer wanted_;
    std::array<block::Transfer, 2> lanes_{};
    std::array<host::Buffer, 2> buffers_{};
    std::array<bool, 2> used_{};
    std::uint32_t left_;
    std::uint32_t open_;
};

struct Way {
    host::Direction direction;
    block::Depth depth;
    std::uint32_t kib;
};

struct Run {
    double virtual_seconds;
    double wall_seconds;
};

Run run(const Way& way, std::uint32_t count) {
    rig::SimulatedBoard board(rig::read_platform(sim::Profile::read("profiles/platforms/ux500.toml", "platform")),
                              rig::read_card(sim::Profile::read("profiles/cards/ux500-emmc.toml", "card")));
    Run result{};
    board.run([&](rig::Stack& stack) {
        if (!stack.run(stack.card().bring_up())) throw std::runtime_error("the card does not come up");
        const host::Buffer memory = board.memory().allocate(2 * way.kib * 1024);
        Repeat source({way.direction, card::Bounding::open_ended, 0, way.kib * 2, 512, {}}, memory, count);
        block::Pipeline pipeline(stack.card(), source, way.depth);
        source.pipeline = &pipeline;
        const sim::Time from = board.machine().now();
        const auto began = std::chrono::steady_clock::now();
        const bool ended = stack.run(pipeline.run()).has_value();
        result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        result.virtual_seconds = static_cast<double>((board.machine().now() - from).ps) * 1e-12;
        if (!ended || source.failed) throw std::runtime_error("a request failed");
    });
    return result;
}

const char* name(host::Direction direction) { return direction == host::Direction::read ? "read" : "write"; }

/// Instructions of a whole run, from callgrind; 0 where it is not installed.
double instructions(const std::string& program, const Way& way, std::uint32_t count) {
    const std::string command =
        fmt::format("valgrind --tool=callgrind --callgrind-out-file=/dev/null {} {} {} {} {} 2>&1 >/dev/null", program,
                    name(way.direction), static_cast<int>(way.depth), way.kib, count);
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return 0;
    double collected = 0;
    std::array<char, 512> line;
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
        const std::string text = line.data();
        const auto at = text.find("Collected : ");
        if (at != std::string::npos) collected = std::strtod(text.c_str() + at + 12, nullptr);
    }
    pclose(pipe);
    return collected;
}

void table(const std::string& program) {
    constexpr std::uint32_t many = 20'000;
    constexpr std::uint32_t few = 500;
    constexpr std::uint32_t more = 1'500;
    fmt::print("{:28} {:>14} {:>12} {:>14}\n", "request", "instructions", "requests/s", "virtual/wall");
    for (const std::uint32_t kib : {4u, 64u}) {
        for (const host::Direction direction : {host::Direction::write, host::Direction::read}) {
            for (const block::Depth depth : {block::Depth::blocking, block::Depth::non_blocking}) {
                const Way way{direction, depth, kib};
                const std::uint32_t count = many / (kib / 4);
                const Run timed = run(way, count);
                const double each = (instructions(program, way, more) - instructions(program, way, few)) / (more - few);
                fmt::print("{:28} {:>14} {:>12.0f} {:>14.0f}\n",
                           fmt::format("{} KiB {} {}", kib,
                                       depth == block::Depth::blocking ? "blocking" : "non-blocking", name(direction)),
                           each > 0 ? fmt::format("{:.0f}", each) : "no valgrind", count / timed.wall_seconds,
                           timed.virtual_seconds / timed.wall_seconds);
            }
        }
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("memory: {:.0f} MiB at most\n", static_cast<double>(usage.ru_maxrss) / 1024);
}

} // namespace

int main(int argc, char** argv) try {
    if (argc == 1) {
        table(argv[0]);
        return 0;
    }
    if (argc != 5) {
        fmt::print(stderr, "usage: {} [read|write 1|2 KIB COUNT]\n", argv[0]);
        return 2;
    }
    const Way way{std::string(argv[1]) == "write" ? host::Direction::write : host::Direction::read,
                  argv[2][0] == '1' ? block::Depth::blocking : block::Depth::non_blocking,
                  static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10))};
    const Run timed = run(way, static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)));
    fmt::print("{} virtual seconds, {} wall seconds\n", timed.virtual_seconds, timed.wall_seconds);
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "bench_requests: {}\n", error.what());
    return 1;
}
