#include "mmcpipe/host/dma/mapping.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace mmcpipe::host::dma {

namespace {

std::size_t bytes_to_multiple(std::uintptr_t value, std::size_t unit) {
    return (unit - (value & (unit - 1))) & (unit - 1);
}

} // namespace

template <class Visit>
base::Result<void> Mapping::for_each_piece(Visit&& visit) {
    const std::size_t alignment = constraints_.alignment;
    // A line that a read shares with a neighbour cannot be invalidated; one that a write shares can be cleaned.
    const std::size_t unit = data_.direction == Direction::read ? this->alignment() : constraints_.alignment;

    std::size_t skip = data_.offset;
    std::size_t left = data_.bytes();
    std::size_t position = 0; // in the stream
    for (const Buffer whole : data_.buffers) {
        const Buffer rest = whole.subspan(std::min(whole.size(), skip));
        skip -= whole.size() - rest.size();
        const Buffer buffer = rest.first(std::min(rest.size(), left));
        if (buffer.empty()) continue;
        left -= buffer.size();

        const auto address = reinterpret_cast<std::uintptr_t>(buffer.data());
        std::size_t head = bytes_to_multiple(address, unit);
        std::size_t middle = 0;
        const bool in_step = ((position + head) & (alignment - 1)) == 0;
        const port::BusAddress bus = memory_.bus_address(buffer.data());
        const bool reachable = bus <= constraints_.last_address && buffer.size() - 1 <= constraints_.last_address - bus;
        if (in_step && reachable && head < buffer.size()) middle = (buffer.size() - head) & ~(unit - 1);
        if (middle == 0) head = buffer.size();
        const std::size_t tail = buffer.size() - head - middle;

        if (head != 0) {
            const auto done = visit(buffer.first(head), false);
            if (!done) return done;
        }
        if (middle != 0) {
            const auto done = visit(buffer.subspan(head, middle), true);
            if (!done) return done;
        }
        if (tail != 0) {
            const auto done = visit(buffer.last(tail), false);
            if (!done) return done;
        }
        position += buffer.size();
    }
    if (left != 0) return base::fail(base::Code::out_of_range); // buffers shorter than the data
    return {};
}

base::Result<void> Mapping::map(const Data& data) {
    data_ = data;
    used_elements_ = used_bounced_ = used_bounce_ = 0;
    open_ = false;
    if ((data.bytes() & (constraints_.alignment - 1)) != 0) return base::fail(base::Code::misaligned);

    const auto mapped =
        for_each_piece([this](Buffer piece, bool direct) { return direct ? map_direct(piece) : map_bounced(piece); });
    // Also after a failure: no maintenance may still be under way when the data moves otherwise.
    if (barrier_per_ == BarrierPer::list) memory_.barrier();
    if (!mapped) return mapped;
    if (used_bounce_ != 0 && data.direction == Direction::write) memory_.publish(storage_.bounce.first(used_bounce_));
    return {};
}

void Mapping::unmap() {
    if (data_.direction == Direction::write) return;
    std::ignore = for_each_piece([this](Buffer piece, bool direct) -> base::Result<void> { // nothing in it fails
        if (!direct || memory_.line_size() == 1) return {};
        memory_.invalidate(piece);
        if (barrier_per_ == BarrierPer::element) memory_.barrier();
        return {};
    });
    if (barrier_per_ == BarrierPer::list) memory_.barrier();
    for (const Bounced& b : storage_.bounced.first(used_bounced_))
        std::memcpy(b.client.data(), b.bounce.data(), b.client.size());
}

base::Result<void> Mapping::map_direct(Buffer piece) {
    open_ = false;
    if (memory_.line_size() != 1) {
        if (data_.direction == Direction::write) {
            memory_.clean(piece);
        } else {
            memory_.invalidate(piece);
        }
        if (barrier_per_ == BarrierPer::element) memory_.barrier();
    }
    return append(memory_.bus_address(piece.data()), static_cast<std::uint32_t>(piece.size()));
}

base::Result<void> Mapping::map_bounced(Buffer piece) {
    const bool fits = used_bounced_ < storage_.bounced.size() && piece.size() <= storage_.bounce.size() - used_bounce_;
    if (!fits) return base::fail(base::Code::out_of_range);

    const Buffer bounce = storage_.bounce.subspan(used_bounce_, piece.size());
    if (data_.direction == Direction::write) std::memcpy(bounce.data(), piece.data(), piece.size());
    storage_.bounced[used_bounced_++] = Bounced{piece, bounce};
    used_bounce_ += static_cast<std::uint32_t>(piece.size());

    const auto appended = append(memory_.bus_address(bounce.data()), static_cast<std::uint32_t>(piece.size()));
    open_ = true;
    return appended;
}

base::Result<void> Mapping::append(port::BusAddress address, std::uint32_t length) {
    while (length != 0) {
        if (open_) {
            // Bounced pieces lie one behind the other: the last element grows.
            Element& last = storage_.elements[used_elements_ - 1];
            const std::uint32_t more = std::min(length, room(last.address) - last.length);
            last.length += more;
            address += more;
            length -= more;
            open_ = false;
            continue;
        }
        const std::size_t limit = std::min<std::size_t>(storage_.elements.size(), constraints_.max_elements);
        if (used_elements_ == limit) return base::fail(base::Code::out_of_range);
        const std::uint32_t part = std::min(length, room(address));
        storage_.elements[used_elements_++] = Element{address, part};
        address += part;
        length -= part;
    }
    return {};
}

/// The longest element that can begin at `address`.
std::uint32_t Mapping::room(port::BusAddress address) const {
    if (constraints_.boundary == 0) return constraints_.max_length;
    const std::uint64_t to_boundary = constraints_.boundary - (address & (constraints_.boundary - 1));
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(constraints_.max_length, to_boundary));
}

} // namespace mmcpipe::host::dma
