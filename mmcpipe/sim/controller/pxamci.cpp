#include "mmcpipe/sim/controller/pxamci.h"

#include <algorithm>

namespace mmcpipe::sim::controller {

namespace {

// PXA27x Developer's Manual, table 15-2.
enum Register : std::uint32_t {
    strpcl = 0x00,
    stat = 0x04,
    clkrt = 0x08,
    spi = 0x0c,
    cmdat = 0x10,
    resto = 0x14,
    rdto = 0x18,
    blklen = 0x1c,
    nob = 0x20,
    prtbuf = 0x24,
    i_mask = 0x28,
    i_reg = 0x2c,
    cmd = 0x30,
    argh = 0x34,
    argl = 0x38,
    res = 0x3c,
    rxfifo = 0x40,
    txfifo = 0x44,
};

// MMC_STAT.
enum Status : std::uint32_t {
    read_time_out = 1u << 0,
    time_out_response = 1u << 1,
    crc_write_error = 1u << 2,
    crc_read_error = 1u << 3,
    res_crc_err = 1u << 5,
    xmit_fifo_empty = 1u << 6,
    recv_fifo_full = 1u << 7,
    clk_en = 1u << 8,
    data_tran_done = 1u << 11,
    prg_done = 1u << 12,
    end_cmd_res = 1u << 13,
};

// MMC_I_REG.
enum Interrupt : std::uint32_t {
    data_tran_done_interrupt = 1u << 0,
    prg_done_interrupt = 1u << 1,
    end_cmd_res_interrupt = 1u << 2,
    clk_is_off = 1u << 4,
    rxfifo_rd_req = 1u << 5,
    txfifo_wr_req = 1u << 6,
};

// MMC_CMDAT.
constexpr std::uint32_t data_en = 1u << 2;
constexpr std::uint32_t wr_rd = 1u << 3;
constexpr std::uint32_t busy = 1u << 5;
constexpr std::uint32_t init = 1u << 6;
constexpr std::uint32_t dma_en = 1u << 7;
constexpr std::uint32_t sd_4dat = 1u << 8;
enum Format : std::uint32_t { no_response, r1, r2, r3 };

// In cycles of the card's clock.
constexpr std::int64_t stop_cycles = 2; ///< until the clock stands still
constexpr std::int64_t init_cycles = 80;
constexpr std::int64_t done_cycles = 8; ///< from the end of the data to DATA_TRAN_DONE (15.3.2)

} // namespace

Pxamci::Pxamci(Engine& engine, wire::Bus& bus, InterruptLine& line, wire::Faults* faults, const PxamciCell& cell,
               Time base)
    : engine_(engine), bus_(bus), interrupt_(engine, line, faults), cell_(cell), base_(base) {}

std::uint32_t Pxamci::read(std::uint32_t offset) {
    switch (offset) {
    case stat: return status();
    case clkrt: return clock_rate_;
    case spi: return spi_;
    case cmdat: return command_data_;
    case resto: return response_time_;
    case rdto: return read_time_;
    case blklen: return block_length_;
    case nob: return blocks_;
    case i_mask: return mask_;
    case i_reg: return interrupts();
    case cmd: return command_;
    case argh: return argument_ >> 16;
    case argl: return argument_ & 0xffff;
    case res: return response_read_ < response_.size() ? response_[response_read_++] : 0;
    case rxfifo: {
        std::byte byte{};
        if (!writes()) fifo_.get({&byte, 1});
        if (data_active_) bus_.go_on();
        update();
        return std::to_integer<std::uint32_t>(byte);
    }
    default: return 0;
    }
}

void Pxamci::write(std::uint32_t offset, std::uint32_t value) {
    switch (offset) {
    case strpcl: return control_clock(value);
    case i_mask: mask_ = value & 0x1fff; return update();
    case txfifo: {
        const auto byte = static_cast<std::byte>(value);
        if (writes()) fifo_.put({&byte, 1});
        if (data_active_) bus_.go_on();
        return update();
    }
    case prtbuf:
        if ((value & 1) != 0 && writes()) fifo_.hand_over();
        if (data_active_) bus_.go_on();
        return update();
    default: break;
    }
    if (clock_on_) return; // 15.2.7: not now
    switch (offset) {
    case clkrt: clock_rate_ = std::min(value & 7, 6u); break;
    case spi: spi_ = value & 0xf; break;
    case cmdat:
        command_data_ = value & 0x3fff;
        sequence_ = true;
        break;
    case resto: response_time_ = value & 0x7f; break;
    case rdto: read_time_ = value & 0xffff; break;
    case blklen: block_length_ = value & ((1u << cell_.block_length_bits) - 1); break;
    case nob: blocks_ = value & 0xffff; break;
    case cmd: command_ = value & 0x3f; break;
    case argh: argument_ = (argument_ & 0xffff) | value << 16; break;
    case argl: argument_ = (argument_ & 0xffff'0000) | (value & 0xffff); break;
    default: break;
    }
}

void Pxamci::control_clock(std::uint32_t value) {
    const bool stop = (value & 1) != 0;
    if (stop && !clock_on_) {
        clock_is_off_ = true;
        update();
    } else if (stop && !clock_stopped_.scheduled()) {
        engine_.schedule(clock_stopped_, engine_.now() + period() * stop_cycles);
    } else if (!stop && (value & 2) != 0 && !clock_on_) {
        clock_on_ = true;
        clock_is_off_ = false;
        const bool wide = cell_.four_lines && (command_data_ & sd_4dat) != 0;
        bus_.set_width(wide ? 4 : 1);
        bus_.set_period(period());
        if (sequence_) begin_sequence();
        update();
    }
}

/// The FIFOs lose what they hold, and a sequence under way comes to nothing.
void Pxamci::clock_stopped() {
    bus_.cancel_command();
    bus_.stop_data();
    bus_.forget_release();
    engine_.cancel(send_command_);
    engine_.cancel(data_done_);
    data_active_ = false;
    fifo_.clear();
    clock_on_ = false;
    clock_is_off_ = true;
    bus_.set_period({});
    update();
}

void Pxamci::begin_sequence() {
    sequence_ = false;
    latched_ = 0;
    responded_ = false;
    response_ = {};
    response_read_ = 0;
    fifo_.clear();
    data_active_ = has_data() && block_length_ != 0 && blocks_ != 0;
    blocks_left_ = blocks_;
    block_left_ = block_length_;
    if ((command_data_ & init) != 0) {
        engine_.schedule(send_command_, engine_.now() + period() * init_cycles);
    } else {
        send_command();
    }
}

void Pxamci::send_command() {
    const std::uint32_t format = command_data_ & 3;
    if (data_active_ && writes()) lose_burst();
    if (data_active_ && !writes()) {
        bus_.receive(*this, {.block_length = block_length_,
                             .blocks = blocks_,
                             .flow_control = true,
                             .timeout = base_ * (std::int64_t{read_time_} * 256)});
    }
    const wire::Expect expect = format == no_response ? wire::Expect::nothing
                                : format == r2        ? wire::Expect::long_response
                                                      : wire::Expect::short_response;
    bus_.send(static_cast<std::uint8_t>(command_), argument_, expect, *this);
}

void Pxamci::command_ended(Outcome outcome, std::uint8_t index, const std::array<std::uint32_t, 4>& words) {
    const std::uint32_t format = command_data_ & 3;
    responded_ = true;
    latched_ |= end_cmd_res;
    switch (outcome) {
    case Outcome::sent: break;
    case Outcome::no_response:
        latched_ |= time_out_response;
        if (data_active_) bus_.stop_data();
        data_active_ = false;
        break;
    case Outcome::bad_crc:
        if (format != r3) latched_ |= res_crc_err;
        set_response(index, words);
        break;
    case Outcome::response:
        if (cell_.false_crc_error && format == r2 && (words[0] >> 31) != 0) latched_ |= res_crc_err;
        set_response(index, words);
        break;
    }
    if (data_active_ && writes()) transmit();
    if (!has_data() && (command_data_ & busy) != 0 && outcome != Outcome::no_response) bus_.when_released(released_);
    update();
}

/// As it came, without CRC7 and end bit.
void Pxamci::set_response(std::uint8_t index, const std::array<std::uint32_t, 4>& words) {
    std::array<std::uint8_t, 17> bytes{index};
    for (std::size_t i = 0; i < 16; ++i) bytes[1 + i] = static_cast<std::uint8_t>(words[i / 4] >> (24 - 8 * (i % 4)));
    const std::size_t size = (command_data_ & 3) == r2 ? 16 : 5;
    for (std::size_t i = 0; i < size; ++i) {
        response_[i / 2] = static_cast<std::uint16_t>(response_[i / 2] | bytes[i] << (i % 2 == 0 ? 8 : 0));
    }
}

void Pxamci::transmit() {
    bus_.transmit(*this, {.block_length = block_length_, .blocks = blocks_, .flow_control = true, .timeout = forever});
}

void Pxamci::released() {
    latched_ |= prg_done;
    update();
}

// --- receive ---

std::uint32_t Pxamci::room() {
    return by_dma() && fifo_.empty() && receive_dma_->runs(true) ? page_size : fifo_.room();
}

void Pxamci::received(const Chunk& slice) {
    std::uint32_t taken = 0;
    if (by_dma() && fifo_.empty()) taken = receive_dma_->push(slice);
    // If DMA fails in the midst of it, what it leaves beyond the FIFO is lost, as the request is.
    if (taken < slice.length) fifo_.put(bytes(slice.after(taken)));
    update();
}

void Pxamci::blocks_received(std::uint32_t blocks, bool crc_ok) {
    fifo_.hand_over();
    if (!data_active_) return;
    blocks_left_ -= std::min(blocks, blocks_left_);
    if (!crc_ok) return data_over(crc_read_error);
    if (blocks_left_ == 0) return data_over(0);
    update();
}

void Pxamci::receive_timed_out() { data_over(read_time_out); }

// --- send ---

Chunk Pxamci::take(std::uint32_t most) {
    Chunk chunk;
    if (by_dma()) {
        chunk = dma_block(most);
    } else {
        std::array<std::byte, DualFifo::half> content;
        const std::uint32_t level = fifo_.level();
        const std::uint32_t size = std::min({most, block_left_, level});
        fifo_.get(std::span(content).first(size));
        if (size != 0) chunk = chunk_of(std::span(content).first(size));
        block_left_ -= size;
        if (block_left_ == 0) {
            if (level != size) fifo_.drop(); // more than a block is not sent (15.3.2)
            block_left_ = block_length_;
        }
    }
    update();
    return chunk;
}

/// From DMA, whole blocks if it can be: descriptors may end within one.
Chunk Pxamci::dma_block(std::uint32_t most) {
    Chunk chunk = transmit_dma_->pull(most);
    if (chunk.empty() || chunk.length >= block_length_ || chunk.length == most) return chunk;
    std::array<std::byte, page_size> together;
    const std::uint32_t wanted = std::min(most, block_length_);
    std::uint32_t size = 0;
    while (!chunk.empty()) {
        std::ranges::copy(bytes(chunk), together.begin() + size);
        size += chunk.length;
        if (size == wanted) break;
        chunk = transmit_dma_->pull(wanted - size);
    }
    return chunk_of(std::span(together).first(size));
}

void Pxamci::blocks_sent(std::uint32_t blocks, bool crc_ok) {
    blocks_left_ -= std::min(blocks, blocks_left_);
    if (!crc_ok) return data_over(crc_write_error);
    if (blocks_left_ == 0) return data_over(0);
    update();
}

/// Erratum 91 of the PXA27x.
void Pxamci::lose_burst() {
    if (cell_.loses_early_dma && by_dma() && transmit_dma_->runs(false)) transmit_dma_->pull(DualFifo::half);
}

// --- both ---

/// A channel has been started.
void Pxamci::dma_ready() {
    if (!data_active_ || !by_dma()) return;
    if (writes()) {
        if (!responded_) return lose_burst();
    } else if (fifo_.level() != 0) {
        std::array<std::byte, std::size_t{2} * DualFifo::half> content;
        const std::uint32_t size = fifo_.get(content);
        const Chunk chunk = chunk_of(std::span(content).first(size));
        fifo_.put(bytes(chunk.after(receive_dma_->push(chunk))));
    }
    bus_.go_on();
    update();
}

void Pxamci::data_over(std::uint32_t bits) {
    latched_ |= bits;
    if (bits != 0) bus_.stop_data();
    data_active_ = false;
    engine_.schedule(data_done_, engine_.now() + period() * done_cycles);
    update();
}

void Pxamci::data_done() {
    latched_ |= data_tran_done | (writes() ? std::uint32_t{prg_done} : 0u);
    update();
}

bool Pxamci::has_data() const { return (command_data_ & data_en) != 0; }

bool Pxamci::writes() const { return has_data() && (command_data_ & wr_rd) != 0; }

bool Pxamci::by_dma() const {
    return (command_data_ & dma_en) != 0 && (writes() ? transmit_dma_ : receive_dma_) != nullptr;
}

std::uint32_t Pxamci::status() const {
    std::uint32_t bits = latched_;
    if (clock_on_) bits |= clk_en;
    if (writes() && fifo_.empty()) bits |= xmit_fifo_empty;
    if (!writes() && fifo_.room() == 0) bits |= recv_fifo_full;
    return bits;
}

std::uint32_t Pxamci::interrupts() const {
    std::uint32_t bits = 0;
    if ((latched_ & data_tran_done) != 0) bits |= data_tran_done_interrupt;
    if ((latched_ & prg_done) != 0) bits |= prg_done_interrupt;
    if ((latched_ & end_cmd_res) != 0) bits |= end_cmd_res_interrupt;
    if (clock_is_off_) bits |= clk_is_off;
    if (has_data() && !writes() && fifo_.level() != 0) bits |= rxfifo_rd_req;
    if (data_active_ && writes() && fifo_.room() != 0) bits |= txfifo_wr_req;
    return bits;
}

void Pxamci::update() {
    std::uint32_t mask = mask_;
    if ((command_data_ & dma_en) != 0) mask |= rxfifo_rd_req | txfifo_wr_req;
    interrupt_.set((interrupts() & ~mask) != 0);
}

} // namespace mmcpipe::sim::controller
