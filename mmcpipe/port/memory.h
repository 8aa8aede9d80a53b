#pragma once
// Memory as DMA sees it: caches, bus addresses, descriptors.

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::port {

/// An address as a DMA engine uses it.
using BusAddress = std::uint64_t;

/// The memory that buffers stand in. Buffers handed to the stack are memory this port can address.
class Memory {
public:
    /// Writes dirty lines of the range back, to where DMA sees them. Lines partly in the range are written back whole.
    /// Complete only after `barrier`.
    virtual void clean(std::span<const std::byte> range) = 0;
    /// Drops the lines of the range: the CPU's next load sees what DMA has written. Lines partly in the range are
    /// dropped whole, with whatever their other bytes held (so the caller cleans or bounces those). Complete only after
    /// `barrier`.
    virtual void invalidate(std::span<std::byte> range) = 0;
    /// Waits until every clean and invalidate before it is complete.
    virtual void barrier() = 0;

    virtual BusAddress bus_address(const std::byte* address) = 0;
    /// Bytes in a cache line; 1 where DMA is coherent and nothing need be maintained.
    virtual std::size_t line_size() const = 0;

    /// Memory for descriptors, seen by CPU and DMA alike without cache maintenance, aligned to `alignment`; empty when
    /// there is none left. Only at start-up; never given back.
    virtual std::span<std::byte> allocate_coherent(std::size_t size, std::size_t alignment) = 0;
    /// Makes all stores to this piece of coherent memory visible to devices, before any register write after it. (A
    /// port without uncached memory cleans the range.)
    virtual void publish(std::span<const std::byte> range) = 0;

protected:
    ~Memory() = default;
};

} // namespace mmcpipe::port
