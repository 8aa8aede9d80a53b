#include "mmcpipe/sim/dma/pxa.h"

#include <algorithm>

namespace mmcpipe::sim::dma {

namespace {

// PXA27x Developer's Manual, table 5-11.
enum Register : std::uint32_t {
    first_dcsr = 0x000,
    dalgn = 0x0a0,
    dint = 0x0f0,
    first_drcmr = 0x100,
    first_descriptor = 0x200,
};

// DCSR.
constexpr std::uint32_t bus_error_interrupt = 1u << 0;
constexpr std::uint32_t start_interrupt = 1u << 1;
constexpr std::uint32_t end_interrupt = 1u << 2;
constexpr std::uint32_t stop_state = 1u << 3;
constexpr std::uint32_t stop_interrupt_enable = 1u << 29;
constexpr std::uint32_t no_descriptor_fetch = 1u << 30;
constexpr std::uint32_t run = 1u << 31;
constexpr std::uint32_t latched_bits = bus_error_interrupt | start_interrupt | end_interrupt;

// DCMD.
constexpr std::uint32_t end_interrupt_enable = 1u << 21;
constexpr std::uint32_t start_interrupt_enable = 1u << 22;
constexpr std::uint32_t flow_target = 1u << 28;
constexpr std::uint32_t flow_source = 1u << 29;
constexpr std::uint32_t increment_target = 1u << 30;
constexpr std::uint32_t increment_source = 1u << 31;
constexpr std::uint32_t byte_wide = 1;

constexpr std::uint32_t stop_bit = 1; // DDADR
constexpr std::uint32_t map_valid = 1u << 7;

} // namespace

Pxa::Pxa(Engine& engine, Memory& memory, InterruptLine& line, wire::Faults* faults)
    : memory_(memory), interrupt_(engine, line, nullptr), faults_(faults) {}

Channel& Pxa::wire(unsigned number, Peripheral& peripheral, port::BusAddress fifo) {
    Request& request = requests_.at(number);
    request.controller = this;
    request.peripheral = &peripheral;
    request.fifo = fifo;
    return request;
}

std::uint32_t Pxa::read(std::uint32_t offset) {
    if (offset < first_dcsr + 4 * channels) return status(streams_[offset / 4]);
    if (offset == dalgn) return alignment_;
    if (offset == dint) return pending();
    if (offset >= first_drcmr && offset < first_drcmr + 4 * requests) return requests_[(offset - first_drcmr) / 4].map;
    if (offset >= first_descriptor && offset < first_descriptor + 16 * channels)
        return streams_[(offset - first_descriptor) / 16].descriptor[offset % 16 / 4];
    return 0;
}

void Pxa::write(std::uint32_t offset, std::uint32_t value) {
    if (offset < first_dcsr + 4 * channels) {
        control(streams_[offset / 4], value);
    } else if (offset == dalgn) {
        alignment_ = value;
    } else if (offset >= first_drcmr && offset < first_drcmr + 4 * requests) {
        requests_[(offset - first_drcmr) / 4].map = value & 0x9f;
    } else if (offset >= first_descriptor && offset < first_descriptor + 16 * channels) {
        Stream& stream = streams_[(offset - first_descriptor) / 16];
        if (!stream.running) stream.descriptor[offset % 16 / 4] = value;
    }
}

std::uint32_t Pxa::status(const Stream& stream) const {
    return stream.control | stream.latched | (stream.running ? run : stop_state);
}

void Pxa::control(Stream& stream, std::uint32_t value) {
    stream.latched &= ~(value & latched_bits);
    stream.control = value & (stop_interrupt_enable | no_descriptor_fetch);
    if ((value & run) == 0 && stream.running) {
        stop(stream);
    } else if ((value & run) != 0 && !stream.running && (stream.descriptor[0] & stop_bit) == 0) {
        stream.running = true;
        stream.fails_after = UINT32_MAX;
        if (faults_ != nullptr) stream.fails_after = faults_->dma_transfer(UINT32_MAX).value_or(UINT32_MAX);
        fetch(stream);
        const Request* const request = request_of(stream);
        if (request != nullptr && stream.running) request->peripheral->dma_ready();
    }
    update();
}

/// The next descriptor becomes the stream's.
void Pxa::fetch(Stream& stream) {
    stream.length = 0;
    const std::uint32_t from = stream.descriptor[0] & ~15u;
    for (std::uint32_t i = 0; i < 4; ++i) {
        const auto word = memory_.dma_read_word(from + 4 * i);
        if (!word) return bus_error(stream);
        stream.descriptor[i] = *word;
    }
    const std::uint32_t command = stream.descriptor[3];
    if ((command & start_interrupt_enable) != 0) stream.latched |= start_interrupt;

    const Request* const request = request_of(stream);
    const bool inward = to_memory(stream);
    const std::uint32_t fifo = stream.descriptor[inward ? 1 : 2];
    const std::uint32_t increments = command & (increment_source | increment_target);
    const bool fits = request != nullptr && fifo == request->fifo && (command >> 14 & 3) == byte_wide &&
                      (command & flow_target) == (inward ? 0 : flow_target) &&
                      increments == (inward ? increment_target : increment_source);
    if (!fits) return bus_error(stream);

    const auto number = static_cast<unsigned>(&stream - streams_.data());
    if ((alignment_ >> number & 1) == 0) address(stream) &= ~7u;
    stream.begun = address(stream);
    stream.length = left(stream);
    memory_.dma_begins(stream.begun, stream.length, inward);
    if (stream.length == 0) end_descriptor(stream);
}

void Pxa::end_descriptor(Stream& stream) {
    memory_.dma_ends(stream.begun, stream.length, to_memory(stream));
    if ((stream.descriptor[3] & end_interrupt_enable) != 0) stream.latched |= end_interrupt;
    if ((stream.descriptor[0] & stop_bit) == 0) {
        fetch(stream);
    } else {
        stream.running = false;
    }
    update();
}

void Pxa::advance(Stream& stream, std::uint32_t bytes) {
    address(stream) += bytes;
    stream.descriptor[3] -= bytes;
    if (left(stream) == 0) end_descriptor(stream);
}

void Pxa::bus_error(Stream& stream) {
    stream.latched |= bus_error_interrupt;
    stop(stream);
    update();
}

void Pxa::stop(Stream& stream) {
    if (stream.length != 0) memory_.dma_ends(stream.begun, stream.length, to_memory(stream));
    stream.running = false;
}

bool Pxa::to_memory(const Stream& stream) { return (stream.descriptor[3] & flow_source) != 0; }

/// The request line that is mapped to the channel.
Pxa::Request* Pxa::request_of(const Stream& stream) {
    const auto number = static_cast<std::uint32_t>(&stream - streams_.data());
    const auto found = std::ranges::find(requests_, number | map_valid, &Request::map);
    return found != requests_.end() && found->peripheral != nullptr ? &*found : nullptr;
}

std::uint32_t Pxa::pending() const {
    std::uint32_t bits = 0;
    for (unsigned n = 0; n < channels; ++n) {
        const Stream& stream = streams_[n];
        const bool stopped = !stream.running && (stream.control & stop_interrupt_enable) != 0;
        if (stream.latched != 0 || stopped) bits |= 1u << n;
    }
    return bits;
}

/// The channel that serves this line, if it runs in that direction.
Pxa::Stream* Pxa::Request::stream(bool inward) {
    if ((map & map_valid) == 0) return nullptr;
    Stream& stream = controller->streams_[map & 31];
    return stream.running && to_memory(stream) == inward ? &stream : nullptr;
}

std::uint32_t Pxa::Request::push(const Chunk& data) {
    std::uint32_t taken = 0;
    while (taken < data.length) {
        Stream* s = stream(true);
        if (s == nullptr) break;
        const std::uint32_t part = std::min<std::uint32_t>(data.length - taken, left(*s));
        if (part > s->fails_after || !controller->memory_.dma_write(address(*s), data.after(taken).first(part))) {
            controller->bus_error(*s);
            break;
        }
        if (s->fails_after != UINT32_MAX) s->fails_after -= part;
        taken += part;
        controller->advance(*s, part);
    }
    return taken;
}

Chunk Pxa::Request::pull(std::uint32_t most) {
    Stream* s = stream(false);
    if (s == nullptr) return {};
    Chunk chunk = controller->memory_.dma_read(address(*s), std::min(most, left(*s)));
    if (chunk.empty() || chunk.length > s->fails_after) {
        controller->bus_error(*s);
        return {};
    }
    if (s->fails_after != UINT32_MAX) s->fails_after -= chunk.length;
    controller->advance(*s, chunk.length);
    return chunk;
}

} // namespace mmcpipe::sim::dma
