#pragma once
// The data FIFO of a controller, in bytes: the wire side fills or empties it in slices, the CPU in words.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::sim::controller {

class ByteFifo {
public:
    static constexpr std::uint32_t largest = 4096;

    explicit ByteFifo(std::uint32_t capacity) : capacity_(capacity) {}

    std::uint32_t level() const { return level_; }
    std::uint32_t room() const { return capacity_ - level_; }
    void clear() { level_ = first_ = 0; }

    /// Puts in as many as there is room for; how many that were.
    std::uint32_t put(std::span<const std::byte> bytes) {
        const auto n = std::min(static_cast<std::uint32_t>(bytes.size()), room());
        for (std::uint32_t i = 0; i < n; ++i) bytes_[(first_ + level_ + i) % largest] = bytes[i];
        level_ += n;
        return n;
    }
    /// Takes out as many as there are; how many that were.
    std::uint32_t get(std::span<std::byte> bytes) {
        const auto n = std::min(static_cast<std::uint32_t>(bytes.size()), level_);
        for (std::uint32_t i = 0; i < n; ++i) bytes[i] = bytes_[(first_ + i) % largest];
        first_ = (first_ + n) % largest;
        level_ -= n;
        return n;
    }

private:
    std::array<std::byte, largest> bytes_{};
    std::uint32_t capacity_;
    std::uint32_t first_ = 0;
    std::uint32_t level_ = 0;
};

} // namespace mmcpipe::sim::controller
