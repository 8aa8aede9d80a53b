#pragma once
// Model of the DMA controller in Intel's PXA25x and PXA27x (Developer's Manuals, chapter 5): channels, descriptor
// lists, the map from request lines to channels. For peripherals with a FIFO; the memory side is faster than any of
// them and takes no time. A transfer that is not set up for its FIFO, in address, width or direction, is a bus error.

#include "mmcpipe/sim/controller/interrupt_output.h"
#include "mmcpipe/sim/dma/handshake.h"
#include "mmcpipe/sim/memory.h"
#include "mmcpipe/sim/window.h"
#include "mmcpipe/sim/wire/faults.h"

#include <array>
#include <cstdint>

namespace mmcpipe::sim::dma {

class Pxa final : public Device {
public:
    static constexpr unsigned channels = 32;
    static constexpr unsigned requests = 64;

    /// `faults` may be nullptr.
    Pxa(Engine& engine, Memory& memory, InterruptLine& line, wire::Faults* faults);

    /// Wires the request line `number` to the FIFO at `fifo`, a byte wide, of a peripheral; what it gets is whichever
    /// channel is mapped to that line.
    Channel& wire(unsigned number, Peripheral& peripheral, port::BusAddress fifo);

    std::uint32_t read(std::uint32_t offset) override;
    void write(std::uint32_t offset, std::uint32_t value) override;

private:
    struct Stream {
        std::array<std::uint32_t, 4> descriptor{}; ///< next, source, target, command with the length that is left
        std::uint32_t control = 0;                 ///< DCSR, but for its status
        std::uint32_t latched = 0;                 ///< its interrupt bits
        bool running = false;
        std::uint32_t begun = 0; ///< where the descriptor's memory began
        std::uint32_t length = 0;
        std::uint32_t fails_after = UINT32_MAX; ///< bytes, from the fault plan
    };
    struct Request final : Channel {
        std::uint32_t push(const Chunk& data) override;
        Chunk pull(std::uint32_t most) override;
        bool runs(bool to_memory) override { return stream(to_memory) != nullptr; }
        Stream* stream(bool to_memory);

        Pxa* controller = nullptr;
        Peripheral* peripheral = nullptr;
        port::BusAddress fifo = 0;
        std::uint32_t map = 0; ///< DRCMR
    };

    void control(Stream& stream, std::uint32_t value);
    void fetch(Stream& stream);
    void end_descriptor(Stream& stream);
    void advance(Stream& stream, std::uint32_t bytes);
    void bus_error(Stream& stream);
    void stop(Stream& stream);
    Request* request_of(const Stream& stream);
    static bool to_memory(const Stream& stream);
    static std::uint32_t left(const Stream& stream) { return stream.descriptor[3] & 0x1fff; }
    /// Memory's, of source and target.
    static std::uint32_t& address(Stream& stream) { return stream.descriptor[to_memory(stream) ? 2 : 1]; }
    std::uint32_t status(const Stream& stream) const;
    std::uint32_t pending() const;
    void update() { interrupt_.set(pending() != 0); }

    Memory& memory_;
    controller::InterruptOutput interrupt_;
    wire::Faults* faults_;
    std::uint32_t alignment_ = 0; ///< DALGN
    std::array<Stream, channels> streams_{};
    std::array<Request, requests> requests_{};
};

} // namespace mmcpipe::sim::dma
