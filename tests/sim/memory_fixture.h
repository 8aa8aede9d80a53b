#pragma once
// A memory with an engine that moves data in and out of it, for the tests of sim/memory.

#include "mmcpipe/sim/memory.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace mmcpipe::sim {

using Bytes = std::span<std::byte>;

inline constexpr std::byte old_data{0x0d};
inline constexpr std::byte stored{0x5d};
inline constexpr std::byte new_data{0x4e};

inline void fill(Bytes range, std::byte value) { std::memset(range.data(), std::to_integer<int>(value), range.size()); }

inline bool all(std::span<const std::byte> range, std::byte value) {
    return std::ranges::all_of(range, [=](std::byte byte) { return byte == value; });
}

/// Nothing costs anything here.
class MemoryTest : public testing::Test {
protected:
    explicit MemoryTest(const MemoryLayout& layout = {.size = 256 * page_size}) : memory(machine, layout) {}

    /// A buffer of which CPU, cache and DRAM agree that it holds `value`.
    Bytes buffer(std::size_t size, std::byte value, std::size_t alignment = page_size) {
        const Bytes range = memory.allocate(size, alignment);
        fill(range, value);
        clean_now(range);
        begin_and_end(range, false);
        return range;
    }

    void clean_now(Bytes range) {
        memory.clean(range);
        memory.barrier();
    }
    void invalidate_now(Bytes range) {
        memory.invalidate(range);
        memory.barrier();
    }

    port::BusAddress address(Bytes range) { return memory.bus_address(range.data()); }

    void begin_and_end(Bytes range, bool to_memory) {
        memory.dma_begins(address(range), range.size(), to_memory);
        memory.dma_ends(address(range), range.size(), to_memory);
    }

    /// The engine fills the range from `source`, page by page.
    void put(Bytes range, const PageRef& source) {
        for (std::size_t at = 0; at < range.size();) {
            const std::size_t piece = std::min(range.size() - at, page_size - (address(range) + at) % page_size);
            ASSERT_TRUE(memory.dma_write(address(range) + at, Chunk{source, 0, static_cast<std::uint16_t>(piece)}));
            at += piece;
        }
    }

    void dma_to_memory(Bytes range, const PageRef& source) {
        memory.dma_begins(address(range), range.size(), true);
        put(range, source);
        memory.dma_ends(address(range), range.size(), true);
    }
    void dma_to_memory(Bytes range, std::byte value) { dma_to_memory(range, PageRef::filled(value)); }

    /// What the engine finds in the range.
    std::vector<std::byte> dma_from_memory(Bytes range) {
        std::vector<std::byte> found;
        memory.dma_begins(address(range), range.size(), false);
        while (found.size() < range.size()) {
            const Chunk chunk = memory.dma_read(address(range) + found.size(), range.size() - found.size());
            if (chunk.empty()) break;
            found.insert(found.end(), bytes(chunk).begin(), bytes(chunk).end());
        }
        memory.dma_ends(address(range), range.size(), false);
        return found;
    }

    Engine engine;
    Machine machine{engine};
    Memory memory;
};

} // namespace mmcpipe::sim
