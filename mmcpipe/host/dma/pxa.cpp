#include "mmcpipe/host/dma/pxa.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace mmcpipe::host::dma {

using namespace pxa;

namespace {

/// A channel ends the burst that it is at before it counts as stopped.
constexpr base::Duration longest_drain = base::milliseconds(1);

std::uint32_t running(Pxa::WhenStopped then) {
    return dcsr::Run::of(true) | dcsr::StopInterruptEnable::of(then == Pxa::WhenStopped::interrupt);
}

} // namespace

Pxa::Pxa(port::Io& io, port::InterruptLine& line, port::Memory& memory, base::Environment& environment)
    : io_(io), line_(line), memory_(memory), environment_(environment) {
    line_.attach(*this);
}

void Pxa::connect(unsigned channel, unsigned request, PxaUser& user) {
    stop(channel);
    users_[channel] = &user;
    io_.write(request_map(request), drcmr::Valid::of(true) | drcmr::Channel::of(static_cast<std::uint8_t>(channel)));
}

void Pxa::run(unsigned channel, port::BusAddress first, WhenStopped then) {
    // What a list before has left behind is not this one's.
    io_.write_relaxed(control(channel), dcsr::latched);
    io_.write_relaxed(next_descriptor(channel), static_cast<std::uint32_t>(first));
    io_.write(control(channel), running(then));
}

void Pxa::go_on(unsigned channel, WhenStopped then) { io_.write(control(channel), running(then)); }

void Pxa::stop(unsigned channel) { io_.write(control(channel), dcsr::latched); }

base::Result<void> Pxa::wait_stopped(unsigned channel) {
    const base::Instant limit = environment_.now() + longest_drain;
    for (;;) {
        const std::uint32_t status = io_.read(control(channel));
        if (dcsr::Stopped::get(status)) return {};
        if (environment_.now() > limit) return base::fail(base::Code::software_timeout, status);
    }
}

std::uint32_t Pxa::position(unsigned channel) {
    // One of them is the FIFO's, and stays.
    return io_.read(source(channel)) + io_.read(target(channel));
}

bool Pxa::interrupt() noexcept {
    bool mine = false;
    for (std::uint32_t left = io_.read(interrupts); left != 0; left &= left - 1) {
        const auto channel = static_cast<unsigned>(std::countr_zero(left));
        if (users_[channel] == nullptr) continue;
        mine = true;
        // Bus errors are cleared; that it has stopped is no more to be told.
        const std::uint32_t status = io_.read(control(channel));
        io_.write(control(channel), dcsr::latched);
        (void)io_.read(interrupts); // the line is down when we return
        users_[channel]->channel_stopped(dcsr::BusError::get(status));
    }
    return mine;
}

PxaLists::PxaLists(port::Memory& memory, const PxaPeripheral& peripheral, std::uint32_t max_length,
                   std::uint32_t max_elements)
    : memory_(memory), peripheral_(peripheral) {
    storage_ = memory.allocate_coherent(std::size_t{2} * max_elements * sizeof(Descriptor), sizeof(Descriptor));
    constraints_.alignment = burst;
    constraints_.max_length = std::min(max_length, longest_length) & ~(burst - 1);
    constraints_.max_elements = storage_.empty() ? 0 : max_elements;
    constraints_.last_address = 0xffff'ffff;
}

std::span<Descriptor> PxaLists::list(Slot slot) const {
    auto* const first = reinterpret_cast<Descriptor*>(storage_.data());
    return {first + index(slot) * constraints_.max_elements, constraints_.max_elements};
}

base::Result<void> PxaLists::build(Slot slot, std::span<const Element> elements, Direction direction) {
    if (elements.empty() || elements.size() > constraints_.max_elements) return base::fail(base::Code::out_of_range);

    const bool read = direction == Direction::read;
    const std::uint32_t common = dcmd::PeripheralWidth::of(dcmd::Width::byte) | dcmd::Burst::of(dcmd::Size::bytes_32) |
                                 (read ? dcmd::SourceRequests::of(true) | dcmd::IncrementTarget::of(true)
                                       : dcmd::TargetRequests::of(true) | dcmd::IncrementSource::of(true));
    const auto fifo = static_cast<std::uint32_t>(peripheral_.way(direction).fifo);

    const std::span<Descriptor> descriptors = list(slot);
    const auto address =
        static_cast<std::uint32_t>(memory_.bus_address(reinterpret_cast<const std::byte*>(descriptors.data())));
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element& element = elements[i];
        if (element.length > constraints_.max_length) return base::fail(base::Code::out_of_range);
        if (((element.address | element.length) & (burst - 1)) != 0) return base::fail(base::Code::misaligned);

        const auto memory = static_cast<std::uint32_t>(element.address);
        const bool last = i + 1 == elements.size();
        descriptors[i] = {.next = last ? ddadr::Stop::of(true)
                                       : address + static_cast<std::uint32_t>((i + 1) * sizeof(Descriptor)),
                          .source = read ? fifo : memory,
                          .target = read ? memory : fifo,
                          .command = common | dcmd::Length::of(static_cast<std::uint16_t>(element.length))};
    }
    for (const Element& element : elements) count(element);
    ++statistics_.lists;
    used_[index(slot)] = elements.size();
    directions_[index(slot)] = direction;
    return {};
}

void PxaLists::count(const Element& element) {
    ++statistics_.descriptors;
    statistics_.bytes += element.length;
    statistics_.longest = std::max(statistics_.longest, element.length);
    statistics_.shortest = statistics_.shortest == 0 ? element.length : std::min(statistics_.shortest, element.length);
}

port::BusAddress PxaLists::publish(Slot slot) {
    const std::span<const std::byte> bytes = std::as_bytes(descriptors(slot));
    memory_.publish(bytes);
    return memory_.bus_address(bytes.data());
}

} // namespace mmcpipe::host::dma
