#include "mmcpipe/block/packing.h"

#include <algorithm>

namespace mmcpipe::block {

namespace {

/// What takes longer than was known counts at once, what takes less by an eighth: a card is fast as long as its buffer
/// takes what comes, and bounds are for when it does not.
std::uint32_t towards(std::uint32_t known, std::uint32_t seen) {
    if (known <= seen) return seen;
    return known - known / 8 + seen / 8;
}

} // namespace

void Pace::learn(host::Direction direction, std::uint32_t sectors, base::Duration took) {
    // 32 bits: the core divides no others. Four seconds say as much as longer ones.
    const auto ns = static_cast<std::uint32_t>(std::clamp<std::int64_t>(took.ns, 0, 4'000'000'000));
    Way& way = ways_[static_cast<std::size_t>(direction)];
    if (sectors <= few) {
        way.each_us = towards(way.each_us, ns / 1000);
    } else {
        const std::uint32_t each = std::min(way.each_us * 1000, ns);
        way.sector_ns = towards(way.sector_ns, (ns - each) / sectors);
    }
}

base::Duration Pace::expected(host::Direction direction, std::uint32_t sectors) const {
    const Way& way = ways_[static_cast<std::size_t>(direction)];
    return base::microseconds(way.each_us) + base::nanoseconds(way.sector_ns) * sectors;
}

} // namespace mmcpipe::block
