#pragma once
// Model of the ARM PL180/PL181 MultiMedia Card Interface (ARM DDI 0172, DDI 0205) and of ST's derivatives: command
// path, data path, FIFO with its thresholds, interrupts.

#include "mmcpipe/sim/controller/byte_fifo.h"
#include "mmcpipe/sim/controller/interrupt_output.h"
#include "mmcpipe/sim/dma/handshake.h"
#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/window.h"
#include "mmcpipe/sim/wire/bus.h"

#include <array>
#include <cstdint>

namespace mmcpipe::sim::controller {

/// What the cells differ in.
struct Pl18xCell {
    std::uint32_t fifo_words = 16;
    std::uint32_t half_fifo_words = 8; ///< what the half-full and half-empty flags count
    unsigned data_length_bits = 16;
    unsigned lines = 4;               ///< DAT lines that ClockCtrl can choose: 1, 4 or 8
    bool st_divider = false;          ///< MCLK / (divider + 2) instead of MCLK / (2 x (divider + 1))
    bool block_size_in_bytes = false; ///< DataCtrl[30:16] instead of [7:4]
    bool flow_control = false;        ///< ClockCtrl[14]
    bool busy_detect = false;         ///< Status[24]
    bool both_edges = false;          ///< DataCtrl[15]
};

class Pl18x final : public Device,
                    public dma::Peripheral,
                    private wire::CommandListener,
                    private wire::Receiver,
                    private wire::Sender {
public:
    /// `mclk`: length of a cycle of the clock that feeds the cell. `faults` may be nullptr.
    Pl18x(Engine& engine, wire::Bus& bus, InterruptLine& line, wire::Faults* faults, const Pl18xCell& cell, Time mclk);

    void set_dma(dma::Channel& channel) { dma_ = &channel; }

    std::uint32_t read(std::uint32_t offset) override;
    void write(std::uint32_t offset, std::uint32_t value) override;
    void dma_ready() override;

private:
    void command_ended(Outcome outcome, std::uint8_t index, const std::array<std::uint32_t, 4>& words) override;
    std::uint32_t room() override;
    void received(const Chunk& slice) override;
    void blocks_received(std::uint32_t blocks, bool crc_ok) override;
    void overrun() override;
    void receive_timed_out() override;
    Chunk take(std::uint32_t most) override;
    void blocks_sent(std::uint32_t blocks, bool crc_ok) override;
    void underrun() override;
    void send_timed_out() override;

    void set_power(std::uint32_t value);
    void set_clock(std::uint32_t value);
    void send_command(std::uint32_t value);
    void control_data(std::uint32_t value);
    void block_ended(std::uint32_t blocks, bool crc_ok);
    void end_data(std::uint32_t bits);
    void feed_dma();
    void released();
    std::uint32_t live_flags() const;
    std::uint32_t status() const { return latched_ | live_flags(); }
    std::uint32_t block_length() const;
    std::uint32_t half_fifo() const { return cell_.half_fifo_words * 4; }
    bool powered() const { return (power_ & 3) == 3; }
    bool by_dma() const;
    bool receiving() const;
    void update();

    wire::Bus& bus_;
    InterruptOutput interrupt_;
    Pl18xCell cell_;
    Time mclk_;
    Time period_{};
    dma::Channel* dma_ = nullptr;

    std::uint32_t power_ = 0;
    std::uint32_t clock_ = 0;
    std::uint32_t argument_ = 0;
    std::uint32_t command_ = 0;
    std::uint32_t response_command_ = 0;
    std::array<std::uint32_t, 4> response_{};
    std::uint32_t data_timer_ = 0;
    std::uint32_t data_length_ = 0;
    std::uint32_t data_control_ = 0;
    std::uint32_t data_count_ = 0;
    std::uint32_t blocks_left_ = 0;
    std::uint32_t latched_ = 0; ///< status bits 10:0
    std::uint32_t mask0_ = 0;
    std::uint32_t mask1_ = 0;
    bool command_active_ = false;
    bool data_active_ = false;
    bool busy_ended_ = false;
    ByteFifo fifo_;
    std::uint32_t leaving_ = 0; ///< bytes taken from the FIFO by the wire that are not sent yet
    MemberEvent<&Pl18x::released> released_{*this};
};

} // namespace mmcpipe::sim::controller
