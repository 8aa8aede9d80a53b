#include "mmcpipe/block/piece.h"

#include "mmcpipe/block/cut.h"

#include <algorithm>

namespace mmcpipe::block {

namespace {

card::Bounding bounding_of(std::uint32_t sectors, card::Bounding several) {
    return sectors == 1 ? card::Bounding::single : several;
}

} // namespace

void Piece::begin(block::Request& request, std::uint32_t most, card::Bounding bounding,
                  const host::Capabilities& host) {
    const std::uint64_t offset = std::uint64_t{request.given} * 512;
    const PieceSize size = next_piece(request.buffers, offset, std::min(most, request.sectors - request.given), host);
    wanted = {.direction = request.direction(),
              .bounding = bounding_of(size.sectors, bounding),
              .sector = request.sector + request.given,
              .blocks = size.sectors,
              .buffers = request.buffers};
    buffer_offset = offset;
    parts_[0] = {&request, size.sectors};
    count_ = 1;
    dma_elements_ = size.elements;
    buffer_count_ = 0;
    request.given += size.sectors;
    ++request.under_way;
}

bool Piece::append(block::Request& request, std::uint32_t most, card::Bounding bounding,
                   const host::Capabilities& host) {
    if (count_ == most_parts || wanted.blocks >= most || request.sectors > most - wanted.blocks) return false;

    // What is left of the host's limits.
    host::Capabilities left = host;
    const std::uint32_t bytes = wanted.blocks * 512;
    if (left.max_blocks <= wanted.blocks || left.max_bytes <= bytes) return false;
    left.max_blocks -= wanted.blocks;
    left.max_bytes -= bytes;
    if (host.max_elements != 0) {
        if (host.max_elements <= dma_elements_) return false;
        left.max_elements -= dma_elements_;
    }
    const PieceSize size = next_piece(request.buffers, 0, request.sectors, left);
    if (size.sectors != request.sectors || (host.max_elements != 0 && size.elements > left.max_elements)) return false;

    const std::size_t before = buffer_count_;
    const bool first = buffer_count_ == 0;
    if ((first && !gather(wanted.buffers, buffer_offset, bytes)) ||
        !gather(request.buffers, 0, std::uint64_t{request.sectors} * 512)) {
        buffer_count_ = before;
        return false;
    }
    wanted.buffers = {buffers_.data(), buffer_count_};
    wanted.blocks += request.sectors;
    wanted.bounding = bounding_of(wanted.blocks, bounding);
    buffer_offset = 0;
    dma_elements_ += size.elements;
    parts_[count_++] = {&request, request.sectors};
    request.given = request.sectors;
    ++request.under_way;
    return true;
}

/// Puts the `bytes` bytes of `buffers` from `offset` on into the list. False: it is full.
bool Piece::gather(std::span<const host::Buffer> buffers, std::uint64_t offset, std::uint64_t bytes) {
    for (const host::Buffer whole : buffers) {
        if (bytes == 0) return true;
        if (offset >= whole.size()) {
            offset -= whole.size();
            continue;
        }
        if (buffer_count_ == most_elements) return false;
        const host::Buffer rest = whole.subspan(static_cast<std::size_t>(offset));
        offset = 0;
        const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), bytes));
        buffers_[buffer_count_++] = rest.first(length);
        bytes -= length;
    }
    return bytes == 0;
}

} // namespace mmcpipe::block
