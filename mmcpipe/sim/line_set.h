#pragma once
// LineSet: which cache lines of a page. One bit stands for 32 bytes, the shortest line; a longer line has several.

#include "mmcpipe/sim/page.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::sim {

class LineSet {
public:
    static constexpr std::size_t granule = 32;

    constexpr LineSet() = default;
    static constexpr LineSet all() { return LineSet(~std::uint64_t{0}, ~std::uint64_t{0}); }
    /// The bytes begin..end of a page, multiples of `granule`; not empty.
    static constexpr LineSet of(std::size_t begin, std::size_t end) {
        const std::size_t first = begin / granule;
        const std::size_t last = end / granule;
        return below(last).without(below(first));
    }

    constexpr bool any() const { return (words_[0] | words_[1]) != 0; }
    constexpr bool none() const { return !any(); }
    constexpr bool operator==(const LineSet&) const = default;
    constexpr LineSet operator|(const LineSet& other) const {
        return LineSet(words_[0] | other.words_[0], words_[1] | other.words_[1]);
    }
    constexpr LineSet operator&(const LineSet& other) const {
        return LineSet(words_[0] & other.words_[0], words_[1] & other.words_[1]);
    }
    constexpr LineSet without(const LineSet& other) const {
        return LineSet(words_[0] & ~other.words_[0], words_[1] & ~other.words_[1]);
    }

    /// Calls `act(begin, size)`, in bytes of the page, for every run of lines that stand side by side.
    template <class Act>
    constexpr void for_each_run(Act&& act) const {
        for (std::size_t bit = 0; (bit = next(bit, true)) < bits;) {
            const std::size_t end = next(bit, false);
            act(bit * granule, (end - bit) * granule);
            bit = end;
        }
    }

private:
    static constexpr std::size_t bits = page_size / granule;
    static_assert(bits == 128);

    constexpr LineSet(std::uint64_t low, std::uint64_t high) : words_{low, high} {}

    static constexpr LineSet below(std::size_t bit) {
        if (bit == bits) return all();
        const std::uint64_t mask = (std::uint64_t{1} << bit % 64) - 1;
        return bit < 64 ? LineSet(mask, 0) : LineSet(~std::uint64_t{0}, mask);
    }

    /// The first bit from `bit` on with this value, or `bits`.
    constexpr std::size_t next(std::size_t bit, bool value) const {
        for (; bit < bits; bit = (bit / 64 + 1) * 64) {
            const std::uint64_t word = (value ? words_[bit / 64] : ~words_[bit / 64]) >> bit % 64;
            if (word != 0) return bit + static_cast<std::size_t>(std::countr_zero(word));
        }
        return bits;
    }

    std::array<std::uint64_t, 2> words_{};
};

} // namespace mmcpipe::sim
