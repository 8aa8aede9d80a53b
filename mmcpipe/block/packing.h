#pragma once
// Packing: which requests go together in one packed command of eMMC 4.5, though they do not follow one another. It
// saves what every command costs; of writes a card may also fill its pages better. What it costs is paid by whoever
// waits meanwhile: see turns.h.

#include "mmcpipe/base/units.h"
#include "mmcpipe/host/request.h"

#include <array>
#include <cstdint>

namespace mmcpipe::block {

struct Packing {
    bool writes = false;
    bool reads = false;
    /// As many entries as the card and the host can take, as long as the scheduler gives requests of one direction on
    /// end. Otherwise as many as go in the time that the scheduler lets them hold the bus.
    bool greedy = false;
    /// While a packed read is under way nothing is prepared: double buffering is given up for it.
    bool reads_alone = false;

    bool of(host::Direction direction) const { return direction == host::Direction::read ? reads : writes; }
};

/// The ways that have names.
namespace packing {
inline constexpr Packing none{};
inline constexpr Packing write{.writes = true, .greedy = true};
inline constexpr Packing read{.reads = true, .greedy = true, .reads_alone = true};
inline constexpr Packing both{.writes = true, .reads = true, .greedy = true, .reads_alone = true};
inline constexpr Packing adaptive{.writes = true};
} // namespace packing

/// What transfers take at worst, learnt from those that ended: a time for each, and one for each sector.
class Pace {
public:
    /// One of `sectors` took so long, from its start to its end.
    void learn(host::Direction direction, std::uint32_t sectors, base::Duration took);
    base::Duration expected(host::Direction direction, std::uint32_t sectors) const;

private:
    static constexpr std::uint32_t few = 16; ///< sectors of a transfer that says little about the time for each

    struct Way {
        std::uint32_t each_us = 0;   ///< microseconds a transfer
        std::uint32_t sector_ns = 0; ///< nanoseconds a sector
    };
    std::array<Way, 2> ways_{};
};

} // namespace mmcpipe::block
