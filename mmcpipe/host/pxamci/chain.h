#pragma once
// Chain: the host driver's own list of DMA descriptors. No engine stands between: the driver knows the DMA controller,
// and that a list is over when its controller says that the data is. So there is no interrupt at the end, and
// `Listener` hears of bus errors only.

#include "mmcpipe/host/dma/engine.h"
#include "mmcpipe/host/dma/pxa.h"

#include <cstdint>
#include <span>

namespace mmcpipe::host::pxamci {

class Chain final : public dma::Channel, private dma::PxaUser {
public:
    /// Bytes a descriptor: lists of buffers were lists of pages.
    static constexpr std::uint32_t page = 4096;

    Chain(dma::Pxa& controller, const dma::PxaPeripheral& peripheral, std::uint32_t max_elements);

    const dma::Constraints& constraints() const override { return lists_.constraints(); }
    /// Announces errors only: the end of the data tells of the rest.
    void set_listener(dma::Listener& listener, dma::Announce) override { listener_ = &listener; }
    base::Result<void> prepare(dma::Slot slot, std::span<const dma::Element> elements, Direction direction) override {
        return lists_.build(slot, elements, direction);
    }
    void start(dma::Slot slot) override;
    void terminate() override;
    /// Waits for the end of the list, which must be near: its data is over, or it has been terminated.
    base::Result<void> quiesce() override;
    std::uint32_t position() override { return controller_.position(channel_); }

    const dma::PxaLists& lists() const { return lists_; }

private:
    enum class State : std::uint8_t { stopped, running, terminated };

    void channel_stopped(bool failed) noexcept override;

    dma::Pxa& controller_;
    dma::PxaLists lists_;
    dma::Listener* listener_ = nullptr;
    std::uint8_t channel_; ///< of the list that was started last
    State state_ = State::stopped;
};

} // namespace mmcpipe::host::pxamci
