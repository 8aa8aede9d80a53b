#pragma once
// A FIFO of two halves: one is filled while the other is emptied. They change hands when the one is full, or is handed
// over as it is, and the other is empty.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mmcpipe::sim::controller {

class DualFifo {
public:
    static constexpr std::uint32_t half = 32;

    /// Bytes that can be put in now.
    std::uint32_t room() const { return filling_.over ? 0 : half - filling_.size; }
    /// Bytes that can be taken out now.
    std::uint32_t level() const { return emptying_.size - emptying_.taken; }
    bool empty() const { return level() == 0 && filling_.size == 0; }
    void clear() { filling_ = emptying_ = {}; }

    /// Puts in as many as there is room for; how many that were.
    std::uint32_t put(std::span<const std::byte> bytes) {
        std::uint32_t total = 0;
        while (total < bytes.size() && room() != 0) {
            const auto n = std::min(static_cast<std::uint32_t>(bytes.size()) - total, room());
            std::copy_n(bytes.begin() + total, n, filling_.bytes.begin() + filling_.size);
            filling_.size += n;
            total += n;
            if (filling_.size == half) hand_over();
        }
        return total;
    }
    /// What is being filled is all that comes for now.
    void hand_over() {
        if (filling_.size != 0) filling_.over = true;
        swap();
    }
    /// Takes out as many as there are; how many that were.
    std::uint32_t get(std::span<std::byte> bytes) {
        std::uint32_t total = 0;
        while (total < bytes.size() && level() != 0) {
            const auto n = std::min(static_cast<std::uint32_t>(bytes.size()) - total, level());
            std::copy_n(emptying_.bytes.begin() + emptying_.taken, n, bytes.begin() + total);
            emptying_.taken += n;
            total += n;
            swap();
        }
        return total;
    }
    /// Drops what is left in the half that is emptied.
    void drop() {
        emptying_ = {};
        swap();
    }

private:
    struct Half {
        std::array<std::byte, half> bytes{};
        std::uint32_t size = 0;
        std::uint32_t taken = 0;
        bool over = false; ///< full, or handed over
    };

    void swap() {
        if (!filling_.over || level() != 0) return;
        std::swap(filling_, emptying_);
        filling_ = {};
        emptying_.over = false;
    }

    Half filling_{};
    Half emptying_{};
};

} // namespace mmcpipe::sim::controller
