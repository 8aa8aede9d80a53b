#include "mmcpipe/sim/processor.h"

#include "mmcpipe/sim/machine.h"

#include <utility>

namespace mmcpipe::sim {

void Context::Resume::fire(Event& event) {
    Context& due = static_cast<Resume&>(event).context;
    due.remaining = {};
    due.processor.machine().due_ = &due;
}

Thread::Thread(Machine& of, Processor& on, std::string its_name, int its_priority, std::size_t stack_size,
               std::function<void()> its_body)
    : Context(on, its_priority, stack_size, live, this),
      machine(of),
      name(std::move(its_name)),
      body(std::move(its_body)),
      timeout(*this) {}

Fiber& Thread::live(void* thread) {
    Thread& self = *static_cast<Thread*>(thread);
    std::exception_ptr error;
    try {
        self.body();
    } catch (...) {
        error = std::current_exception();
    }
    return self.machine.end(self, std::move(error));
}

void Thread::Timeout::fire(Event& event) {
    Thread& thread = static_cast<Timeout&>(event).thread;
    thread.machine.wake(thread);
}

Processor::Processor(Machine& machine, unsigned number, std::size_t stack_size)
    : machine_(machine), number_(number), interrupts_(*this, 0, stack_size, serve_interrupts, this) {
    interrupts_.masked = true; // handlers do not nest
}

void Processor::use(Context& context, Time length) {
    if (contested()) {
        context.remaining = length;
        set_aside(context);
        leave();
    } else {
        machine_.engine_.schedule(context.resume, machine_.now() + length);
    }
}

void Processor::ready(Thread& thread) {
    Context* lower = ready_.front();
    while (lower != nullptr && lower->priority >= thread.priority) lower = ready_.after(*lower);
    if (lower != nullptr) {
        ready_.insert_before(*lower, thread);
    } else {
        ready_.push_back(thread);
    }
    take_over();
}

void Processor::request(InterruptLine& line) {
    pending_.push_back(line);
    take_over();
}

/// Something became ready. If code runs here at this very moment, it looks by itself when it next spends, unmasks,
/// waits or ends.
void Processor::take_over() {
    const Context* active = machine_.spender_ != nullptr ? machine_.spender_ : machine_.active();
    if (active != nullptr && &active->processor == this) return;
    if (!contested()) return;
    if (running_ != nullptr) set_aside(*running_);
    leave();
}

/// Back among the ready ones, as the first of its priority.
void Processor::set_aside(Context& context) {
    if (context.resume.scheduled()) {
        context.remaining = context.resume.when() - machine_.now();
        machine_.engine_.cancel(context.resume);
    }
    Context* equal = ready_.front();
    while (equal != nullptr && equal->priority > context.priority) equal = ready_.after(*equal);
    if (equal != nullptr) {
        ready_.insert_before(*equal, context);
    } else {
        ready_.push_back(context);
    }
}

Time Processor::busy() const { return idle() ? busy_ : busy_ + (machine_.now() - busy_since_); }

void Processor::leave() {
    const bool was_idle = idle();
    if (!pending_.empty()) {
        running_ = &interrupts_;
        taken_ = pending_.front();
    } else {
        running_ = ready_.pop_front();
    }
    if (running_ != nullptr) machine_.engine_.schedule(running_->resume, machine_.now() + running_->remaining);
    if (was_idle && !idle()) busy_since_ = machine_.now();
    if (!was_idle && idle()) busy_ += machine_.now() - busy_since_;
}

Fiber& Processor::serve_interrupts(void* processor) {
    Processor& self = *static_cast<Processor*>(processor);
    Machine& machine = self.machine_;
    while (!self.stopping_) {
        const Time from = machine.now();
        machine.spend(machine.costs().interrupt_entry);
        InterruptLine& line = *self.taken_;
        line.serve();
        if (line.linked()) { // lines that stay up take turns
            line.unlink();
            self.pending_.push_back(line);
        }
        machine.spend(machine.costs().interrupt_exit);
        if (Trace* trace = machine.trace()) {
            trace->span({Lane::cpu, static_cast<std::uint8_t>(self.number_), "interrupt", from, machine.now(), 0});
        }
        self.leave();
        machine.suspend(self.interrupts_);
    }
    return machine.main_;
}

void Processor::stop() {
    stopping_ = true;
    if (interrupts_.fiber.suspended()) machine_.main_.switch_to(interrupts_.fiber);
}

} // namespace mmcpipe::sim
