#pragma once
// Histogram: how often which value came, in buckets of fixed number that grow with the value. What is read back is at
// most 1/32 (3.2 %) above what was put in. It never allocates, and adding takes a few instructions, so that it can be
// always on. Any unit will do; latencies are kept in nanoseconds, up to 18 minutes.

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::base {

/// A share of all values, in parts of ten thousand: `share_99_9` asks for the 99.9th percentile.
struct Share {
    std::uint16_t parts;
};

constexpr Share share_50{5'000};
constexpr Share share_99{9'900};
constexpr Share share_99_9{9'990};
constexpr Share share_99_99{9'999};

/// Values below 32 have a bucket each. From there on, each power of two is cut into 32 buckets of equal width.
class Histogram {
public:
    static constexpr unsigned steps_log2 = 5;
    static constexpr unsigned steps = 1u << steps_log2; ///< buckets a power of two
    static constexpr unsigned bits = 40;                ///< of the largest value that has a bucket of its own
    static constexpr std::size_t buckets = std::size_t{bits - steps_log2 + 1} << steps_log2;

    /// Larger values than the buckets can tell apart go into the last one; `max` and `sum` know them exactly.
    void add(std::uint64_t value) {
        ++counts_[bucket_of(value)];
        ++count_;
        sum_ += value;
        if (value > max_) max_ = value;
    }
    /// All that `other` has.
    void add(const Histogram& other);

    /// What came since `earlier`, a copy of this histogram made then. Of its `max` no more is known than the bucket.
    Histogram since(const Histogram& earlier) const;

    std::uint64_t count() const { return count_; }
    std::uint64_t sum() const { return sum_; }
    /// The largest value; 0 if there is none.
    std::uint64_t max() const { return max_; }
    /// The smallest value that `share` of all do not exceed, rounded up to the end of its bucket, but not beyond `max`;
    /// 0 if there is none.
    std::uint64_t percentile(Share share) const;

    /// How many values are in a bucket: from `begin_of(bucket)` to below `begin_of(bucket + 1)`.
    std::uint32_t in_bucket(std::size_t bucket) const { return counts_[bucket]; }

    static std::size_t bucket_of(std::uint64_t value);
    /// The smallest value of a bucket. `buckets` is one behind the last.
    static std::uint64_t begin_of(std::size_t bucket);

private:
    std::array<std::uint32_t, buckets> counts_{}; ///< each may wrap; differences do not mind
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t max_ = 0;
};

} // namespace mmcpipe::base
