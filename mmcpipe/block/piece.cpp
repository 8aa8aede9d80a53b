#include "mmcpipe/block/piece.h"

#include "mmcpipe/block/cut.h"

#include <algorithm>

namespace mmcpipe::block {

namespace {

card::Bounding bounding_of(std::uint32_t sectors, card::Bounding several) {
    return sectors == 1 ? card::Bounding::single : several;
}

} // namespace

void Piece::begin(block::Request& request, const Limits& limits) {
    const std::uint64_t offset = std::uint64_t{request.given} * 512;
    const std::uint32_t left = std::min(limits.sectors, request.sectors - request.given);
    const PieceSize size = next_piece(request.buffers, offset, left, limits.host);
    wanted = {.direction = request.direction(),
              .bounding = bounding_of(size.sectors, limits.bounding),
              .sector = request.sector + request.given,
              .blocks = size.sectors,
              .buffers = request.buffers};
    buffer_offset = offset;
    parts_[0] = {&request, size.sectors};
    count_ = 1;
    sectors_ = size.sectors;
    dma_elements_ = size.elements;
    buffer_count_ = 1;
    leaves_room_for_header = false;
    request.given += size.sectors;
    ++request.under_way;
}

bool Piece::append(block::Request& request, const Limits& limits) {
    // What is left of the limits.
    const std::uint32_t used = sectors_ + (leaves_room_for_header ? 1 : 0);
    const std::uint32_t used_elements = dma_elements_ + (leaves_room_for_header ? 1 : 0);
    if (count_ == most_parts || used >= limits.sectors || request.sectors > limits.sectors - used) return false;
    host::Capabilities left = limits.host;
    if (left.max_blocks <= used || left.max_bytes / 512 <= used) return false;
    left.max_blocks -= used;
    left.max_bytes -= used * 512;
    if (limits.host.max_elements != 0) {
        if (limits.host.max_elements <= used_elements) return false;
        left.max_elements -= used_elements;
    }
    const PieceSize size = next_piece(request.buffers, 0, request.sectors, left);
    if (size.sectors != request.sectors || size.elements > left.max_elements) return false;

    const std::size_t before = buffer_count_;
    const bool first = buffer_count_ == 1;
    if ((first && !gather(wanted.buffers, buffer_offset, std::uint64_t{sectors_} * 512)) ||
        !gather(request.buffers, 0, std::uint64_t{request.sectors} * 512)) {
        buffer_count_ = before;
        return false;
    }
    sectors_ += request.sectors;
    dma_elements_ += size.elements;
    wanted.buffers = {buffers_.data() + 1, buffer_count_ - 1};
    wanted.blocks = sectors_;
    wanted.bounding = bounding_of(sectors_, limits.bounding);
    buffer_offset = 0;
    parts_[count_++] = {&request, request.sectors};
    request.given = request.sectors;
    ++request.under_way;
    return true;
}

void Piece::pack(spec::Addressing addressing) {
    const bool reads = wanted.direction == host::Direction::read;
    std::array<spec::mmc::PackedEntry, most_parts> entries;
    std::size_t count = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const Part& part = parts_[i];
        if (begins_entry(i)) {
            const auto sector = static_cast<std::uint32_t>(part.request->sector);
            entries[count++] = {.count = {}, .address = spec::address_of(sector, addressing)};
        }
        std::uint16_t& blocks = entries[count - 1].count.blocks;
        blocks = static_cast<std::uint16_t>(blocks + part.sectors);
    }
    if (count == 1) return; // they all follow one another
    spec::mmc::encode_packed_header(header_,
                                    reads ? spec::mmc::PackedDirection::read : spec::mmc::PackedDirection::write,
                                    std::span(entries).first(count));
    buffers_[0] = header_;
    if (!reads) {
        packed = card::PackedPart::write;
        wanted.buffers = {buffers_.data(), buffer_count_};
        wanted.blocks = 1 + sectors_;
        return;
    }
    packed = card::PackedPart::read;
    announcement.packed = card::PackedPart::read_header;
    announcement.buffer = header_;
    announcement.wanted = {.direction = host::Direction::write,
                           .bounding = card::Bounding::predefined,
                           .sector = wanted.sector,
                           .blocks = 1,
                           .buffers = {&announcement.buffer, 1}};
}

bool Piece::begins_entry(std::size_t i) const {
    return i == 0 || parts_[i - 1].request->end() != parts_[i].request->sector;
}

bool Piece::done_before(std::size_t i, std::size_t entries) const {
    std::size_t entry = 0; // of part i, from 1
    for (std::size_t part = 0; part <= i; ++part) entry += begins_entry(part) ? 1 : 0;
    return entry <= entries;
}

/// Puts the `bytes` bytes of `buffers` from `offset` on into the list. False: it is full.
bool Piece::gather(std::span<const host::Buffer> buffers, std::uint64_t offset, std::uint64_t bytes) {
    for (const host::Buffer whole : buffers) {
        if (bytes == 0) return true;
        if (offset >= whole.size()) {
            offset -= whole.size();
            continue;
        }
        if (buffer_count_ == buffers_.size()) return false;
        const host::Buffer rest = whole.subspan(static_cast<std::size_t>(offset));
        offset = 0;
        const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), bytes));
        buffers_[buffer_count_++] = rest.first(length);
        bytes -= length;
    }
    return bytes == 0;
}

} // namespace mmcpipe::block
