#pragma once
// The area of a card that is timed, and the buffers of what is timed.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/trial/bench.h"
#include "mmcpipe/trial/case.h"

#include <cstdint>
#include <optional>
#include <span>

namespace mmcpipe::trial {

/// The size of a page: scattered buffers are made of pieces of that size.
inline constexpr std::uint32_t page = 4096;

/// Whole erase units, in 512-byte sectors.
struct Area {
    std::uint32_t first = 0;
    std::uint32_t sectors = 0;

    constexpr std::uint32_t bytes() const { return sectors << 9; }
};

/// The unit in which a card is best erased, in sectors: SD's allocation unit, or MMC's erase group.
std::uint32_t preferred_unit(const Bench& bench);

/// In the middle of the card, since its beginning may be made for a file system's tables: whole units, 4 MiB or
/// somewhat more, 128 MiB at most. Nothing if the card is too small.
std::optional<Area> test_area(const Bench& bench);

/// Bytes of the largest request within the area.
std::uint32_t largest_request(const Bench& bench, Area area);

/// The size of request to be tried after `bytes`: twice as many, and `largest` as the last one; 0 behind it.
constexpr std::uint32_t next_size(std::uint32_t bytes, std::uint32_t largest) {
    if (bytes >= largest) return 0;
    return bytes < largest - bytes ? bytes * 2 : largest;
}

/// Erases the erase units that lie within the area. A card that cannot erase is left as it is: this is a preparation.
base::Task<base::Result<void>> erase_if_possible(Bench& bench, Area area);

/// A list of one piece.
std::span<const host::Buffer> in_one_piece(Bench& bench, std::uint32_t bytes);
/// A list of `elements` pieces of equal size, whole sectors, of which no two follow each other in memory: each lies
/// before the one that it follows in the list. At most as many pieces as the bench has elements.
std::span<const host::Buffer> in_pieces(Bench& bench, std::uint32_t bytes, std::uint32_t elements);

/// The largest request that can be made of scattered pages; bytes.
std::uint32_t largest_of_pages(const Bench& bench, std::uint32_t most_bytes);

/// Transfers of the same size, one after another in the same buffers, from sector `first` on.
struct Transfers {
    host::Direction direction = host::Direction::read;
    std::uint32_t first = 0;
    std::uint32_t request_bytes = 0;
    std::uint32_t requests = 1;
    std::span<const host::Buffer> buffers{};
};

/// Carries them out, each one to its end before the next.
base::Task<base::Result<void>> transfer(Bench& bench, const Transfers& transfers);
/// The same, timed.
base::Task<base::Result<void>> timed_transfer(Bench& bench, Sink& sink, const Transfers& transfers);

} // namespace mmcpipe::trial
