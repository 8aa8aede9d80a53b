#include "mmcpipe/sim/controller/pl18x.h"

#include <algorithm>
#include <cstring>

namespace mmcpipe::sim::controller {

namespace {

// DDI 0172, table 3-1.
enum Register : std::uint32_t {
    power = 0x00,
    clock_control = 0x04,
    argument = 0x08,
    command = 0x0c,
    response_command = 0x10,
    response0 = 0x14,
    response3 = 0x20,
    data_timer = 0x24,
    data_length = 0x28,
    data_control = 0x2c,
    data_count = 0x30,
    status_register = 0x34,
    clear = 0x38,
    mask0 = 0x3c,
    mask1 = 0x40,
    fifo_count = 0x48,
    fifo_first = 0x80,
    fifo_last = 0xbc,
};

// DDI 0172, table 3-12; bit 24 is ST's.
enum Flag : std::uint32_t {
    command_crc_fail = 1u << 0,
    data_crc_fail = 1u << 1,
    command_timeout = 1u << 2,
    data_timeout = 1u << 3,
    tx_underrun = 1u << 4,
    rx_overrun = 1u << 5,
    response_end = 1u << 6,
    command_sent = 1u << 7,
    data_end = 1u << 8,
    start_bit_error = 1u << 9,
    data_block_end = 1u << 10,
    command_active = 1u << 11,
    tx_active = 1u << 12,
    rx_active = 1u << 13,
    tx_fifo_half_empty = 1u << 14,
    rx_fifo_half_full = 1u << 15,
    tx_fifo_full = 1u << 16,
    rx_fifo_full = 1u << 17,
    tx_fifo_empty = 1u << 18,
    rx_fifo_empty = 1u << 19,
    tx_data_available = 1u << 20,
    rx_data_available = 1u << 21,
    card_busy = 1u << 24,
};
constexpr std::uint32_t static_flags = 0x7ff;

constexpr std::uint32_t enable_data = 1u << 0;
constexpr std::uint32_t from_card = 1u << 1;
constexpr std::uint32_t enable_dma = 1u << 3;
constexpr std::uint32_t enable_command = 1u << 10;

/// A response that has no CRC7 (R3) has all ones there, and in the place of the index.
constexpr std::uint8_t no_index = 63;

} // namespace

Pl18x::Pl18x(Engine& engine, wire::Bus& bus, InterruptLine& line, wire::Faults* faults, const Pl18xCell& cell,
             Time mclk)
    : bus_(bus), interrupt_(engine, line, faults), cell_(cell), mclk_(mclk), fifo_(cell.fifo_words * 4) {}

std::uint32_t Pl18x::read(std::uint32_t offset) {
    switch (offset) {
    case power: return power_;
    case clock_control: return clock_;
    case argument: return argument_;
    case command: return command_;
    case response_command: return response_command_;
    case data_timer: return data_timer_;
    case data_length: return data_length_;
    case data_control: return data_control_;
    case data_count: return data_count_;
    case status_register: return status();
    case mask0: return mask0_;
    case mask1: return mask1_;
    case fifo_count: return (data_count_ + fifo_.level() + 3) / 4;
    default: break;
    }
    if (offset >= response0 && offset <= response3) return response_[(offset - response0) / 4];
    if (offset < fifo_first || offset > fifo_last) return 0;

    // The FIFO: one word, at any of its addresses.
    std::array<std::byte, 4> bytes{};
    if (receiving() || !data_active_) fifo_.get(bytes);
    std::uint32_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    if (data_active_) bus_.go_on();
    update();
    return word;
}

void Pl18x::write(std::uint32_t offset, std::uint32_t value) {
    switch (offset) {
    case power: return set_power(value);
    case clock_control: return set_clock(value);
    case argument: argument_ = value; return;
    case command: return send_command(value);
    case data_timer: data_timer_ = value; return;
    case data_length: data_length_ = value & ((1u << cell_.data_length_bits) - 1); return;
    case data_control: return control_data(value);
    case clear:
        latched_ &= ~(value & static_flags);
        if ((value & card_busy) != 0) busy_ended_ = false;
        return update();
    case mask0: mask0_ = value; return update();
    case mask1: mask1_ = value; return update();
    default: break;
    }
    if (offset < fifo_first || offset > fifo_last || receiving()) return;
    std::array<std::byte, 4> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    if (fifo_.room() >= 4 + leaving_) fifo_.put(bytes); // else it is lost
    if (data_active_) bus_.go_on();
    update();
}

/// Off and power-up disable the outlets to the card, and its clock stands (DDI 0172, table 3-3).
void Pl18x::set_power(std::uint32_t value) {
    power_ = value;
    bus_.set_open_drain((value >> 6 & 1) != 0);
    if (!powered()) {
        if (command_active_) bus_.cancel_command();
        if (data_active_) bus_.stop_data();
        command_active_ = data_active_ = false;
        update();
    }
    set_clock(clock_);
}

void Pl18x::set_clock(std::uint32_t value) {
    // A cell has no bits for lines that it has not.
    clock_ = value & ~(cell_.lines == 8 ? 0u : cell_.lines == 4 ? 1u << 12 : 3u << 11);
    const bool runs = powered() && (clock_ >> 8 & 1) != 0;
    const std::int64_t divider = clock_ & 0xff;
    std::int64_t cycles = cell_.st_divider ? divider + 2 : 2 * (divider + 1);
    if ((clock_ >> 10 & 1) != 0) cycles = 1; // bypass
    period_ = runs ? mclk_ * cycles : Time{};
    const unsigned width = clock_ >> 11 & 3;
    bus_.set_width(width == 1 ? 4 : width == 2 ? 8 : 1);
    bus_.set_period(period_);
}

void Pl18x::send_command(std::uint32_t value) {
    command_ = value;
    if (!powered()) return;
    if ((value & enable_command) == 0) {
        if (command_active_) bus_.cancel_command();
        command_active_ = false;
        return update();
    }
    command_active_ = true;
    const bool response = (value >> 6 & 1) != 0;
    const bool longer = (value >> 7 & 1) != 0;
    const wire::Expect expect = !response ? wire::Expect::nothing
                                : longer  ? wire::Expect::long_response
                                          : wire::Expect::short_response;
    bus_.send(static_cast<std::uint8_t>(value & 0x3f), argument_, expect, *this);
    update();
}

void Pl18x::command_ended(Outcome outcome, std::uint8_t index, const std::array<std::uint32_t, 4>& words) {
    command_active_ = false;
    command_ &= ~enable_command;
    switch (outcome) {
    case Outcome::sent: latched_ |= command_sent; break;
    case Outcome::no_response: latched_ |= command_timeout; break;
    case Outcome::bad_crc:
    case Outcome::response: {
        response_command_ = index;
        response_ = words;
        const bool longer = (command_ >> 7 & 1) != 0;
        // The cell checks the CRC7 of every short response, also of those that have none.
        const bool crc_ok = outcome == Outcome::response && (longer || index != no_index);
        latched_ |= crc_ok ? response_end : command_crc_fail;
        break;
    }
    }
    if (cell_.busy_detect && bus_.busy()) bus_.when_released(released_);
    update();
}

void Pl18x::released() {
    busy_ended_ = true;
    update();
}

void Pl18x::control_data(std::uint32_t value) {
    const bool was = (data_control_ & enable_data) != 0;
    data_control_ = value;
    const bool is = (value & enable_data) != 0;
    if (was && data_active_) bus_.stop_data();
    data_active_ = false;
    if (!is || block_length() == 0) return update();

    fifo_.clear();
    leaving_ = 0;
    data_active_ = true;
    data_count_ = data_length_;
    blocks_left_ = data_length_ / block_length();
    bus_.set_both_edges(cell_.both_edges && (value >> 15 & 1) != 0);
    const wire::Transfer transfer{block_length(), blocks_left_, cell_.flow_control && (clock_ >> 14 & 1) != 0,
                                  period_ * data_timer_};
    if (blocks_left_ == 0) {
        end_data(data_end | data_block_end);
    } else if (receiving()) {
        bus_.receive(*this, transfer);
    } else {
        bus_.transmit(*this, transfer);
    }
    update();
}

std::uint32_t Pl18x::block_length() const {
    return cell_.block_size_in_bytes ? data_control_ >> 16 & 0x7fff : 1u << (data_control_ >> 4 & 15);
}

bool Pl18x::receiving() const { return data_active_ && (data_control_ & from_card) != 0; }

bool Pl18x::by_dma() const { return dma_ != nullptr && (data_control_ & enable_dma) != 0; }

// --- receive ---

std::uint32_t Pl18x::room() {
    if (by_dma() && fifo_.level() == 0) return page_size;
    // The CPU is to hear of it when the FIFO is half full, and not only when it is full.
    const std::uint32_t half = half_fifo();
    return fifo_.level() < half ? half - fifo_.level() : fifo_.room();
}

void Pl18x::received(const Chunk& slice) {
    data_count_ -= slice.length;
    std::uint32_t taken = 0;
    if (by_dma() && fifo_.level() == 0) taken = dma_->push(slice);
    if (taken < slice.length) {
        const Chunk rest = slice.after(taken);
        if (fifo_.put(bytes(rest)) < rest.length) overrun();
    }
    update();
}

void Pl18x::blocks_received(std::uint32_t blocks, bool crc_ok) { block_ended(blocks, crc_ok); }

void Pl18x::overrun() { end_data(rx_overrun); }

void Pl18x::receive_timed_out() { end_data(data_timeout); }

/// The DMA channel runs again: what the FIFO holds goes first.
void Pl18x::dma_ready() {
    if (!data_active_ || !by_dma()) return;
    feed_dma();
    bus_.go_on();
}

void Pl18x::feed_dma() {
    if (!receiving() || fifo_.level() == 0) return;
    std::array<std::byte, ByteFifo::largest> content;
    const std::uint32_t size = fifo_.get(content);
    const Chunk chunk = chunk_of(std::span(content).first(size));
    const std::uint32_t taken = dma_->push(chunk);
    fifo_.put(bytes(chunk.after(taken)));
}

// --- send ---

Chunk Pl18x::take(std::uint32_t most) {
    Chunk chunk;
    if (by_dma()) {
        chunk = dma_->pull(most);
        // Elements that end within a block: the FIFO puts them together.
        const std::uint32_t block = block_length();
        if (!chunk.empty() && chunk.length < block && chunk.length < most) {
            std::array<std::byte, page_size> together;
            std::uint32_t size = 0;
            const std::uint32_t wanted = std::min(most, block);
            while (!chunk.empty()) {
                std::ranges::copy(bytes(chunk), together.begin() + size);
                size += chunk.length;
                if (size == wanted) break;
                chunk = dma_->pull(wanted - size);
            }
            chunk = chunk_of(std::span(together).first(size));
        }
    } else {
        std::array<std::byte, ByteFifo::largest> content;
        const std::uint32_t size = fifo_.get(std::span(content).first(std::min(most, half_fifo())));
        if (size != 0) chunk = chunk_of(std::span(content).first(size));
        // What is on its way leaves the FIFO bit by bit; its room is there when the next half is taken. The end of a
        // block is taken for having left, so that the FIFO can be filled while the card is busy.
        leaving_ = size < most ? size : 0;
    }
    update();
    return chunk;
}

void Pl18x::blocks_sent(std::uint32_t blocks, bool crc_ok) {
    // The counter is the wire's: what DMA or FIFO have fetched ahead does not count.
    data_count_ -= std::min(blocks * block_length(), data_count_);
    block_ended(blocks, crc_ok);
}

void Pl18x::underrun() { end_data(tx_underrun); }

void Pl18x::send_timed_out() { end_data(data_timeout); }

// --- both ---

void Pl18x::block_ended(std::uint32_t blocks, bool crc_ok) {
    if (!data_active_) return;
    if (!crc_ok) return end_data(data_crc_fail);
    blocks_left_ -= std::min(blocks, blocks_left_);
    if (blocks_left_ == 0) return end_data(data_end | data_block_end);
    latched_ |= data_block_end;
    update();
}

void Pl18x::end_data(std::uint32_t bits) {
    const bool was_receiving = receiving();
    latched_ |= bits;
    if ((bits & data_end) == 0) bus_.stop_data();
    data_active_ = false;
    if (!was_receiving) fifo_.clear();
    update();
}

std::uint32_t Pl18x::live_flags() const {
    const std::uint32_t level = fifo_.level();
    const std::uint32_t half = half_fifo();
    std::uint32_t flags = command_active_ ? std::uint32_t{command_active} : 0u;
    const bool transmit = data_active_ && (data_control_ & from_card) == 0;
    if (transmit) {
        flags |= tx_active;
        if (fifo_.room() >= half + leaving_) flags |= tx_fifo_half_empty;
        if (fifo_.room() < 4 + leaving_) flags |= tx_fifo_full;
        flags |= level == 0 ? tx_fifo_empty : tx_data_available;
    } else {
        // What was received stays readable when the data path has ended.
        if (data_active_) flags |= rx_active;
        if (level >= half) flags |= rx_fifo_half_full;
        if (fifo_.room() < 4) flags |= rx_fifo_full;
        flags |= level == 0 ? rx_fifo_empty : rx_data_available;
    }
    if (cell_.busy_detect && bus_.busy()) flags |= card_busy;
    return flags;
}

void Pl18x::update() {
    const std::uint32_t mask = mask0_ | mask1_;
    const std::uint32_t live = mask & ~(static_flags | card_busy);
    const std::uint32_t latched = latched_ | (busy_ended_ ? std::uint32_t{card_busy} : 0u);
    interrupt_.set((latched & mask) != 0 || (live != 0 && (live_flags() & live) != 0));
}

} // namespace mmcpipe::sim::controller
