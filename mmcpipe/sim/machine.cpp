#include "mmcpipe/sim/machine.h"

#include <stdexcept>
#include <utility>

namespace mmcpipe::sim {

Machine::Machine(Engine& engine, const Costs& costs, unsigned processors, std::size_t stack_size)
    : engine_(engine), costs_(costs), stack_size_(stack_size) {
    for (unsigned number = 0; number < processors; ++number) {
        processors_.push_back(std::make_unique<Processor>(*this, number, stack_size));
    }
}

Machine::~Machine() {
    if (failed_) return; // handlers have been abandoned like the threads
    for (const auto& processor : processors_) processor->stop();
}

void Machine::start(std::string name, unsigned processor, int priority, std::function<void()> body) {
    Processor& on = *processors_.at(processor);
    threads_.push_back(std::make_unique<Thread>(*this, on, std::move(name), priority, stack_size_, std::move(body)));
    ++alive_;
    on.ready(*threads_.back());
    if (Context* self = active(); self != nullptr && self->processor.contested()) give_way(*self);
}

void Machine::run() {
    if (failed_) throw std::logic_error("this machine has ended with an error");
    Fiber& first = go_on();
    if (&first != &main_) main_.switch_to(first);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Machine::spend_shown(Time length, const char* name, std::uint32_t argument) {
    const Time from = now();
    spend(length);
    if (now() == from) return;
    trace_->span({Lane::cpu, static_cast<std::uint8_t>(here()), name, from, now(), argument});
}

/// As long as the processor remains its own, the spender fires what is due meanwhile, and nobody switches.
void Machine::spend_among_others(Context& self, Time end) {
    if (!self.processor.contested()) {
        fire_events(self, end);
        if (due_ == nullptr && !self.processor.contested() && engine_.skip_to(end)) return;
    }
    self.processor.use(self, end - now());
    suspend(self);
}

/// Up to `end`, or until somebody else should run.
void Machine::fire_events(Context& self, Time end) {
    std::exception_ptr error;
    in_events_ = true;
    spender_ = &self;
    try {
        while (engine_.next() <= end && due_ == nullptr && !self.processor.contested()) engine_.step();
    } catch (...) {
        error = std::current_exception();
    }
    spender_ = nullptr;
    in_events_ = false;
    if (error) fail(std::move(error));
}

/// Threads only: handlers are always masked.
void Machine::note_interrupts_off(const Context& self) {
    if (now() == self.masked_since) return;
    interrupts_off_->add(now() - self.masked_since, static_cast<const Thread&>(self).name);
}

unsigned Machine::here() { return caller().processor.number(); }

void Machine::fatal(const std::string& message) { fail(std::make_exception_ptr(std::runtime_error(message))); }

void Machine::fail(std::exception_ptr error) {
    in_events_ = false;
    if (current_ == nullptr) std::rethrow_exception(error);
    failed_ = true;
    failure_ = std::move(error);
    std::exchange(current_, nullptr)->fiber.switch_to(main_);
    std::terminate(); // nobody comes back
}

void Machine::report_no_caller() { fatal("processor time is spent outside of threads and interrupt handlers"); }

Thread& Machine::calling_thread() {
    Context& self = caller();
    if (self.processor.handles_interrupts(self)) fatal("an interrupt handler waits");
    return static_cast<Thread&>(self);
}

bool Machine::finished() const {
    if (alive_ != 0) return false;
    for (const auto& processor : processors_) {
        if (!processor->idle()) return false;
    }
    return true;
}

Fiber& Machine::go_on() {
    if (finished()) {
        current_ = nullptr;
        return main_;
    }
    std::exception_ptr error;
    in_events_ = true;
    try {
        while (due_ == nullptr && engine_.step()) {}
    } catch (...) {
        error = std::current_exception();
    }
    in_events_ = false;
    if (error) fail(std::move(error));
    if (due_ == nullptr) report_deadlock();
    current_ = std::exchange(due_, nullptr);
    return current_->fiber;
}

void Machine::suspend(Context& self) {
    Fiber& next = go_on();
    if (&next != &self.fiber) self.fiber.switch_to(next);
}

void Machine::give_way(Context& self) {
    self.processor.use(self, {});
    suspend(self);
}

void Machine::block(Thread& self, Time until) {
    if (interrupts_off_ != nullptr && self.masked) note_interrupts_off(self);
    const bool masked = std::exchange(self.masked, false);
    self.blocked = true;
    engine_.schedule(self.timeout, until);
    self.processor.leave();
    suspend(self);
    spend(costs_.wake, "wake-up");
    self.masked = masked;
    self.masked_since = now();
}

void Machine::wake(Thread& thread) {
    if (!thread.blocked) return;
    thread.blocked = false;
    engine_.cancel(thread.timeout);
    thread.processor.ready(thread);
    if (Context* self = active(); self != nullptr && self->processor.contested()) give_way(*self);
}

Fiber& Machine::end(Thread& thread, std::exception_ptr error) {
    if (error) {
        failed_ = true;
        failure_ = std::move(error);
        current_ = nullptr;
        return main_;
    }
    --alive_;
    thread.processor.leave();
    return go_on();
}

void Machine::report_deadlock() {
    std::string message = "deadlock:";
    for (const auto& thread : threads_) {
        if (!thread->blocked) continue;
        if (message.back() != ':') message += ',';
        message += " thread '" + thread->name + "' waits for ever";
    }
    fatal(message);
}

} // namespace mmcpipe::sim
