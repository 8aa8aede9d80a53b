#include "mmcpipe/block/cut.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::block {

namespace {

/// CMD23 has 16 bits for the count (JESD84-B51 6.6.2).
constexpr std::uint32_t most_sectors = 0xffff;

} // namespace

PieceSize next_piece(std::span<const host::Buffer> buffers, std::uint64_t offset, std::uint32_t left,
                     const host::Capabilities& host) {
    const std::uint32_t most = std::min({left, host.max_blocks, host.max_bytes / 512, most_sectors});
    if (host.max_elements == 0) return {most, 0};

    // Elements, each as long as the host can take it; what lies beside the alignment costs one more.
    const std::size_t unit = std::max<std::size_t>(host.element_alignment, 1);
    const std::size_t longest = host.max_element_bytes != 0 ? host.max_element_bytes : SIZE_MAX;
    std::uint32_t elements = 0;
    std::uint32_t bytes = 0;
    for (const host::Buffer whole : buffers) {
        if (offset >= whole.size()) {
            offset -= whole.size();
            continue;
        }
        host::Buffer rest = whole.subspan(static_cast<std::size_t>(offset));
        offset = 0;
        while (!rest.empty()) {
            const std::size_t beside = reinterpret_cast<std::uintptr_t>(rest.data()) & (unit - 1);
            const std::size_t length = beside != 0          ? unit - beside
                                       : rest.size() > unit ? std::min(rest.size() & ~(unit - 1), longest)
                                                            : rest.size();
            const auto taken = std::min({length, rest.size(), std::size_t{most * 512 - bytes}});
            bytes += static_cast<std::uint32_t>(taken);
            if (bytes == most * 512) return {most, elements + 1};
            rest = rest.subspan(taken);
            if (++elements == host.max_elements) return {std::max(bytes / 512, 1u), elements};
        }
    }
    return {std::max(bytes / 512, 1u), elements};
}

} // namespace mmcpipe::block
