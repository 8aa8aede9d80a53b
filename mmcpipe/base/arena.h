#pragma once
// Where coroutine frames live: memory handed in once, blocks of a few sizes, no heap.

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace mmcpipe::base {

/// Gives out blocks from a fixed piece of memory. A freed block waits in the list of its size: frames have few sizes,
/// the same ones again and again, so nothing has to be merged.
class FrameArena {
public:
    static constexpr std::size_t granule = 64;
    static constexpr std::size_t largest = 16 * 1024;

    /// `memory` must outlive the arena and be aligned to `granule`, as then all blocks are: frames may hold buffers
    /// that begin a cache line.
    explicit FrameArena(std::span<std::byte> memory) : rest_(memory) {}
    FrameArena(const FrameArena&) = delete;
    FrameArena& operator=(const FrameArena&) = delete;

    /// A block of at least `size` bytes, or nullptr when the memory is used up or `size` exceeds `largest`.
    void* allocate(std::size_t size) noexcept {
        const std::size_t index = (size + granule - 1) / granule;
        if (index >= free_.size()) return nullptr;
        if (Free* block = free_[index]) {
            free_[index] = block->next;
            return block;
        }
        const std::size_t bytes = index * granule;
        if (rest_.size() < bytes) return nullptr;
        void* block = rest_.data();
        rest_ = rest_.subspan(bytes);
        return block;
    }

    void free(void* block, std::size_t size) noexcept {
        const std::size_t index = (size + granule - 1) / granule;
        Free* entry = ::new (block) Free{free_[index]};
        free_[index] = entry;
    }

    /// Bytes that were never given out: what a firmware could do with less.
    std::size_t untouched() const { return rest_.size(); }

private:
    struct Free {
        Free* next;
    };

    std::span<std::byte> rest_;
    std::array<Free*, largest / granule + 1> free_{};
};

/// An arena with its memory.
template <std::size_t Bytes>
class StaticFrameArena : public FrameArena {
public:
    StaticFrameArena() : FrameArena(memory_) {}

private:
    alignas(FrameArena::granule) std::array<std::byte, Bytes> memory_;
};

} // namespace mmcpipe::base
