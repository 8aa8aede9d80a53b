#include "mmcpipe/sim/interrupts.h"

#include "mmcpipe/sim/machine.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mmcpipe::sim {

InterruptLine::InterruptLine(Machine& machine, unsigned processor)
    : machine_(machine), processor_(machine.processor(processor)), served_(machine) {}

InterruptLine::~InterruptLine() { unlink(); }

void InterruptLine::attach(port::InterruptHandler& handler) {
    const auto free = std::find(handlers_.begin(), handlers_.end(), nullptr);
    if (free != handlers_.end()) {
        *free = &handler;
    } else {
        handlers_.push_back(&handler);
    }
    ++attached_;
    update();
}

void InterruptLine::detach(port::InterruptHandler& handler) {
    const auto place = std::find(handlers_.begin(), handlers_.end(), &handler);
    if (place == handlers_.end()) return;
    *place = nullptr;
    --attached_;
    update();
    const Context* self = machine_.active();
    if (self != nullptr && processor_.handles_interrupts(*self)) return; // a handler detaches itself
    while (serving_ == &handler) {
        awaited_ = true;
        served_.wait();
    }
}

void InterruptLine::serve() {
    ++taken_;
    if (++in_a_row_ > storm) {
        machine_.fatal("interrupt storm: a line of processor " + std::to_string(processor_.number()) +
                       " did not go down for " + std::to_string(storm) + " interrupts");
    }
    bool claimed = false;
    for (std::size_t i = 0; i < handlers_.size(); ++i) { // the list changes when a handler attaches or detaches one
        if (handlers_[i] == nullptr) continue;
        serving_ = handlers_[i];
        claimed |= serving_->interrupt();
        serving_ = nullptr;
        if (std::exchange(awaited_, false)) served_.set();
    }
    if (!claimed) ++spurious_;
}

void InterruptLine::raise() {
    if (pins_up_++ == 0) update();
}

void InterruptLine::lower() {
    if (--pins_up_ != 0) return;
    in_a_row_ = 0;
    update();
}

/// Nobody enables a line that has no handler: so it waits.
void InterruptLine::update() {
    if (!up() || attached_ == 0) {
        unlink();
    } else if (!linked()) {
        processor_.request(*this);
    }
}

} // namespace mmcpipe::sim
