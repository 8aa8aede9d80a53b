#pragma once
// The DMA controller of Intel's PXA25x and PXA27x (Developer's Manuals, chapter 5): channels that fetch linked
// descriptors from memory and move data as a peripheral asks for it. Here is what all users of it share; PxaChannel
// (pxa_channel.h) makes it a DMA engine.

#include "mmcpipe/base/environment.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/dma/pxa_registers.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"
#include "mmcpipe/port/memory.h"

#include <array>
#include <cstdint>
#include <span>

namespace mmcpipe::host::dma {

/// Who uses a channel.
class PxaUser {
public:
    /// In the interrupt: a bus error (`failed`; the channel has stopped), or the channel has stopped and was to say so.
    virtual void channel_stopped(bool failed) noexcept = 0;

protected:
    ~PxaUser() = default;
};

/// The controller.
class Pxa final : private port::InterruptHandler {
public:
    /// `environment` gives the time for the bounded wait of `wait_stopped`.
    Pxa(port::Io& io, port::InterruptLine& line, port::Memory& memory, base::Environment& environment);
    Pxa(const Pxa&) = delete;
    Pxa& operator=(const Pxa&) = delete;
    ~Pxa() { line_.detach(*this); }

    /// Lets the channel serve a peripheral's request line (DRCMR), for good.
    void connect(unsigned channel, unsigned request, PxaUser& user);

    /// Whether a channel that stops raises an interrupt. A bus error always does.
    enum class WhenStopped : std::uint8_t { quiet, interrupt };
    /// Starts a channel, which must not run, with the descriptor at `first`.
    void run(unsigned channel, port::BusAddress first, WhenStopped then);
    /// Asks the channel to stop; from any context. No interrupt comes of it.
    void stop(unsigned channel);
    /// Returns when the channel has stopped; software_timeout if it does not.
    base::Result<void> wait_stopped(unsigned channel);

    /// The channel has fetched the last descriptor of its list.
    bool at_last(unsigned channel) { return pxa::ddadr::Stop::get(io_.read(pxa::next_descriptor(channel))); }
    /// Lets a channel that has stopped before the end of its list fetch the next descriptor.
    void go_on(unsigned channel, WhenStopped then);
    /// Another value whenever the channel has moved data.
    std::uint32_t position(unsigned channel);

    port::Memory& memory() { return memory_; }

private:
    bool interrupt() noexcept override;

    port::Io& io_;
    port::InterruptLine& line_;
    port::Memory& memory_;
    base::Environment& environment_;
    std::array<PxaUser*, pxa::channels> users_{};
};

/// A peripheral with a FIFO for each direction, and the channels that serve them.
struct PxaPeripheral {
    struct Way {
        std::uint8_t channel; ///< 0 to 15; PXA27x: 0 to 31. Those below 4 come first
        std::uint8_t request; ///< 0 to 63
        port::BusAddress fifo;
    };
    Way receive;
    Way transmit;

    const Way& way(Direction direction) const { return direction == Direction::read ? receive : transmit; }
};

/// What has been built, since the start.
struct ListStatistics {
    std::uint32_t lists = 0;
    std::uint32_t descriptors = 0;
    std::uint64_t bytes = 0;
    std::uint32_t shortest = 0; ///< descriptor, in bytes; 0 while there is none
    std::uint32_t longest = 0;
};

/// Descriptor lists for a peripheral whose FIFOs take bytes, in bursts of 32: one in each slot.
class PxaLists {
public:
    /// Bytes that the peripheral asks for, and hands out, at a time. A descriptor that ends within a burst would leave
    /// the rest of it in the FIFO, so that elements are whole bursts; their addresses are, too (a channel takes
    /// multiples of 8).
    static constexpr std::uint32_t burst = 32;

    /// Takes 2 x max_elements descriptors of coherent memory. `max_length`: bytes a descriptor at most, in whole
    /// bursts.
    PxaLists(port::Memory& memory, const PxaPeripheral& peripheral, std::uint32_t max_length,
             std::uint32_t max_elements);

    const Constraints& constraints() const { return constraints_; }
    /// Errors: out_of_range (too many or too long elements), misaligned.
    base::Result<void> build(Slot slot, std::span<const Element> elements, Direction direction);
    /// Shows the controller the list of a slot, and gives its address.
    port::BusAddress publish(Slot slot);
    /// The channel for the list of a slot.
    std::uint8_t channel(Slot slot) const { return peripheral_.way(directions_[index(slot)]).channel; }

    std::span<const pxa::Descriptor> descriptors(Slot slot) const { return list(slot).first(used_[index(slot)]); }
    const ListStatistics& statistics() const { return statistics_; }

private:
    static std::size_t index(Slot slot) { return static_cast<std::size_t>(slot); }
    std::span<pxa::Descriptor> list(Slot slot) const;
    void count(const Element& element);

    port::Memory& memory_;
    PxaPeripheral peripheral_;
    Constraints constraints_;
    std::span<std::byte> storage_;
    std::array<std::size_t, 2> used_{};
    std::array<Direction, 2> directions_{};
    ListStatistics statistics_{};
};

} // namespace mmcpipe::host::dma
