#pragma once
// Model of the MultiMediaCard/SD controller in Intel's PXA25x and PXA27x (Developer's Manuals, chapter 15): command
// sequences that begin with the clock, the two halves of each FIFO, DMA requests, interrupts, and two errata.
//
// Registers that the manual allows to be written only while the clock stands still ignore what is written otherwise.
// Not here: SPI and stream mode, SDIO, and the interrupts that the PXA27x added. PRG_DONE comes with the end of busy;
// DATA_TRAN_DONE of a write comes with it, too, not before.

#include "mmcpipe/sim/controller/dual_fifo.h"
#include "mmcpipe/sim/controller/interrupt_output.h"
#include "mmcpipe/sim/dma/handshake.h"
#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/window.h"
#include "mmcpipe/sim/wire/bus.h"

#include <array>
#include <cstdint>

namespace mmcpipe::sim::controller {

/// What the two differ in.
struct PxamciCell {
    bool four_lines = false;
    unsigned block_length_bits = 10;
    /// A burst that DMA writes before the response is over is lost.
    bool loses_early_dma = false;
    /// A long response whose first bit is 1 counts as damaged.
    bool false_crc_error = false;
};

class Pxamci final : public Device,
                     public dma::Peripheral,
                     private wire::CommandListener,
                     private wire::Receiver,
                     private wire::Sender {
public:
    /// `base`: length of a cycle of the clock that the card's is divided from. `faults` may be nullptr.
    Pxamci(Engine& engine, wire::Bus& bus, InterruptLine& line, wire::Faults* faults, const PxamciCell& cell,
           Time base);

    void set_dma(dma::Channel& receive, dma::Channel& transmit) {
        receive_dma_ = &receive;
        transmit_dma_ = &transmit;
    }

    std::uint32_t read(std::uint32_t offset) override;
    void write(std::uint32_t offset, std::uint32_t value) override;
    void dma_ready() override;

private:
    void command_ended(Outcome outcome, std::uint8_t index, const std::array<std::uint32_t, 4>& words) override;
    std::uint32_t room() override;
    void received(const Chunk& slice) override;
    void blocks_received(std::uint32_t blocks, bool crc_ok) override;
    void overrun() override {} // the clock stops before that
    void receive_timed_out() override;
    Chunk take(std::uint32_t most) override;
    void blocks_sent(std::uint32_t blocks, bool crc_ok) override;
    void underrun() override {}
    void send_timed_out() override {} // it has no time-out for that

    void control_clock(std::uint32_t value);
    void clock_stopped();
    void begin_sequence();
    void send_command();
    void set_response(std::uint8_t index, const std::array<std::uint32_t, 4>& words);
    void transmit();
    void data_over(std::uint32_t status);
    void data_done();
    void released();
    void lose_burst();
    Chunk dma_block(std::uint32_t most);
    bool has_data() const;
    bool writes() const;
    bool by_dma() const;
    std::uint32_t interrupts() const;
    std::uint32_t status() const;
    Time period() const { return base_ * (std::int64_t{1} << clock_rate_); }
    void update();

    Engine& engine_;
    wire::Bus& bus_;
    InterruptOutput interrupt_;
    PxamciCell cell_;
    Time base_;
    dma::Channel* receive_dma_ = nullptr;
    dma::Channel* transmit_dma_ = nullptr;

    bool clock_on_ = false;
    bool clock_is_off_ = false; ///< the software has stopped it
    bool sequence_ = false;     ///< CMDAT has been written: the clock starts with a command
    std::uint32_t clock_rate_ = 0;
    std::uint32_t spi_ = 0;
    std::uint32_t command_data_ = 0;
    std::uint32_t response_time_ = 64;
    std::uint32_t read_time_ = 0xffff;
    std::uint32_t block_length_ = 0;
    std::uint32_t blocks_ = 0;
    std::uint32_t mask_ = 0x1fff;
    std::uint32_t command_ = 0;
    std::uint32_t argument_ = 0;
    std::array<std::uint16_t, 8> response_{};
    std::size_t response_read_ = 0;

    std::uint32_t latched_ = 0; ///< the bits of MMC_STAT that stay until the next command
    bool responded_ = false;
    bool data_active_ = false;
    std::uint32_t blocks_left_ = 0;
    std::uint32_t block_left_ = 0; ///< of the block that is taken out of the transmit FIFO, bytes
    DualFifo fifo_{};
    MemberEvent<&Pxamci::clock_stopped> clock_stopped_{*this};
    MemberEvent<&Pxamci::send_command> send_command_{*this};
    MemberEvent<&Pxamci::data_done> data_done_{*this};
    MemberEvent<&Pxamci::released> released_{*this};
};

} // namespace mmcpipe::sim::controller
