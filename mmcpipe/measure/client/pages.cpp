#include "mmcpipe/measure/client/pages.h"

namespace mmcpipe::measure::client {

Pages::Pages(System& system, std::size_t bytes) {
    const std::size_t count = (bytes + page_size - 1) / page_size;
    const host::Buffer memory = system.allocate(count * page_size);
    // Those of even number first, from the back: neither the next one nor the one before is a neighbour.
    for (std::size_t parity : {0u, 1u}) {
        for (std::size_t i = count; i-- > 0;) {
            if (i % 2 == parity) pages_.push_back(memory.subspan(i * page_size, page_size));
        }
    }
}

} // namespace mmcpipe::measure::client
