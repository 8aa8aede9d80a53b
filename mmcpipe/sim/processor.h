#pragma once
// One processor: what it runs, what waits for it, what interrupts it. Used through Machine.

#include "mmcpipe/base/list.h"
#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/fiber.h"
#include "mmcpipe/sim/interrupts.h"

#include <cstddef>
#include <functional>
#include <string>

namespace mmcpipe::sim {

class Machine;
class Processor;

/// Code with a stack of its own that uses a processor: a thread, or the interrupt handlers of a processor.
struct Context : base::ListNode {
    Context(Processor& on, int its_priority, std::size_t stack_size, Fiber::Life life, void* argument)
        : processor(on), priority(its_priority), fiber(stack_size, life, argument), resume(*this) {}

    Processor& processor;
    const int priority;
    bool masked = false; ///< nothing takes its processor away: interrupts are disabled
    Time masked_since;   ///< meaningless unless it is masked
    Time remaining;      ///< of its spend, while its processor does something else
    Fiber fiber;

    struct Resume : Event {
        explicit Resume(Context& owner) : Event(fire), context(owner) {}
        static void fire(Event& event);
        Context& context;
    } resume; ///< scheduled while the processor runs it: the end of its spend
};

struct Thread : Context {
    Thread(Machine& of, Processor& on, std::string its_name, int its_priority, std::size_t stack_size,
           std::function<void()> its_body);

    Machine& machine;
    const std::string name;
    std::function<void()> body;
    bool blocked = false;

    struct Timeout : Event {
        explicit Timeout(Thread& owner) : Event(fire), thread(owner) {}
        static void fire(Event& event);
        Thread& thread;
    } timeout;

private:
    static Fiber& live(void* thread);
};

/// Runs interrupts first, then the ready thread of the highest priority, of equals the one that has been ready longest.
/// What runs with interrupts masked keeps the processor until it unmasks or waits.
class Processor {
public:
    Processor(Machine& machine, unsigned number, std::size_t stack_size);
    Processor(const Processor&) = delete;
    Processor& operator=(const Processor&) = delete;

    Machine& machine() const { return machine_; }
    unsigned number() const { return number_; }
    bool idle() const { return running_ == nullptr; }
    /// `context` is that of the handlers.
    bool handles_interrupts(const Context& context) const { return &context == &interrupts_; }

    /// Something should run here instead of what does.
    bool contested() {
        if (running_ == nullptr) return !pending_.empty() || !ready_.empty();
        if (running_->masked) return false;
        if (!pending_.empty()) return true;
        const Context* first = ready_.front();
        return first != nullptr && first->priority > running_->priority;
    }
    /// Time that it was not idle, up to now.
    Time busy() const;

    /// `context`, whose code runs here now, needs `length` of processor time from now on.
    void use(Context& context, Time length);
    /// What runs here gives the processor up, to the first of what could run.
    void leave();
    /// `thread` can run from now on.
    void ready(Thread& thread);

    /// From InterruptLine: the line wants to interrupt.
    void request(InterruptLine& line);
    /// Ends the fiber of the handlers.
    void stop();

private:
    static Fiber& serve_interrupts(void* processor);
    void take_over();
    void set_aside(Context& context);

    Machine& machine_;
    const unsigned number_;
    Time busy_;                         ///< up to when it was last idle
    Time busy_since_;                   ///< meaningless while it is idle
    Context* running_ = nullptr;        ///< whose code or spend is under way; nullptr: idle
    base::List<Context> ready_;         ///< the next to run first
    base::List<InterruptLine> pending_; ///< lines that are up
    InterruptLine* taken_ = nullptr;    ///< the line that the interrupt under way is for
    Context interrupts_;                ///< runs the handlers
    bool stopping_ = false;
};

} // namespace mmcpipe::sim
