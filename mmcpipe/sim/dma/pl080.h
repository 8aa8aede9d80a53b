#pragma once
// Model of the ARM PL080 DMA controller (ARM DDI 0196) and of the PL080S with its wide transfer count: eight channels,
// linked lists, memory to peripheral and back. The memory side is faster than any peripheral and takes no time. A list
// that does not fit its peripheral (another address, width or burst) does what the hardware would do: no good.

#include "mmcpipe/sim/controller/interrupt_output.h"
#include "mmcpipe/sim/dma/handshake.h"
#include "mmcpipe/sim/memory.h"
#include "mmcpipe/sim/window.h"
#include "mmcpipe/sim/wire/faults.h"

#include <array>
#include <cstdint>

namespace mmcpipe::sim::dma {

/// The data port of a peripheral: a FIFO, a word wide, that shows at `size` bytes of addresses.
struct Fifo {
    std::uint32_t address;
    std::uint32_t size;
    unsigned burst; ///< words that it asks for at a time
};

class Pl080 final : public Device {
public:
    static constexpr unsigned channels = 8;
    static constexpr unsigned requests = 16;

    /// `wide_count`: a PL080S. `faults` may be nullptr.
    Pl080(Engine& engine, Memory& memory, InterruptLine& line, wire::Faults* faults, bool wide_count);

    /// Wires the request line `number` to a peripheral; what it gets is whichever channel is programmed for that line.
    Channel& wire(unsigned number, Peripheral& peripheral, const Fifo& fifo);

    std::uint32_t read(std::uint32_t offset) override;
    void write(std::uint32_t offset, std::uint32_t value) override;

private:
    struct Stream {
        std::array<std::uint32_t, 4> item{}; ///< source, destination, next, control
        std::uint32_t wide_count = 0;
        std::uint32_t configuration = 0;
        bool running = false;
        bool to_memory = false;
        std::uint32_t left = 0;  ///< bytes of the element
        std::uint32_t begun = 0; ///< where the element began
        std::uint32_t length = 0;
        bool moved = false;                     ///< the first data of the list has come
        std::uint32_t fails_after = UINT32_MAX; ///< bytes, from the fault plan; asked with the first data
        // Of the element, as it is programmed:
        std::uint32_t reach = 0; ///< bytes until the peripheral's side leaves the FIFO
        bool same_word = false;  ///< the memory's side stays where it is
        bool rubbish = false;    ///< a burst takes, or leaves, words that the FIFO has not
    };
    struct Request final : Channel {
        std::uint32_t push(const Chunk& data) override;
        Chunk pull(std::uint32_t most) override;
        bool runs(bool to_memory) override { return stream(to_memory) != nullptr; }
        Stream* stream(bool to_memory);

        Pl080* controller = nullptr;
        unsigned number = 0;
        Peripheral* peripheral = nullptr;
        Fifo fifo{};
    };

    void configure(unsigned channel, std::uint32_t value);
    void start(Stream& stream);
    const Request& request_of(const Stream& stream) const;
    void begin_element(Stream& stream);
    void examine(Stream& stream);
    bool may_move(Stream& stream, std::uint32_t bytes);
    bool store(const Stream& stream, const Chunk& data);
    Chunk load(const Stream& stream, std::uint32_t most);
    void end_element(Stream& stream);
    void advance(Stream& stream, std::uint32_t bytes);
    void bus_error(Stream& stream);
    void stop(Stream& stream);
    unsigned number_of(const Stream& stream) const { return static_cast<unsigned>(&stream - streams_.data()); }
    std::uint32_t& memory_address(Stream& stream) { return stream.item[stream.to_memory ? 1 : 0]; }
    void update();

    Memory& memory_;
    controller::InterruptOutput interrupt_;
    wire::Faults* faults_;
    bool wide_count_;
    bool enabled_ = false;
    std::uint32_t terminal_count_ = 0;
    std::uint32_t errors_ = 0;
    std::array<Stream, channels> streams_{};
    std::array<Request, requests> requests_{};
};

} // namespace mmcpipe::sim::dma
