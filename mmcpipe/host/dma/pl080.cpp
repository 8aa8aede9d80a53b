#include "mmcpipe/host/dma/pl080.h"

#include <algorithm>

namespace mmcpipe::host::dma {

using namespace pl080;

namespace {

/// A channel ends its bus access, at the longest one burst, before it counts as disabled.
constexpr base::Duration longest_drain = base::milliseconds(1);

} // namespace

Pl080::Pl080(port::Io& io, port::InterruptLine& line, port::Memory& memory, base::Environment& environment)
    : io_(io), memory_(memory), environment_(environment) {
    io_.write(int_tc_clear, 0xff);
    io_.write(int_error_clear, 0xff);
    io_.write(configuration, 1);
    line.attach(*this);
}

bool Pl080::interrupt() noexcept {
    const std::uint32_t failed = io_.read(int_error_status);
    const std::uint32_t complete = io_.read(int_tc_status);
    if ((failed | complete) == 0) return false;

    if (failed != 0) io_.write_relaxed(int_error_clear, failed);
    if (complete != 0) io_.write_relaxed(int_tc_clear, complete);
    (void)io_.read(int_tc_status); // the line is down when we return

    for (unsigned n = 0; n < channels; ++n) {
        if (channels_[n] == nullptr) continue;
        if ((failed >> n & 1) != 0) {
            channels_[n]->ended(base::fail(base::Code::dma_error, failed));
        } else if ((complete >> n & 1) != 0) {
            channels_[n]->ended({});
        }
    }
    return true;
}

Pl080Channel::Pl080Channel(Pl080& controller, const Wiring& wiring, Layout layout, std::uint32_t max_length,
                           std::uint32_t max_elements)
    : controller_(controller), wiring_(wiring), layout_(layout) {
    const std::size_t item_bytes = item_words(layout) * sizeof(Word);
    descriptors_ = controller.memory_.allocate_coherent(std::size_t{2} * max_elements * item_bytes, 32);
    constraints_.alignment = sizeof(Word);
    constraints_.max_length =
        std::min(max_length & ~3u, largest_count(layout) * static_cast<std::uint32_t>(sizeof(Word)));
    constraints_.max_elements = descriptors_.empty() ? 0 : max_elements;
    constraints_.last_address = 0xffff'ffff;
    controller.channels_[wiring.channel] = this;
}

std::span<Pl080Channel::Word> Pl080Channel::descriptor(Slot slot, std::size_t index) {
    const std::size_t words = item_words(layout_);
    const std::size_t first = (slot == Slot::second ? constraints_.max_elements : 0) * words;
    return {reinterpret_cast<Word*>(descriptors_.data()) + first + index * words, words};
}

base::Result<void> Pl080Channel::prepare(Slot slot, std::span<const Element> elements, Direction direction) {
    if (elements.empty() || elements.size() > constraints_.max_elements) return base::fail(base::Code::out_of_range);

    const bool to_memory = direction == Direction::read;
    const std::uint8_t burst = burst_code(wiring_.burst_words);
    const Word common = item::SourceBurst::of(burst) | item::DestinationBurst::of(burst) |
                        item::SourceWidth::of(Width::word) | item::DestinationWidth::of(Width::word) |
                        item::SourceIncrement::of(!to_memory) | item::DestinationIncrement::of(to_memory);
    const auto fifo = static_cast<Word>(wiring_.fifo);

    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element& element = elements[i];
        if (element.length > constraints_.max_length) return base::fail(base::Code::out_of_range);
        if (((element.address | element.length) & 3) != 0) return base::fail(base::Code::misaligned);

        const bool last = i + 1 == elements.size();
        const auto memory = static_cast<Word>(element.address);
        const Word count = element.length / sizeof(Word);
        const std::span<Word> item = descriptor(slot, i);
        item[0] = to_memory ? fifo : memory;
        item[1] = to_memory ? memory : fifo;
        item[2] = last ? 0
                       : static_cast<Word>(controller_.memory_.bus_address(
                             reinterpret_cast<std::byte*>(descriptor(slot, i + 1).data())));
        item[3] = common | item::TerminalCountInterrupt::of(last && announce_ == Announce::every_end);
        if (layout_ == Layout::pl080) {
            item[3] |= item::Count::of(count);
        } else {
            item[4] = count;
        }
    }
    const std::span<Word> first = descriptor(slot, 0);
    lists_[static_cast<std::size_t>(slot)] = {std::as_bytes(std::span(first.data(), elements.size() * first.size())),
                                              direction};
    return {};
}

void Pl080Channel::start(Slot slot) {
    // The engine must find the descriptors.
    controller_.memory_.publish(lists_[static_cast<std::size_t>(slot)].items);

    port::Io& io = controller_.io_;
    if (terminated_) {
        // An end that came after the last list was terminated is not this one's.
        io.write_relaxed(int_tc_clear, 1u << wiring_.channel);
        io.write_relaxed(int_error_clear, 1u << wiring_.channel);
        terminated_ = false;
    }

    // The channel's registers are the first item of the list.
    const std::span<const Word> first = descriptor(slot, 0);
    for (std::uint32_t i = 0; i < first.size(); ++i) io.write_relaxed(offset(i * sizeof(Word)), first[i]);

    const bool to_memory = lists_[static_cast<std::size_t>(slot)].direction == Direction::read;
    running_ = true;
    ended_ = {};
    // Whoever sets the peripheral going next orders that behind this.
    io.write_relaxed(offset(channel_configuration(layout_)),
                     channel::Enable::of(true) | channel::ErrorInterrupt::of(true) |
                         channel::TerminalCountInterrupt::of(true) |
                         channel::SourcePeripheral::of(to_memory ? wiring_.request : std::uint8_t{0}) |
                         channel::DestinationPeripheral::of(to_memory ? std::uint8_t{0} : wiring_.request) |
                         channel::FlowControl::of(to_memory ? Flow::peripheral_to_memory : Flow::memory_to_peripheral));
}

void Pl080Channel::terminate() {
    if (!running_) return;
    running_ = false;
    terminated_ = true;
    controller_.io_.write(offset(channel_configuration(layout_)), 0);
}

base::Result<void> Pl080Channel::quiesce() {
    // With its last item, or a bus error, the channel disables itself (DDI 0196, 3.4).
    if (!running_ && !terminated_) return ended_;
    const std::uint32_t mine = 1u << wiring_.channel;
    const base::Instant limit = controller_.environment_.now() + longest_drain;
    while ((controller_.io_.read(enabled_channels) & mine) != 0) {
        if (controller_.environment_.now() > limit) return base::fail(base::Code::software_timeout);
    }
    // Of an error the interrupt may not have told yet.
    if (!terminated_ && (controller_.io_.read(raw_error_status) & mine) != 0) {
        controller_.io_.write(int_error_clear, mine);
        ended_ = base::fail(base::Code::dma_error, mine);
    }
    running_ = false;
    return ended_;
}

std::uint32_t Pl080Channel::position() {
    // One of them is the FIFO's, and stays.
    return controller_.io_.read(offset(source)) + controller_.io_.read(offset(destination));
}

void Pl080Channel::ended(base::Result<void> result) noexcept {
    if (!running_) return; // terminated meanwhile
    running_ = false;
    ended_ = result;
    listener_->dma_ended(result);
}

} // namespace mmcpipe::host::dma
