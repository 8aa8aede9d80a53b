#pragma once
// Transfers: from sectors to a host request, and from its end to a verdict (JESD84-B51 6.6 block read and write; SD
// Physical Layer 4.3.3 and 4.3.4).

#include "mmcpipe/base/result.h"
#include "mmcpipe/card/properties.h"
#include "mmcpipe/host/request.h"
#include "mmcpipe/host/settings.h"

#include <cstdint>
#include <span>

namespace mmcpipe::card {

/// How the card knows where a transfer ends.
enum class Bounding : std::uint8_t {
    single,     ///< CMD17, CMD24: one block
    open_ended, ///< CMD18, CMD25, ended by CMD12
    predefined, ///< CMD23 before CMD18, CMD25
};

struct Transfer {
    host::Direction direction = host::Direction::read;
    Bounding bounding = Bounding::single;
    std::uint64_t sector = 0; ///< the first, of 512 bytes
    std::uint32_t blocks = 0;
    std::uint32_t block_size = 512; ///< bytes; another one has been set on the card with CMD16 before
    std::span<const host::Buffer> buffers{};
};

/// Fills in what the caller hands to a host; `done` stays. out_of_range: beyond the card's end, no blocks, or more than
/// the command can count. not_possible: the card has no CMD23, or not this block size.
base::Result<void> fill(host::Request& request, const Transfer& transfer, const Properties& card,
                        const host::Capabilities& host);

/// How a request that ended went: its errors and the error bits of its responses, the first in time; then whether all
/// bytes are done (dma_error if the host left some and did not say why; raw: its status). A write is not over before
/// `Settle` says so.
base::Result<void> verdict(const host::Request& request, const Properties& card);

} // namespace mmcpipe::card
