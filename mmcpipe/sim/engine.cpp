#include "mmcpipe/sim/engine.h"

#include <stdexcept>

namespace mmcpipe::sim {

Engine::~Engine() {
    while (ends_.next_ != &ends_) ends_.next_->unlink();
}

/// What an event due at `at` goes before, looked for from the end that is nearer in time.
inline Event* Engine::place(Time at) {
    Event* last = ends_.previous_;
    if (last == &ends_ || last->when_ <= at) return &ends_;
    if (at - now_ < last->when_ - at) {
        Event* next = ends_.next_;
        while (next->when_ <= at) next = next->next_;
        return next;
    }
    while (last != &ends_ && last->when_ > at) last = last->previous_;
    return last->next_;
}

void Engine::move(Event& event, Time at) {
    if (at < now_) throw std::logic_error("an event was scheduled for a time that is over");
    event.unlink();
    if (at == forever) return;
    Event* const next = place(at);
    event.when_ = at;
    event.next_ = next;
    event.previous_ = next->previous_;
    next->previous_->next_ = &event;
    next->previous_ = &event;
}

bool Engine::step() {
    Event& event = *ends_.next_;
    if (&event == &ends_) return false;
    now_ = event.when_;
    event.unlink();
    event.fire_(event);
    return true;
}

void Engine::run_until(Time end) {
    while (next() <= end) {
        if (!step()) return;
    }
    now_ = end;
}

} // namespace mmcpipe::sim
