#include "mmcpipe/trial/traffic.h"

#include "mmcpipe/trial/pattern.h"
#include "mmcpipe/trial/random.h"
#include "mmcpipe/trial/series.h"
#include "mmcpipe/trial/stamped.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using host::Direction;

namespace {

/// One request of a traffic, by its number.
struct Step {
    Direction direction;
    std::uint32_t sector; ///< from the beginning of the traffic's sectors
    std::uint32_t blocks;
};

struct Plan {
    std::uint32_t steps;
    std::uint32_t sectors; ///< that the traffic stays in
    std::uint32_t most_blocks;
    Step (*step)(const Plan& plan, std::uint32_t n);
};

/// Where and how long, the same for the same number.
Step somewhere(const Plan& plan, std::uint32_t n, Direction direction) {
    Random random(n);
    const std::uint32_t blocks = 1 + random.below(plan.most_blocks);
    return {direction, random.below(plan.sectors - blocks + 1), blocks};
}

Step at_random(const Plan& plan, std::uint32_t n) {
    return somewhere(plan, n, Random(~n).below(2) == 0 ? Direction::read : Direction::write);
}

Step written_then_read(const Plan& plan, std::uint32_t n) {
    return somewhere(plan, n / 2, n % 2 == 0 ? Direction::write : Direction::read);
}

/// Reads and writes that know what each sector has to hold when they come to it. A sector's version is counted up each
/// time that it is written, and is the seed of its pattern.
class Traffic final : public Series {
public:
    Traffic(Bench& bench, const Plan& plan)
        : Series(plan.steps),
          plan_(plan),
          first_(ground(bench)),
          bounded_(bench.properties().set_block_count),
          versions_(bench.memory().last(plan.sectors)) {
        const std::span<std::byte> rest = bench.memory().first(bench.memory().size() - notes(plan));
        const std::span<std::byte> expected = bench.memory().subspan(rest.size(), lanes_.size() * plan.most_blocks);
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            lanes_[i].buffer = rest.subspan(i * (rest.size() / 1024 * 512), bytes_of(plan.most_blocks));
            lanes_[i].expected = expected.subspan(i * plan.most_blocks, plan.most_blocks);
        }
        std::ranges::fill(versions_, std::byte{0});
    }

    /// The longest request that a plan can have with this memory.
    static std::uint32_t room(const Bench& bench, const Plan& plan) {
        const std::size_t lane = (bench.memory().size() - notes(plan)) / 1024;
        return static_cast<std::uint32_t>(std::min<std::size_t>(lane, bench.largest_request() / 512));
    }

    bool intact() const { return intact_; }
    std::uint32_t version(std::uint32_t sector) const { return std::to_integer<std::uint32_t>(versions_[sector]); }

private:
    struct Lane {
        host::Buffer whole{}; ///< of the request
        host::Buffer buffer{};
        std::span<std::byte> expected{}; ///< a read's: the versions, as they are when its turn comes
    };

    /// At the end of the memory: versions, and what the two lanes expect; whole cache lines.
    static std::uint32_t notes(const Plan& plan) { return (plan.sectors + 2 * plan.most_blocks + 63) / 64 * 64; }

    void begin(std::uint32_t n, block::Transfer& transfer) noexcept override {
        const Step step = plan_.step(plan_, n);
        Lane& lane = lanes_[n % 2];
        lane.whole = lane.buffer.first(bytes_of(step.blocks));
        transfer.wanted.direction = step.direction;
        transfer.wanted.sector = first_ + step.sector;
        transfer.wanted.blocks = step.blocks;
        transfer.wanted.buffers = {&lane.whole, 1};
        const bool many = step.blocks > 1;
        transfer.wanted.bounding = !many                        ? card::Bounding::single
                                   : bounded_ && n / 2 % 2 == 0 ? card::Bounding::predefined
                                                                : card::Bounding::open_ended;

        if (step.direction == Direction::read) blank(lane.whole);
        for (std::uint32_t i = 0; i < step.blocks; ++i) {
            std::byte& version = versions_[step.sector + i];
            if (step.direction == Direction::read) {
                lane.expected[i] = version;
                continue;
            }
            version = static_cast<std::byte>(std::to_integer<unsigned>(version) + 1);
            Pattern pattern(std::to_integer<std::uint32_t>(version), first_ + step.sector + i);
            fill(lane.whole.subspan(bytes_of(i), 512), pattern);
        }
    }

    void end(std::uint32_t n, const block::Transfer& transfer) noexcept override {
        if (transfer.wanted.direction == Direction::write) return;
        const Lane& lane = lanes_[n % 2];
        for (std::uint32_t i = 0; i < transfer.wanted.blocks; ++i) {
            Pattern pattern(std::to_integer<std::uint32_t>(lane.expected[i]),
                            static_cast<std::uint32_t>(transfer.wanted.sector) + i);
            intact_ &= matches(lane.whole.subspan(bytes_of(i), 512), pattern);
        }
    }

    Plan plan_;
    std::uint32_t first_;
    bool bounded_; ///< the card has CMD23: every other long request uses it
    std::span<std::byte> versions_;
    std::array<Lane, 2> lanes_{};
    bool intact_ = true;
};

/// A request over one list of buffers, in pieces.
class Pieces final : public Series {
public:
    Pieces(const card::Transfer& whole, std::uint32_t piece_blocks)
        : Series((whole.blocks + piece_blocks - 1) / piece_blocks), whole_(whole), piece_(piece_blocks) {}

private:
    void begin(std::uint32_t n, block::Transfer& transfer) noexcept override {
        transfer.wanted = whole_;
        transfer.wanted.sector += std::uint64_t{n} * piece_;
        transfer.wanted.blocks = std::min(piece_, whole_.blocks - n * piece_);
        transfer.buffer_offset = n * piece_ * 512;
    }
    void end(std::uint32_t, const block::Transfer&) noexcept override {}

    card::Transfer whole_;
    std::uint32_t piece_;
};

/// Version 0 everywhere, traffic, and, if asked for, a look at every sector.
Task<Result<Outcome>> traffic(Bench& bench, Plan plan, bool look_at_all) {
    plan.most_blocks = std::min(plan.most_blocks, Traffic::room(bench, plan));
    const std::uint32_t first = ground(bench);
    co_await stamp(bench, first, plan.sectors, 0);
    Traffic series(bench, plan);
    co_await run(bench, series, block::Depth::non_blocking);
    for (std::uint32_t n = 0; look_at_all && n < plan.sectors; ++n) {
        const bool held = co_await stamped(bench, first + n, 1, series.version(n));
        if (!held) co_return Outcome::failed;
    }
    co_return series.intact() ? Outcome::ok : Outcome::failed;
}

} // namespace

Task<Result<Outcome>> cut_request(Bench& bench) {
    constexpr std::size_t most_bytes = 4 * 1024 * 1024;
    const std::size_t bytes = std::min(bench.memory().size(), most_bytes) / 512 * 512;
    const std::uint32_t first = ground(bench);
    card::Transfer whole;
    whole.bounding = card::Bounding::open_ended;
    whole.sector = first;
    whole.blocks = std::min(static_cast<std::uint32_t>(bytes) / 512, bench.sectors() - first);
    const std::uint32_t piece = std::min(bench.largest_request() / 512, (whole.blocks + 3) / 4);

    // No buffer ends with a sector, but the last one.
    const host::Buffer data = bench.memory().first(bytes_of(whole.blocks));
    const std::size_t third = data.size() / 3 / 64 * 64 + 32;
    const std::array<host::Buffer, 3> list{data.first(third), data.subspan(third, third), data.subspan(2 * third)};
    whole.buffers = list;

    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
        fill(list, Pattern(seed, first));
        whole.direction = Direction::write;
        Pieces writes(whole, piece);
        co_await run(bench, writes, block::Depth::non_blocking);

        blank(data);
        whole.direction = Direction::read;
        Pieces reads(whole, piece);
        co_await run(bench, reads, block::Depth::non_blocking);
        if (!matches(list, Pattern(seed, first))) co_return Outcome::failed;
    }
    co_return Outcome::ok;
}

Task<Result<Outcome>> large_traffic(Bench& bench) { return traffic(bench, {200, 512, 128, at_random}, false); }

Task<Result<Outcome>> read_behind_write(Bench& bench) {
    return traffic(bench, {200, 256, 16, written_then_read}, false);
}

Task<Result<Outcome>> small_traffic(Bench& bench) { return traffic(bench, {1000, 256, 8, at_random}, true); }

} // namespace mmcpipe::trial
