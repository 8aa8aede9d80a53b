#pragma once
// A DMA engine as a host driver sees it: channels that move a scatter-gather list between memory and one peripheral's
// FIFO.

#include "mmcpipe/base/result.h"
#include "mmcpipe/host/request.h"
#include "mmcpipe/port/memory.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::host::dma {

/// What an engine can move in one list, as values.
struct Constraints {
    std::uint32_t alignment = 4;    ///< of addresses and lengths, bytes, a power of two
    std::uint32_t max_length = 0;   ///< bytes an element, a multiple of `alignment`
    std::uint32_t max_elements = 0; ///< elements a list
    std::uint64_t boundary = 0;     ///< no element crosses a multiple of this power of two; 0: no such limit
    port::BusAddress last_address = ~port::BusAddress{0}; ///< the highest address the engine can reach
};

/// One piece of memory on the bus.
struct Element {
    port::BusAddress address;
    std::uint32_t length;

    constexpr bool operator==(const Element&) const = default;
};

/// Two lists, so that one can be built while the other is on its way.
enum class Slot : std::uint8_t { first, second };

/// What a listener is told. A host whose own end comes when all data has left or filled its FIFO needs no second
/// interrupt: `quiesce` waits for what is still on its way to memory.
enum class Announce : std::uint8_t { every_end, errors };

/// Hears of the end of a list, in the engine's interrupt.
class Listener {
public:
    virtual void dma_ended(base::Result<void> result) noexcept = 0;

protected:
    ~Listener() = default;
};

/// One channel, wired to one peripheral.
class Channel {
public:
    virtual const Constraints& constraints() const = 0;
    virtual void set_listener(Listener& listener, Announce announce) = 0;

    /// Builds the descriptors of a list in `slot`. The list need not outlive the call.
    /// Errors: out_of_range (too many or too large elements), misaligned.
    virtual base::Result<void> prepare(Slot slot, std::span<const Element> elements, Direction direction) = 0;
    /// Publishes the descriptors and starts the channel: it moves data as the peripheral asks for it.
    virtual void start(Slot slot) = 0;
    /// Asks the channel to stop; from any context. No callback comes after it. Data on its way is lost.
    virtual void terminate() = 0;
    /// Returns when the channel touches memory no more: it has ended, or was terminated.
    /// Errors: dma_error (the list ended with one), software_timeout (it does not end, terminated or not).
    virtual base::Result<void> quiesce() = 0;
    /// Where the channel is: another value whenever it has moved data. For hosts that cannot say how far they are.
    virtual std::uint32_t position() = 0;

protected:
    ~Channel() = default;
};

} // namespace mmcpipe::host::dma
