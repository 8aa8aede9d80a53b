#include "mmcpipe/trial/random_performance.h"

#include "mmcpipe/trial/area.h"
#include "mmcpipe/trial/random.h"

#include <algorithm>
#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;
using host::Direction;

namespace {

constexpr base::Duration run_time = base::seconds(10);

/// Places for requests of one size.
class Places {
public:
    Places(const Bench& bench, std::uint32_t request_bytes)
        : first_(bench.sectors() / 4),
          unit_(std::max(preferred_unit(bench), request_bytes / 512)),
          units_(bench.sectors() / 4 / unit_),
          request_(request_bytes / 512),
          random_(request_) {}

    bool enough() const { return units_ >= 2; }

    std::uint32_t next() {
        // Any unit but the last one.
        last_ = (last_ + 1 + random_.below(units_ - 1)) % units_;
        return first_ + last_ * unit_ + random_.below(unit_ / request_) * request_;
    }

private:
    std::uint32_t first_;
    std::uint32_t unit_;
    std::uint32_t units_;
    std::uint32_t request_;
    Random random_;
    std::uint32_t last_ = 0;
};

/// Requests of one size until the time is over.
Task<Result<Row>> transfer_at_random(Bench& bench, Direction direction, std::uint32_t bytes, Places places) {
    Transfers one{direction, 0, bytes, 1, in_one_piece(bench, bytes)};
    Row row{0, bytes, 1, {}};
    const base::Instant begin = bench.now();
    while (row.took < run_time) {
        one.first = places.next();
        co_await transfer(bench, one);
        ++row.requests;
        row.took = bench.now() - begin;
    }
    co_return row;
}

} // namespace

Task<Result<Outcome>> random_by_size(Bench& bench, Sink& sink, Direction direction) {
    const std::optional<Area> area = test_area(bench);
    if (!area) co_return Outcome::unsupported_by_card;
    const std::uint32_t largest = largest_request(bench, *area);
    for (std::uint32_t bytes = 512; bytes != 0; bytes = next_size(bytes, largest)) {
        const Places places(bench, bytes);
        if (!places.enough()) co_return Outcome::unsupported_by_card;
        if (direction == Direction::write) co_await transfer_at_random(bench, direction, bytes, places);
        const Row row = co_await transfer_at_random(bench, direction, bytes, places);
        sink.transferred(row);
    }
    co_return Outcome::ok;
}

} // namespace mmcpipe::trial
