// What a simulated request costs the machine that simulates it: instructions (counted by callgrind, as the difference
// of a long and a short run), requests a second, virtual over wall time, memory.
//
//     bench_requests                              the table, for each way a request can go
//     bench_requests read|write depth kib count [device]   one run; prints virtual and wall seconds

#include "mmcpipe/block/device.h"
#include "mmcpipe/block/pipeline.h"
#include "mmcpipe/block/turns.h"
#include "mmcpipe/rig/simulated_board.h"

#include <algorithm>
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

/// Requests to the block device, several under way, no two next to each other.
struct Client : block::Request {
    block::Device* device = nullptr;
    std::uint32_t* left = nullptr;
    bool failed = false;

    static void again(block::Request& request) noexcept {
        Client& self = static_cast<Client&>(request);
        self.failed |= self.failure.has_value();
        if (*self.left == 0) return;
        --*self.left;
        self.sector = (self.sector + 1'000'003 * 8) % 2'000'000;
        self.device->submit(self);
    }
};

struct Way {
    host::Direction direction;
    block::Depth depth;
    std::uint32_t kib;
    bool device = false; ///< through the whole block device
};

/// `count` requests over a pipeline of their own.
bool through_pipeline(const Way& way, rig::Stack& stack, host::Buffer memory, std::uint32_t count) {
    Repeat source({way.direction, card::Bounding::open_ended, 0, way.kib * 2, 512, {}}, memory, count);
    block::Pipeline pipeline(stack.card(), source, way.depth);
    source.pipeline = &pipeline;
    return stack.run(pipeline.run()).has_value() && !source.failed;
}

bool through_device(const Way& way, rig::Stack& stack, host::Buffer memory, std::uint32_t count) {
    block::Turns turns;
    block::AtOnce at_once;
    block::Statistics statistics;
    block::Device device(stack.card(), turns, at_once, {.depth = way.depth, .statistics = &statistics});
    std::array<Client, 8> clients;
    const std::size_t size = memory.size() / clients.size();
    std::array<host::Buffer, clients.size()> buffers;
    std::uint32_t left = count - static_cast<std::uint32_t>(clients.size());
    for (std::size_t i = 0; i < clients.size(); ++i) {
        Client& client = clients[i];
        buffers[i] = memory.subspan(i * size, size);
        client.operation = way.direction == host::Direction::read ? block::Operation::read : block::Operation::write;
        client.sector = i * 80'000;
        client.sectors = way.kib * 2;
        client.buffers = {&buffers[i], 1};
        client.done = Client::again;
        client.device = &device;
        client.left = &left;
    }
    for (Client& client : clients) device.submit(client);
    auto running = device.run();
    running.start();
    stack.executor().run_until([&] { return left == 0; });
    device.stop();
    stack.executor().run_until([&] { return running.done(); });
    return std::ranges::none_of(clients, &Client::failed);
}

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
        const host::Buffer memory = board.memory().allocate(8 * way.kib * 1024);
        const sim::Time from = board.machine().now();
        const auto began = std::chrono::steady_clock::now();
        const bool well = (way.device ? through_device : through_pipeline)(way, stack, memory, count);
        result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        result.virtual_seconds = static_cast<double>((board.machine().now() - from).ps) * 1e-12;
        if (!well) throw std::runtime_error("a request failed");
    });
    return result;
}

const char* name(host::Direction direction) { return direction == host::Direction::read ? "read" : "write"; }

/// Instructions of a whole run, from callgrind; 0 where it is not installed.
double instructions(const std::string& program, const Way& way, std::uint32_t count) {
    const std::string command = fmt::format(
        "valgrind --tool=callgrind --callgrind-out-file=/dev/null {} {} {} {} {} {} 2>&1 >/dev/null", program,
        name(way.direction), static_cast<int>(way.depth), way.kib, count, way.device ? "device" : "");
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

/// Cases 37 to 44 as the command runs them: processor time and memory of the whole program.
void main_job(const std::string& mmcpipe) {
    constexpr double virtual_seconds = 540;
    const int status =
        std::system(fmt::format("{} test --platform ux500 --cases 37-44 >/dev/null", mmcpipe).c_str()); // NOLINT
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    if (status != 0) throw std::runtime_error("the main job failed: is build/release/bin/mmcpipe there?");
    const double seconds =
        static_cast<double>(usage.ru_utime.tv_sec) + static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
    fmt::print("mmc_test 37-44: {:.0f} virtual seconds in {:.2f} s of processor time ({:.0f} times), {:.0f} MiB\n",
               virtual_seconds, seconds, virtual_seconds / seconds, static_cast<double>(usage.ru_maxrss) / 1024);
}

void table(const std::string& program) {
    main_job(program.substr(0, program.rfind('/') + 1) + "../bin/mmcpipe"); // first: the usage is that of all children
    constexpr std::uint32_t many = 20'000;
    constexpr std::uint32_t few = 500;
    constexpr std::uint32_t more = 1'500;
    fmt::print("{:36} {:>14} {:>12} {:>14}\n", "request", "instructions", "requests/s", "virtual/wall");
    const auto row = [&](const Way& way, const std::string& label) {
        const std::uint32_t count = many / (way.kib / 4);
        const Run timed = run(way, count);
        const double each = (instructions(program, way, more) - instructions(program, way, few)) / (more - few);
        fmt::print("{:36} {:>14} {:>12.0f} {:>14.0f}\n", label, each > 0 ? fmt::format("{:.0f}", each) : "no valgrind",
                   count / timed.wall_seconds, timed.virtual_seconds / timed.wall_seconds);
    };
    for (const std::uint32_t kib : {4u, 64u}) {
        for (const host::Direction direction : {host::Direction::write, host::Direction::read}) {
            for (const block::Depth depth : {block::Depth::blocking, block::Depth::non_blocking}) {
                row({direction, depth, kib},
                    fmt::format("{} KiB {} {}", kib, depth == block::Depth::blocking ? "blocking" : "non-blocking",
                                name(direction)));
            }
        }
    }
    for (const host::Direction direction : {host::Direction::write, host::Direction::read}) {
        row({direction, block::Depth::non_blocking, 4, true},
            fmt::format("4 KiB {}, the whole block device", name(direction)));
    }
}

} // namespace

int main(int argc, char** argv) try {
    if (argc == 1) {
        table(argv[0]);
        return 0;
    }
    if (argc != 5 && argc != 6) {
        fmt::print(stderr, "usage: {} [read|write 1|2 KIB COUNT [device]]\n", argv[0]);
        return 2;
    }
    const Way way{std::string(argv[1]) == "write" ? host::Direction::write : host::Direction::read,
                  argv[2][0] == '1' ? block::Depth::blocking : block::Depth::non_blocking,
                  static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)), argc == 6};
    const Run timed = run(way, static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)));
    fmt::print("{} virtual seconds, {} wall seconds\n", timed.virtual_seconds, timed.wall_seconds);
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "bench_requests: {}\n", error.what());
    return 1;
}
