#pragma once
// Piece: what goes to the card as one transfer: a part of a request, a request, or several that follow one another.

#include "mmcpipe/block/request.h"
#include "mmcpipe/block/transfer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::block {

class Piece : public Transfer {
public:
    static constexpr std::size_t most_parts = 32;
    static constexpr std::size_t most_elements = 128; ///< buffers, of more than one part

    struct Part {
        block::Request* request = nullptr; // not the host's
        std::uint32_t sectors = 0;
    };

    /// Begins with as much of `request`, from what has been given of it on, as one transfer carries, `most` sectors at
    /// most.
    void begin(block::Request& request, std::uint32_t most, card::Bounding bounding, const host::Capabilities& host);
    /// The whole of `request` behind what is there: false, and nothing has changed, if there is no room for it.
    bool append(block::Request& request, std::uint32_t most, card::Bounding bounding, const host::Capabilities& host);

    bool free() const { return count_ == 0; }
    void clear() { count_ = 0; }
    std::span<const Part> parts() const { return {parts_.data(), count_}; }
    std::uint64_t end() const { return wanted.sector + wanted.blocks; }

private:
    bool gather(std::span<const host::Buffer> buffers, std::uint64_t offset, std::uint64_t bytes);

    std::array<Part, most_parts> parts_{};
    std::size_t count_ = 0;
    std::uint32_t dma_elements_ = 0;
    std::array<host::Buffer, most_elements> buffers_{};
    std::size_t buffer_count_ = 0;
};

} // namespace mmcpipe::block
