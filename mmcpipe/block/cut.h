#pragma once
// Where a request is cut so that one transfer can carry the piece.

#include "mmcpipe/host/request.h"
#include "mmcpipe/host/settings.h"

#include <cstdint>
#include <span>

namespace mmcpipe::block {

struct PieceSize {
    std::uint32_t sectors = 0;
    std::uint32_t elements = 0; ///< of the list that the host's DMA gets; 0 if it has no limit
};

/// The next piece, `left` sectors at most, of what lies in `buffers` from byte `offset` on: as many as the host takes
/// in one request and its DMA in one list. At least one sector; what DMA cannot take then goes by PIO, or is refused.
PieceSize next_piece(std::span<const host::Buffer> buffers, std::uint64_t offset, std::uint32_t left,
                     const host::Capabilities& host);

} // namespace mmcpipe::block
