#pragma once
// Statistics: what a device did, by direction, and where the time of its requests went. Plain values: a copy is a
// snapshot, and the difference of two is what happened between them.

#include "mmcpipe/base/histogram.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/block/piece.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::block {

/// Where the time of a transfer goes. Those that a host cannot see are not counted.
enum class Phase : std::uint8_t {
    waiting,   ///< of a request: from its submission to the start of the first transfer that has a part of it
    command,   ///< to the response, as far as it was seen apart from the data
    data,      ///< to the last data bit
    stop,      ///< to the response to CMD12
    interrupt, ///< from the last of these to the interrupt that ended the transfer
    wake_up,   ///< to the executor
    settling,  ///< CMD13, or DAT0, until the card is ready
    finishing, ///< to the end of unmapping; another transfer is on the wire meanwhile
};
inline constexpr std::size_t phases = 8;
const char* name(Phase phase);

struct Statistics {
    struct Way {
        std::uint64_t requests = 0; ///< that ended
        std::uint64_t failures = 0; ///< of them
        std::uint64_t sectors = 0;  ///< known to be done
        std::uint64_t transfers = 0;
        std::uint64_t merged = 0;                    ///< requests that went along with one that they follow
        std::uint64_t packs = 0;                     ///< packed commands
        std::uint64_t packed = 0;                    ///< requests in them
        std::uint64_t resent = 0;                    ///< transfers, or parts of them, after an error
        base::Histogram latency{};                   ///< nanoseconds from submission to end
        std::array<base::Histogram, phases> spent{}; ///< nanoseconds
    };
    std::array<Way, 2> ways{}; ///< by direction

    Way& of(host::Direction direction) { return ways[static_cast<std::size_t>(direction)]; }
    const Way& of(host::Direction direction) const { return ways[static_cast<std::size_t>(direction)]; }

    /// All that `other` has.
    void add(const Statistics& other);
    void transfer_over(const Piece& piece);
    void request_over(const Request& request);
};

} // namespace mmcpipe::block
