#pragma once
// Transfer: one host request's worth of sectors on its way through the pipeline, with what is known of how far it came.

#include "mmcpipe/base/result.h"
#include "mmcpipe/card/packed.h"
#include "mmcpipe/card/settle.h"
#include "mmcpipe/card/transfer.h"
#include "mmcpipe/host/request.h"

#include <cstdint>
#include <optional>

namespace mmcpipe::block {

class Pipeline;

struct Transfer : host::Request {
    // --- the source's, before it is handed over ---
    card::Transfer wanted{};
    std::uint64_t buffer_offset = 0;               ///< bytes of `wanted.buffers` before the first block
    card::Confirm confirm = card::Confirm::status; ///< how the end is confirmed
    /// Part of a packed command. It is sent once: if it fails the source does what is left, each entry alone. `wanted`
    /// is what goes over the bus, at the address of the first entry; `done_bytes` is not known.
    std::optional<card::PackedPart> packed{};

    // --- the pipeline's, valid when it is over ---
    std::optional<base::Error> failure{}; ///< nothing: every byte is done
    std::uint32_t done_bytes = 0;         ///< bytes that are known to be done
    unsigned attempts = 0;                ///< how often it failed on the way
    std::uint8_t entries_done = 0;        ///< of a packed command that failed: those before the one that did
    base::Instant settled = base::never;  ///< the card was ready again
    Pipeline* pipeline = nullptr;
};

} // namespace mmcpipe::block
