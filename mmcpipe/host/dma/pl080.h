#pragma once
// ARM PrimeCell DMA controller PL080/PL081 (ARM DDI 0196, DDI 0218) and the PL080S with its wide transfer count: linked
// lists of elements, at most one terminal-count interrupt at the end of a list.

#include "mmcpipe/base/environment.h"
#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/dma/pl080_registers.h"
#include "mmcpipe/port/interrupts.h"
#include "mmcpipe/port/io.h"
#include "mmcpipe/port/memory.h"

#include <array>
#include <cstdint>
#include <span>

namespace mmcpipe::host::dma {

class Pl080Channel;

/// The controller: what its channels share.
class Pl080 final : public port::InterruptHandler {
public:
    /// `environment` gives the time for the bounded wait of `quiesce`.
    Pl080(port::Io& io, port::InterruptLine& line, port::Memory& memory, base::Environment& environment);

    bool interrupt() noexcept override;

private:
    friend class Pl080Channel;
    static constexpr unsigned channels = 8;

    port::Io& io_;
    port::Memory& memory_;
    base::Environment& environment_;
    std::array<Pl080Channel*, channels> channels_{};
};

/// One channel, wired to one peripheral.
class Pl080Channel final : public Channel {
public:
    struct Wiring {
        std::uint8_t channel;     ///< 0-7; 0 has the highest priority
        std::uint8_t request;     ///< DMA request line of the peripheral, 0-15
        port::BusAddress fifo;    ///< the peripheral's FIFO, word-wide
        std::uint8_t burst_words; ///< what the peripheral asks for at a time: 1, 4, 8, 16, ... 256
    };

    /// `max_length`: bytes an element, at most what the transfer count holds. Takes 2 x max_elements descriptors of
    /// coherent memory.
    Pl080Channel(Pl080& controller, const Wiring& wiring, pl080::Layout layout, std::uint32_t max_length,
                 std::uint32_t max_elements);

    const Constraints& constraints() const override { return constraints_; }
    void set_listener(Listener& listener, Announce announce) override {
        listener_ = &listener;
        announce_ = announce;
    }
    base::Result<void> prepare(Slot slot, std::span<const Element> elements, Direction direction) override;
    void start(Slot slot) override;
    void terminate() override;
    base::Result<void> quiesce() override;
    std::uint32_t position() override;

private:
    friend class Pl080;
    using Word = std::uint32_t;

    void ended(base::Result<void> result) noexcept;
    std::uint32_t offset(std::uint32_t which) const {
        return pl080::channel_base + wiring_.channel * pl080::channel_stride + which;
    }
    std::span<Word> descriptor(Slot slot, std::size_t index);

    Pl080& controller_;
    Wiring wiring_;
    pl080::Layout layout_;
    Constraints constraints_;
    std::span<std::byte> descriptors_;
    struct List {
        std::span<const std::byte> items;
        Direction direction;
    };
    std::array<List, 2> lists_{}; ///< as prepared
    Listener* listener_ = nullptr;
    Announce announce_ = Announce::every_end;
    bool running_ = false;
    bool terminated_ = false;    ///< since the last start: it may still be at it
    base::Result<void> ended_{}; ///< how the last list did
};

} // namespace mmcpipe::host::dma
