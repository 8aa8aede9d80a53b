#include "mmcpipe/base/histogram.h"

#include <bit>

namespace mmcpipe::base {

std::size_t Histogram::bucket_of(std::uint64_t value) {
    if (value < steps) return static_cast<std::size_t>(value);
    const auto high = static_cast<std::uint32_t>(value >> 32);
    const auto low = static_cast<std::uint32_t>(value);
    const unsigned width = static_cast<unsigned>(high != 0 ? 32 + std::bit_width(high) : std::bit_width(low));
    if (width > bits) return buckets - 1;
    // The leading bit says which power of two, the bits behind it which step.
    const unsigned shift = width - 1 - steps_log2;
    const auto leading = static_cast<std::uint32_t>(value >> shift);
    return (std::size_t{shift} << steps_log2) + leading;
}

std::uint64_t Histogram::begin_of(std::size_t bucket) {
    if (bucket < steps) return bucket;
    const unsigned shift = static_cast<unsigned>(bucket >> steps_log2) - 1;
    return std::uint64_t{steps + (bucket & (steps - 1))} << shift;
}

void Histogram::add(const Histogram& other) {
    for (std::size_t i = 0; i < buckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    if (other.max_ > max_) max_ = other.max_;
}

Histogram Histogram::since(const Histogram& earlier) const {
    Histogram difference;
    for (std::size_t i = 0; i < buckets; ++i) {
        difference.counts_[i] = counts_[i] - earlier.counts_[i];
        if (difference.counts_[i] != 0) difference.max_ = begin_of(i + 1) - 1;
    }
    if (difference.max_ == begin_of(buckets) - 1 || difference.max_ > max_) difference.max_ = max_;
    difference.count_ = count_ - earlier.count_;
    difference.sum_ = sum_ - earlier.sum_;
    return difference;
}

std::uint64_t Histogram::percentile(Share share) const {
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i + 1 < buckets; ++i) {
        so_far += counts_[i];
        if (so_far == 0 || so_far * 10'000 < count_ * share.parts) continue; // a division would be the same
        const std::uint64_t last = begin_of(i + 1) - 1;
        return last < max_ ? last : max_;
    }
    return max_;
}

} // namespace mmcpipe::base
