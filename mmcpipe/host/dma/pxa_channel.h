#pragma once
// PxaChannel: the PXA's DMA controller as a DMA engine. A list ends by an interrupt.

#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/dma/pxa.h"

#include <cstdint>
#include <span>

namespace mmcpipe::host::dma {

class PxaChannel final : public Channel, private PxaUser {
public:
    /// `max_length`: bytes a descriptor; at most 8,160, the whole bursts that fit in one.
    PxaChannel(Pxa& controller, const PxaPeripheral& peripheral, std::uint32_t max_length, std::uint32_t max_elements);

    const Constraints& constraints() const override { return lists_.constraints(); }
    /// Announces every end, whatever is asked.
    void set_listener(Listener& listener, Announce) override { listener_ = &listener; }
    base::Result<void> prepare(Slot slot, std::span<const Element> elements, Direction direction) override {
        return lists_.build(slot, elements, direction);
    }
    void start(Slot slot) override;
    void terminate() override;
    base::Result<void> quiesce() override;
    std::uint32_t position() override { return controller_.position(channel_); }

    const PxaLists& lists() const { return lists_; }

private:
    enum class State : std::uint8_t { stopped, running, terminated };

    void channel_stopped(bool failed) noexcept override;

    Pxa& controller_;
    PxaLists lists_;
    Listener* listener_ = nullptr;
    std::uint8_t channel_; ///< of the list that was started last
    State state_ = State::stopped;
};

} // namespace mmcpipe::host::dma
