#pragma once
// Where a request is cut so that one transfer can carry the piece.

#include "mmcpipe/host/request.h"
#include "mmcpipe/host/settings.h"

#include <cstdint>
#include <span>

namespace mmcpipe::block {

/// Sectors of the next piece, `left` at most, of what lies in `buffers` from byte `offset` on: as many as the host
/// takes in one request and its DMA in one list. At least one; what DMA cannot take then goes by PIO, or is refused.
std::uint32_t next_piece(std::span<const host::Buffer> buffers, std::uint64_t offset, std::uint32_t left,
                         const host::Capabilities& host);

} // namespace mmcpipe::block
