#pragma once
// Random numbers that are the same each time: xorshift with the shifts 13, 17, 5 (Marsaglia 2003).

#include <cstdint>

namespace mmcpipe::trial {

class Random {
public:
    /// Any seed will do.
    constexpr explicit Random(std::uint32_t seed) : state_(seed * 2654435761u | 1u) {
        for (int i = 0; i < 4; ++i) next();
    }

    constexpr std::uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }
    /// 0 to `count` - 1; `count` is not 0.
    constexpr std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>(std::uint64_t{next()} * count >> 32);
    }

private:
    std::uint32_t state_;
};

} // namespace mmcpipe::trial
