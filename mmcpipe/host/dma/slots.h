#pragma once
// Slots: the two mappings of a host and the lists of its DMA channel that belong to them, for the request that is on
// the wire and the one that is prepared meanwhile.

#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/dma/mapping.h"
#include "mmcpipe/host/request.h"

#include <array>

namespace mmcpipe::host::dma {

class Slots {
public:
    explicit Slots(const std::array<Mapping*, 2>& mappings) : mappings_(mappings) {}

    /// Maps the request's data and builds its list in the slot that is free. False, and nothing is held, if there is
    /// none, or if its buffers are too many or too odd for the engine.
    bool map(Request& request, Channel& channel);
    /// Makes the data the CPU's again, and the slot free. DMA must be quiet.
    void unmap(Request& request);
    /// Makes the slot of a request free whose DMA never ran.
    void forget(Request& request);

    /// Of a request that is mapped.
    Slot slot_of(const Request& request) const { return request.mapping == mappings_[0] ? Slot::first : Slot::second; }

private:
    std::array<Mapping*, 2> mappings_;
    std::array<bool, 2> used_{};
};

} // namespace mmcpipe::host::dma
