#include "mmcpipe/host/dma/pxa_channel.h"

namespace mmcpipe::host::dma {

PxaChannel::PxaChannel(Pxa& controller, const PxaPeripheral& peripheral, std::uint32_t max_length,
                       std::uint32_t max_elements)
    : controller_(controller),
      lists_(controller.memory(), peripheral, max_length, max_elements),
      channel_(peripheral.receive.channel) {
    controller.connect(peripheral.receive.channel, peripheral.receive.request, *this);
    controller.connect(peripheral.transmit.channel, peripheral.transmit.request, *this);
}

void PxaChannel::start(Slot slot) {
    channel_ = lists_.channel(slot);
    state_ = State::running;
    controller_.run(channel_, lists_.publish(slot), Pxa::WhenStopped::interrupt);
}

void PxaChannel::terminate() {
    if (state_ != State::running) return;
    state_ = State::terminated;
    controller_.stop(channel_);
}

base::Result<void> PxaChannel::quiesce() {
    if (state_ != State::terminated) return {}; // at its end, or a bus error, it has stopped by itself
    const auto stopped = controller_.wait_stopped(channel_);
    if (stopped) state_ = State::stopped;
    return stopped;
}

void PxaChannel::channel_stopped(bool failed) noexcept {
    if (state_ != State::running) return; // terminated meanwhile
    if (!failed && !controller_.at_last(channel_)) {
        // The controller goes from one descriptor to the next by itself. Not every model of it does.
        controller_.go_on(channel_, Pxa::WhenStopped::interrupt);
        return;
    }
    state_ = State::stopped;
    listener_->dma_ended(failed ? base::Result<void>(base::fail(base::Code::dma_error)) : base::Result<void>());
}

} // namespace mmcpipe::host::dma
