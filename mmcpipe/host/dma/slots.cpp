#include "mmcpipe/host/dma/slots.h"

namespace mmcpipe::host::dma {

bool Slots::map(Request& request, Channel& channel) {
    for (std::size_t i = 0; i < mappings_.size(); ++i) {
        if (used_[i]) continue;
        Mapping& mapping = *mappings_[i];
        if (!mapping.map(*request.data)) return false;
        if (!channel.prepare(static_cast<Slot>(i), mapping.elements(), request.data->direction)) return false;
        used_[i] = true;
        request.mapping = &mapping;
        return true;
    }
    return false;
}

void Slots::unmap(Request& request) {
    if (request.mapping == nullptr) return;
    request.mapping->unmap();
    forget(request);
}

void Slots::forget(Request& request) {
    if (request.mapping == nullptr) return;
    used_[static_cast<std::size_t>(slot_of(request))] = false;
    request.mapping = nullptr;
}

} // namespace mmcpipe::host::dma
