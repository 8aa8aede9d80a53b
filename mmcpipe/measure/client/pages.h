#pragma once
// Pages of a page cache: memory that is not in one piece, as a list of buffers.

#include "mmcpipe/measure/disk.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mmcpipe::measure::client {

/// So many bytes, whole pages, no two that follow one another side by side.
class Pages {
public:
    Pages(System& system, std::size_t bytes);

    /// The first `bytes` of them.
    std::span<const host::Buffer> list(std::size_t bytes) const {
        return std::span(pages_).first((bytes + page_size - 1) / page_size);
    }

private:
    std::vector<host::Buffer> pages_;
};

} // namespace mmcpipe::measure::client
