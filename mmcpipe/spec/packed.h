#pragma once
// The header of a packed command: many writes, or many reads, that go over the bus as one (JESD84-B45 6.6.28).
//
// Packed write: CMD23 with its packed flag and the blocks of header and data, CMD25 with the address of the first
// entry, the header, the data of all entries in their order. Packed read: CMD23 (packed) and CMD25 with nothing but the
// header, then CMD23 (packed) with the blocks of the data, CMD18.
//
// Byte 0 of the header is its version, byte 1 the direction, byte 2 the number of entries; the arguments of CMD23 and
// CMD18 or CMD25 that each entry would have alone follow from byte 8 on, lowest byte first. The rest is 0.

#include "mmcpipe/spec/command.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>

namespace mmcpipe::spec::mmc {

/// A header fills a block of 512 bytes, or a sector of 4 KiB where the card has such (`ExtCsd::large_sectors`).
inline constexpr std::size_t packed_header_size = 512;
inline constexpr std::size_t large_packed_header_size = 4096;

/// As many entries go into a header of `size` bytes; EXT_CSD may allow fewer.
constexpr std::size_t packed_entries_in(std::size_t size) { return size < 8 ? 0 : (size - 8) / 8; }
/// No header counts more, in its one byte.
inline constexpr std::size_t most_packed_entries = 255;

enum class PackedDirection : std::uint8_t { read = 1, write = 2 };

/// One of the commands that are packed.
struct PackedEntry {
    BlockCount count; ///< without `packed`; reliable writes, tags and contexts are each entry's own
    DataAddress address;

    constexpr bool operator==(const PackedEntry&) const = default;
};

/// Why a block is no header of a packed command.
enum class PackedFlaw : std::uint8_t {
    size,             ///< neither 512 bytes nor 4 KiB
    version,          ///< not 1
    direction,        ///< neither read nor write
    no_entries,       ///< of which there are none
    too_many_entries, ///< more than it has room for
    empty_entry,      ///< an entry of no blocks
    packed_entry,     ///< an entry that is packed itself
};

/// Whole header, as it goes over the bus. `block` has the header's size; there are from 1 to `packed_entries_in` that
/// size entries, 255 at most.
void encode_packed_header(std::span<std::byte> block, PackedDirection direction, std::span<const PackedEntry> entries);

/// A look at a header, which somebody else keeps.
class PackedHeader {
public:
    /// Checks all that can be seen without the card. Bytes that have no meaning are not looked at.
    static std::expected<PackedHeader, PackedFlaw> decode(std::span<const std::byte> block);

    PackedDirection direction() const;
    std::size_t entries() const;
    /// `i` from 0.
    PackedEntry operator[](std::size_t i) const;
    /// Blocks of data of all entries.
    std::uint32_t blocks() const;

private:
    explicit PackedHeader(std::span<const std::byte> block) : block_(block) {}
    std::uint32_t word(std::size_t at) const;

    std::span<const std::byte> block_;
};

} // namespace mmcpipe::spec::mmc
