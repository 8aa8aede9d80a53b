#pragma once
// Mapping: which clean, invalidate and barrier happens when, for one list of buffers. This is the only place that
// decides it.
//
//              to the card (write)                       from the card (read)
// map          clean each direct piece, copy the rest    invalidate each direct piece: no dirty line may be
//              into the bounce buffer                    evicted over what DMA writes
// unmap        nothing                                   invalidate again: lines may have been fetched meanwhile;
//                                                        copy the rest out of the bounce buffer
//
// A piece is direct when DMA can reach it where it lies: address and length aligned for the engine, in stream order
// too, and, for a read, made of whole cache lines (the neighbours in a shared line belong to somebody else). Heads,
// tails and odd pieces go through the bounce buffer, which is coherent memory; pieces that follow each other in the
// stream share one element.

#include "mmcpipe/base/result.h"
#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/request.h"
#include "mmcpipe/port/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::host::dma {

/// When the barrier comes that completes the maintenance.
enum class BarrierPer : std::uint8_t { element, list };

class Mapping {
public:
    /// A part of a client's buffer that is copied.
    struct Bounced {
        std::span<std::byte> client;
        std::span<std::byte> bounce;
    };

    /// What a mapping works in: given once, used again for every request.
    struct Storage {
        std::span<Element> elements;
        std::span<Bounced> bounced;
        std::span<std::byte> bounce; ///< coherent memory, aligned to the line size
    };

    Mapping(port::Memory& memory, const Constraints& constraints, Storage storage, BarrierPer barrier_per)
        : memory_(memory), constraints_(constraints), storage_(storage), barrier_per_(barrier_per) {}

    /// Maps `data.bytes()` bytes of `data.buffers`, from `data.offset` on. Errors: out_of_range (more elements or
    /// bounce bytes than there is room for, or buffers that end before offset and data do), misaligned (the total is
    /// not a multiple of the engine's alignment). After an error nothing is mapped, and all maintenance is complete.
    base::Result<void> map(const Data& data);
    /// Makes the data the CPU's again. DMA must be quiet. A map whose DMA never ran needs no unmap: nothing is held.
    void unmap();

    /// What lies beside this, at either end of a buffer, is bounced: for reads; writes need no whole lines.
    std::size_t alignment() const { return std::max<std::size_t>(constraints_.alignment, memory_.line_size()); }
    std::span<const Element> elements() const { return storage_.elements.first(used_elements_); }
    std::uint32_t bounced_bytes() const { return used_bounce_; }

private:
    /// Cuts the data's buffers into pieces, in stream order: `visit(piece, direct)` until it fails.
    template <class Visit>
    base::Result<void> for_each_piece(Visit&& visit);
    base::Result<void> map_direct(Buffer piece);
    base::Result<void> map_bounced(Buffer piece);
    base::Result<void> append(port::BusAddress address, std::uint32_t length);
    std::uint32_t room(port::BusAddress address) const;

    port::Memory& memory_;
    const Constraints& constraints_;
    Storage storage_;
    BarrierPer barrier_per_;

    Data data_{};
    std::uint32_t used_elements_ = 0;
    std::uint32_t used_bounced_ = 0;
    std::uint32_t used_bounce_ = 0;
    bool open_ = false; ///< the last element is one of bounced pieces and may grow
};

} // namespace mmcpipe::host::dma
