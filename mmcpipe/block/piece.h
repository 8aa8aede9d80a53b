#pragma once
// Piece: what goes to the card as one transfer: a part of a request, a request, several that follow one another, or the
// entries of a packed command.

#include "mmcpipe/block/request.h"
#include "mmcpipe/block/transfer.h"
#include "mmcpipe/card/properties.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::block {

class Piece : public Transfer {
public:
    static constexpr std::size_t most_parts = 63;     ///< as many entries as a header of 512 bytes has
    static constexpr std::size_t most_elements = 128; ///< buffers, of more than one part

    struct Part {
        block::Request* request = nullptr;
        std::uint32_t sectors = 0;
    };
    /// What parts may add up to.
    struct Limits {
        const host::Capabilities& host;
        std::uint32_t sectors;   ///< of a transfer
        card::Bounding bounding; ///< of more than one sector
    };
    /// The header of a packed read goes before it, as a transfer of its own.
    struct Announcement : Transfer {
        explicit Announcement(Piece& p) : piece(p) {}
        Piece& piece;
        host::Buffer buffer{};
    };

    Piece() : announcement(*this) {}

    /// Begins with as much of `request`, from what has been given of it on, as one transfer carries.
    void begin(block::Request& request, const Limits& limits);
    /// The whole of `request` behind what is there: false, and nothing has changed, if there is no room for it.
    bool append(block::Request& request, const Limits& limits);
    /// The parts become entries of a packed command, those that follow one another one entry. If that is all there is,
    /// nothing changes: one command does it.
    void pack(spec::Addressing addressing);
    /// Part `i` is among the first `entries` entries.
    bool done_before(std::size_t i, std::size_t entries) const;

    bool free() const { return count_ == 0; }
    void clear() {
        count_ = 0;
        packed.reset();
    }
    std::span<const Part> parts() const { return {parts_.data(), count_}; }
    std::uint32_t sectors() const { return sectors_; }
    std::uint64_t end() const { return wanted.sector + wanted.blocks; }

    Announcement announcement;
    bool leaves_room_for_header = false; ///< set before `append`

private:
    bool begins_entry(std::size_t i) const;
    bool gather(std::span<const host::Buffer> buffers, std::uint64_t offset, std::uint64_t bytes);

    std::array<Part, most_parts> parts_{};
    std::size_t count_ = 0;
    std::uint32_t sectors_ = 0; ///< of data
    std::uint32_t dma_elements_ = 0;
    /// The first is the header's.
    std::array<host::Buffer, 1 + most_elements> buffers_{};
    std::size_t buffer_count_ = 1;
    alignas(64) std::array<std::byte, spec::mmc::packed_header_size> header_{};
};

} // namespace mmcpipe::block
