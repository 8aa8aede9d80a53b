#pragma once
// Patterns that tell where a byte belongs: each byte depends on its sector, its place in the sector, and a seed that
// is another one for each time that something is written. A block in the wrong place, a shifted byte and data from
// before all read as something else.

#include "mmcpipe/host/request.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::trial {

/// The size of so many sectors.
constexpr std::size_t bytes_of(std::uint32_t sectors) { return std::size_t{sectors} * 512; }

/// The bytes of a pattern from some sector on, one after another, over as many sectors as are asked for.
class Pattern {
public:
    constexpr Pattern(std::uint32_t seed, std::uint32_t sector)
        : seed_(mixed(~seed)), sector_(sector), base_(mixed(seed_ + sector)) {}

    constexpr std::byte next() {
        if (place_ == 512) {
            base_ = mixed(seed_ + ++sector_);
            place_ = 0;
        }
        if ((place_ & 3u) == 0) word_ = mixed(base_ + place_);
        return static_cast<std::byte>(word_ >> 8 * (place_++ & 3u) & 0xffu);
    }

private:
    /// Each bit of the result depends on every bit of `x` (multipliers found by search, "hash prospector" by Chris
    /// Wellons).
    static constexpr std::uint32_t mixed(std::uint32_t x) {
        x = (x ^ x >> 16) * 0x21f0aaadu;
        x = (x ^ x >> 15) * 0xd35a2d97u;
        return x ^ x >> 15;
    }

    std::uint32_t seed_;
    std::uint32_t sector_;
    std::uint32_t base_; ///< of the sector's words
    std::uint32_t place_ = 0;
    std::uint32_t word_ = 0;
};

/// Puts the pattern's next bytes there.
constexpr void fill(std::span<std::byte> bytes, Pattern& pattern) {
    for (std::byte& byte : bytes) byte = pattern.next();
}

/// The bytes are the pattern's next ones.
constexpr bool matches(std::span<const std::byte> bytes, Pattern& pattern) {
    bool all = true;
    for (const std::byte byte : bytes) all &= byte == pattern.next();
    return all;
}

/// The same over a list of pieces.
constexpr void fill(std::span<const host::Buffer> pieces, Pattern pattern) {
    for (const host::Buffer piece : pieces) fill(piece, pattern);
}
constexpr bool matches(std::span<const host::Buffer> pieces, Pattern pattern) {
    return std::ranges::all_of(pieces, [&](host::Buffer piece) { return matches(piece, pattern); });
}

/// Something else than any pattern in use here: a buffer that holds it has not been written to since.
constexpr void blank(std::span<std::byte> bytes) { std::ranges::fill(bytes, std::byte{0xdb}); }
constexpr bool is_blank(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0xdb}; });
}

} // namespace mmcpipe::trial
