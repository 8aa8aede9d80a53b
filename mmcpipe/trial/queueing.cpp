#include "mmcpipe/trial/queueing.h"

#include "mmcpipe/block/device.h"
#include "mmcpipe/block/turns.h"
#include "mmcpipe/trial/pattern.h"
#include "mmcpipe/trial/random.h"
#include "mmcpipe/trial/stamped.h"

#include <array>
#include <cstddef>

namespace mmcpipe::trial {

using base::Result;
using base::Task;

namespace {

constexpr std::uint32_t sectors = 24;
constexpr std::uint32_t longest = 5; ///< of a request
constexpr std::size_t at_once = 12;  ///< requests; each has a buffer of its own
constexpr std::uint32_t rounds = 8;
constexpr std::uint32_t longest_transfer = 6; ///< so that merged ones are cut, too

/// By sector, the seed of what was written there last.
using Seeds = std::array<std::uint32_t, sectors>;

struct Job : block::Request {
    host::Buffer buffer{};
    std::array<std::uint32_t, longest> expected{}; ///< of a read, by sector
    std::uint32_t seed = 0;                        ///< of a write
};

class Traffic {
public:
    Traffic(Bench& bench, std::uint32_t first) : first_(first) {
        for (std::size_t i = 0; i < jobs_.size(); ++i) {
            jobs_[i].buffer = bench.memory().subspan(bytes_of(1) + i * bytes_of(longest), bytes_of(longest));
            jobs_[i].done = [](block::Request&) noexcept {};
        }
        before_.fill(1);
    }

    /// What is there before: seed 1.
    const Seeds& seeds() const { return before_; }

    void submit(block::Device& device) {
        for (Job& job : jobs_) {
            const std::uint32_t count = 1 + random_.below(longest);
            const std::uint32_t at = random_.below(sectors - count + 1);
            const bool writes = random_.below(3) != 0;
            job.operation = writes ? block::Operation::write : block::Operation::read;
            job.sector = first_ + at;
            job.sectors = count;
            job.buffers = {&job.buffer, 1};
            job.seed = ++seed_;
            Pattern pattern(job.seed, first_ + at);
            blank(job.buffer);
            if (writes) fill(job.buffer.first(bytes_of(count)), pattern);
            for (std::uint32_t i = 0; i < count; ++i) {
                job.expected[i] = before_[at + i];
                if (writes) before_[at + i] = job.seed;
            }
            device.submit(job);
        }
    }

    bool all_well() const {
        bool well = true;
        for (const Job& job : jobs_) {
            well &= !job.failure && job.done_bytes == bytes_of(job.sectors);
            if (job.operation != block::Operation::read) continue;
            for (std::uint32_t i = 0; i < job.sectors; ++i) {
                Pattern pattern(job.expected[i], static_cast<std::uint32_t>(job.sector) + i);
                well &= matches(job.buffer.subspan(bytes_of(i), bytes_of(1)), pattern);
            }
        }
        return well;
    }

private:
    const std::uint32_t first_;
    Random random_{1};
    Seeds before_{};
    std::uint32_t seed_ = 1;
    std::array<Job, at_once> jobs_{};
};

} // namespace

Task<Result<Outcome>> queued_traffic(Bench& bench) {
    const std::uint32_t first = ground(bench);
    co_await stamp(bench, first, sectors, 1);
    Traffic traffic(bench, first);
    for (std::uint32_t round = 0; round < rounds; ++round) {
        block::Turns turns;
        block::AtOnce completer;
        block::Device device(bench.card(), turns, completer,
                             {.bounding = card::Bounding::open_ended, .most_sectors = longest_transfer});
        traffic.submit(device);
        device.stop();
        co_await device.run();
        if (!traffic.all_well()) co_return Outcome::failed;
    }
    for (std::uint32_t i = 0; i < sectors; ++i) {
        const bool there = co_await stamped(bench, first + i, 1, traffic.seeds()[i]);
        if (!there) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
