#include "mmcpipe/sim/dma/pl080.h"

#include <algorithm>

namespace mmcpipe::sim::dma {

namespace {

// DDI 0196, table 3-1.
enum Register : std::uint32_t {
    int_status = 0x000,
    int_tc_status = 0x004,
    int_tc_clear = 0x008,
    int_error_status = 0x00c,
    int_error_clear = 0x010,
    raw_tc_status = 0x014,
    raw_error_status = 0x018,
    enabled_channels = 0x01c,
    configuration = 0x030,
    first_channel = 0x100,
    channel_size = 0x020,
};

constexpr std::uint32_t terminal_count_interrupt = 1u << 31; // of a control word
constexpr std::uint32_t enable = 1u << 0;                    // of a channel configuration
constexpr std::uint32_t error_unmasked = 1u << 14;
constexpr std::uint32_t terminal_count_unmasked = 1u << 15;
constexpr std::uint32_t halt = 1u << 18;

/// Bytes of one transfer: the source's width.
std::uint32_t source_width(std::uint32_t control) { return 1u << (control >> 18 & 7); }

/// One end of an element, as its control word has it (DDI 0196, 3.4.5).
struct End {
    End(std::uint32_t control, bool source)
        : width(control >> (source ? 18 : 21) & 7),
          burst(control >> (source ? 12 : 15) & 7),
          increments((control >> (source ? 26 : 27) & 1) != 0) {}

    std::uint32_t bytes() const { return 1u << width; }
    std::uint32_t burst_transfers() const { return burst == 0 ? 1 : 2u << burst; }

    std::uint32_t width;
    std::uint32_t burst;
    bool increments;
};
constexpr std::uint32_t word_wide = 2;

/// What is read where nothing is.
Chunk nothing(std::uint32_t bytes) {
    return {.page = {}, .offset = 0, .length = static_cast<std::uint16_t>(std::min<std::uint32_t>(bytes, page_size))};
}

} // namespace

Pl080::Pl080(Engine& engine, Memory& memory, InterruptLine& line, wire::Faults* faults, bool wide_count)
    : memory_(memory), interrupt_(engine, line, nullptr), faults_(faults), wide_count_(wide_count) {}

Channel& Pl080::wire(unsigned number, Peripheral& peripheral, const Fifo& fifo) {
    Request& request = requests_.at(number);
    request.controller = this;
    request.number = number;
    request.peripheral = &peripheral;
    request.fifo = fifo;
    return request;
}

std::uint32_t Pl080::read(std::uint32_t offset) {
    switch (offset) {
    case int_tc_status: {
        std::uint32_t bits = 0;
        for (unsigned n = 0; n < channels; ++n)
            bits |= (streams_[n].configuration & terminal_count_unmasked) != 0 ? 1u << n : 0;
        return terminal_count_ & bits;
    }
    case int_error_status: {
        std::uint32_t bits = 0;
        for (unsigned n = 0; n < channels; ++n) bits |= (streams_[n].configuration & error_unmasked) != 0 ? 1u << n : 0;
        return errors_ & bits;
    }
    case int_status: return read(int_tc_status) | read(int_error_status);
    case raw_tc_status: return terminal_count_;
    case raw_error_status: return errors_;
    case enabled_channels: {
        std::uint32_t bits = 0;
        for (unsigned n = 0; n < channels; ++n) bits |= (streams_[n].configuration & enable) << n;
        return bits;
    }
    case configuration: return enabled_ ? 1 : 0;
    default: break;
    }
    if (offset < first_channel || offset >= first_channel + channels * channel_size) return 0;
    const Stream& stream = streams_[(offset - first_channel) / channel_size];
    const std::uint32_t word = (offset - first_channel) % channel_size / 4;
    if (word < 4) return stream.item[word];
    if (wide_count_ && word == 4) return stream.wide_count;
    if (word == (wide_count_ ? 5u : 4u)) return stream.configuration;
    return 0;
}

void Pl080::write(std::uint32_t offset, std::uint32_t value) {
    switch (offset) {
    case int_tc_clear: terminal_count_ &= ~value; return update();
    case int_error_clear: errors_ &= ~value; return update();
    case configuration: enabled_ = (value & 1) != 0; return;
    default: break;
    }
    if (offset < first_channel || offset >= first_channel + channels * channel_size) return;
    const unsigned number = (offset - first_channel) / channel_size;
    Stream& stream = streams_[number];
    const std::uint32_t word = (offset - first_channel) % channel_size / 4;
    if (word < 4) {
        stream.item[word] = value;
    } else if (wide_count_ && word == 4) {
        stream.wide_count = value;
    } else if (word == (wide_count_ ? 5u : 4u)) {
        configure(number, value);
    }
}

void Pl080::configure(unsigned channel, std::uint32_t value) {
    Stream& stream = streams_[channel];
    stream.configuration = value;
    const bool run = enabled_ && (value & enable) != 0 && (value & halt) == 0;
    if (run && !stream.running) {
        start(stream);
    } else if ((value & enable) == 0 && stream.running) {
        stop(stream);
    }
    update();
}

void Pl080::start(Stream& stream) {
    const std::uint32_t flow = stream.configuration >> 11 & 7;
    if (flow != 1 && flow != 2) return; // no peripheral
    stream.to_memory = flow == 2;
    stream.running = true;
    stream.moved = false;
    stream.fails_after = UINT32_MAX;
    begin_element(stream);
    const Request& request = request_of(stream);
    if (stream.running && request.peripheral != nullptr) request.peripheral->dma_ready();
}

const Pl080::Request& Pl080::request_of(const Stream& stream) const {
    return requests_[stream.configuration >> (stream.to_memory ? 1 : 6) & 15];
}

/// What its two ends make of the element: looked at once, so that a right one costs nothing more.
void Pl080::examine(Stream& stream) {
    const End peripheral(stream.item[3], stream.to_memory);
    const End memory(stream.item[3], !stream.to_memory);
    const Fifo& fifo = request_of(stream).fifo;

    // Where there is no FIFO there is nothing that would answer.
    const std::uint32_t into = stream.item[stream.to_memory ? 0 : 1] - fifo.address;
    const std::uint32_t within = into < fifo.size ? fifo.size - into : 0;
    stream.reach = within != 0 && !peripheral.increments ? UINT32_MAX : within;
    // A narrow access moves a whole word of the FIFO, and uses a part of it.
    stream.rubbish = peripheral.width != word_wide || peripheral.burst_transfers() > fifo.burst;
    // The two widths may differ, since the channel packs; an address is a multiple of its width.
    memory_address(stream) &= ~(memory.bytes() - 1);
    stream.same_word = !memory.increments;
}

void Pl080::begin_element(Stream& stream) {
    const std::uint32_t control = stream.item[3];
    const std::uint32_t count = wide_count_ ? stream.wide_count & 0x1ff'ffff : control & 0xfff;
    stream.left = stream.length = count * source_width(control);
    examine(stream);
    stream.begun = memory_address(stream);
    memory_.dma_begins(stream.begun, stream.length, stream.to_memory);
    if (stream.left == 0) end_element(stream);
}

void Pl080::end_element(Stream& stream) {
    memory_.dma_ends(stream.begun, stream.length, stream.to_memory);
    if ((stream.item[3] & terminal_count_interrupt) != 0) terminal_count_ |= 1u << number_of(stream);
    const std::uint32_t next = stream.item[2] & ~3u;
    if (next == 0) {
        stream.running = false;
        stream.configuration &= ~enable;
        return update();
    }
    std::array<std::uint32_t, 5> words{};
    for (std::uint32_t i = 0; i < (wide_count_ ? 5u : 4u); ++i) {
        const auto word = memory_.dma_read_word(next + 4 * i);
        if (!word) {
            stream.length = 0;
            return bus_error(stream);
        }
        words[i] = *word;
    }
    std::copy_n(words.begin(), 4, stream.item.begin());
    stream.wide_count = words[4];
    begin_element(stream);
}

void Pl080::advance(Stream& stream, std::uint32_t bytes) {
    if (!stream.same_word) memory_address(stream) += bytes;
    if (stream.reach != UINT32_MAX) stream.reach -= bytes;
    stream.left -= bytes;
    if (stream.left == 0) end_element(stream);
}

/// The channel stops at once, DDI 0196 3.4.
void Pl080::bus_error(Stream& stream) {
    errors_ |= 1u << number_of(stream);
    stop(stream);
    update();
}

void Pl080::stop(Stream& stream) {
    if (stream.length != 0) memory_.dma_ends(stream.begun, stream.length, stream.to_memory);
    stream.running = false;
    stream.configuration &= ~enable;
}

void Pl080::update() { interrupt_.set((terminal_count_ | errors_) != 0 && read(int_status) != 0); }

/// The running channel that listens to this request line.
Pl080::Stream* Pl080::Request::stream(bool to_memory) {
    for (Stream& s : controller->streams_) {
        if (s.running && s.to_memory == to_memory && (s.configuration >> (to_memory ? 1 : 6) & 15) == number) return &s;
    }
    return nullptr;
}

/// False: bus error. The plan is asked with the first data, and not when the channel is started: that of a read is
/// started before its command.
bool Pl080::may_move(Stream& stream, std::uint32_t bytes) {
    if (!stream.moved && faults_ != nullptr)
        stream.fails_after = faults_->dma_transfer(UINT32_MAX).value_or(UINT32_MAX);
    stream.moved = true;
    if (bytes > stream.fails_after || bytes > stream.reach) return false;
    if (stream.fails_after != UINT32_MAX) stream.fails_after -= bytes;
    return true;
}

/// False: bus error.
bool Pl080::store(const Stream& stream, const Chunk& data) {
    if (stream.rubbish) return memory_.dma_write(stream.item[1], nothing(data.length));
    const std::uint32_t before_last = data.length > 4 ? data.length - 4u : 0;
    return memory_.dma_write(stream.item[1], stream.same_word ? data.after(before_last) : data);
}

/// Empty: bus error.
Chunk Pl080::load(const Stream& stream, std::uint32_t most) {
    Chunk chunk = memory_.dma_read(stream.item[0], stream.same_word ? std::min(most, 4u) : most);
    if (chunk.empty() || !(stream.same_word || stream.rubbish)) return chunk;
    if (stream.rubbish) return nothing(chunk.length);
    std::array<std::byte, page_size> repeated;
    const std::uint32_t size = std::min<std::uint32_t>(most, page_size);
    for (std::uint32_t i = 0; i < size; ++i) repeated[i] = bytes(chunk)[i % chunk.length];
    return chunk_of(std::span(repeated).first(size));
}

std::uint32_t Pl080::Request::push(const Chunk& data) {
    std::uint32_t taken = 0;
    while (taken < data.length) {
        Stream* s = stream(true);
        if (s == nullptr) break;
        const std::uint32_t part = std::min<std::uint32_t>(data.length - taken, s->left);
        if (!controller->may_move(*s, part) || !controller->store(*s, data.after(taken).first(part))) {
            controller->bus_error(*s);
            break;
        }
        taken += part;
        controller->advance(*s, part);
    }
    return taken;
}

Chunk Pl080::Request::pull(std::uint32_t most) {
    Stream* s = stream(false);
    if (s == nullptr) return {};
    Chunk chunk = controller->load(*s, std::min(most, s->left));
    if (chunk.empty() || !controller->may_move(*s, chunk.length)) {
        controller->bus_error(*s);
        return {};
    }
    controller->advance(*s, chunk.length);
    return chunk;
}

} // namespace mmcpipe::sim::dma
