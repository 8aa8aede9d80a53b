#include "mmcpipe/spec/packed.h"

#include <algorithm>

namespace mmcpipe::spec::mmc {

namespace {

constexpr std::byte version{1};
constexpr std::size_t first_entry = 8;
constexpr std::size_t entry_size = 8;

void put_word(std::span<std::byte> block, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) block[at + i] = static_cast<std::byte>(value >> 8 * i & 0xffu);
}

} // namespace

void encode_packed_header(std::span<std::byte> block, PackedDirection direction, std::span<const PackedEntry> entries) {
    std::ranges::fill(block, std::byte{0});
    block[0] = version;
    block[1] = static_cast<std::byte>(direction);
    block[2] = static_cast<std::byte>(entries.size());
    std::size_t at = first_entry;
    for (const PackedEntry& entry : entries) {
        put_word(block, at, entry.count.argument());
        put_word(block, at + 4, entry.address.argument);
        at += entry_size;
    }
}

std::expected<PackedHeader, PackedFlaw> PackedHeader::decode(std::span<const std::byte> block) {
    if (block.size() != packed_header_size && block.size() != large_packed_header_size)
        return std::unexpected(PackedFlaw::size);
    if (block[0] != version) return std::unexpected(PackedFlaw::version);
    const PackedHeader header(block);
    if (header.direction() != PackedDirection::read && header.direction() != PackedDirection::write)
        return std::unexpected(PackedFlaw::direction);
    if (header.entries() == 0) return std::unexpected(PackedFlaw::no_entries);
    if (header.entries() > packed_entries_in(block.size())) return std::unexpected(PackedFlaw::too_many_entries);
    for (std::size_t i = 0; i < header.entries(); ++i) {
        const BlockCount count = header[i].count;
        if (count.packed) return std::unexpected(PackedFlaw::packed_entry);
        if (count.blocks == 0) return std::unexpected(PackedFlaw::empty_entry);
    }
    return header;
}

PackedDirection PackedHeader::direction() const {
    return static_cast<PackedDirection>(std::to_integer<std::uint8_t>(block_[1]));
}

std::size_t PackedHeader::entries() const { return std::to_integer<std::size_t>(block_[2]); }

PackedEntry PackedHeader::operator[](std::size_t i) const {
    const std::size_t at = first_entry + i * entry_size;
    return {BlockCount::in(word(at)), {word(at + 4)}};
}

std::uint32_t PackedHeader::blocks() const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < entries(); ++i) sum += (*this)[i].count.blocks;
    return sum;
}

std::uint32_t PackedHeader::word(std::size_t at) const {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(block_[at + i]);
    return value;
}

} // namespace mmcpipe::spec::mmc
