#include "mmcpipe/host/pxamci/chain.h"

namespace mmcpipe::host::pxamci {

Chain::Chain(dma::Pxa& controller, const dma::PxaPeripheral& peripheral, std::uint32_t max_elements)
    : controller_(controller),
      lists_(controller.memory(), peripheral, page, max_elements),
      channel_(peripheral.receive.channel) {
    controller.connect(peripheral.receive.channel, peripheral.receive.request, *this);
    controller.connect(peripheral.transmit.channel, peripheral.transmit.request, *this);
}

void Chain::start(dma::Slot slot) {
    channel_ = lists_.channel(slot);
    state_ = State::running;
    controller_.run(channel_, lists_.publish(slot), dma::Pxa::WhenStopped::quiet);
}

void Chain::terminate() {
    if (state_ != State::running) return;
    state_ = State::terminated;
    controller_.stop(channel_);
}

base::Result<void> Chain::quiesce() {
    if (state_ == State::stopped) return {};
    const auto stopped = controller_.wait_stopped(channel_);
    if (stopped) state_ = State::stopped;
    return stopped;
}

void Chain::channel_stopped(bool failed) noexcept {
    if (!failed || state_ != State::running) return;
    state_ = State::stopped;
    listener_->dma_ended(base::fail(base::Code::dma_error));
}

} // namespace mmcpipe::host::pxamci
