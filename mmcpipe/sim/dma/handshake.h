#pragma once
// The request lines between a peripheral's FIFO and a DMA channel.

#include "mmcpipe/sim/page.h"

#include <cstdint>

namespace mmcpipe::sim::dma {

/// The channel, as the peripheral sees it.
class Channel {
public:
    /// The peripheral has data. Bytes taken: fewer than offered, or none, while the channel does not run in this
    /// direction.
    virtual std::uint32_t push(const Chunk& data) = 0;
    /// The peripheral wants up to `most` bytes: what the channel has, of one page; empty if it does not run in this
    /// direction.
    virtual Chunk pull(std::uint32_t most) = 0;
    /// It runs in this direction: `push` would take something, or `pull` give something.
    virtual bool runs(bool to_memory) = 0;

protected:
    ~Channel() = default;
};

/// The peripheral, as the channel sees it.
class Peripheral {
public:
    /// The channel has been started.
    virtual void dma_ready() = 0;

protected:
    ~Peripheral() = default;
};

} // namespace mmcpipe::sim::dma
