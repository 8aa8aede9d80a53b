#pragma once
// The processors of a board and the threads on them. Host code between two calls of `spend` takes no simulated time;
// `spend` lets everything else go on for as long as it says.
//
// How it runs: a thread is a fiber. Whoever waits or spends runs the engine's events on its own stack, until an event
// makes a context due; only if that is another one are fibers switched. The handlers of each processor have a stack of
// their own.
//
// Exceptions never cross from one fiber to another, nor the frames of the core, which are compiled without. What a
// thread, an event or a register access of a model throws is caught, carried to `run()` and thrown there. The threads
// are then abandoned where they stand: nothing on their stacks is destroyed, and what it owned is leaked. So a test
// that expects such an end builds little on its threads, and a program ends. Do not `spend` or wait in a catch block:
// the C++ runtime does not know of fibers.

#include "mmcpipe/sim/costs.h"
#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/fiber.h"
#include "mmcpipe/sim/hold_times.h"
#include "mmcpipe/sim/processor.h"
#include "mmcpipe/sim/trace.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mmcpipe::sim {

class Machine {
public:
    static constexpr std::size_t default_stack = 256 * 1024;

    /// `engine` outlives the machine. `stack_size` is that of each thread, in bytes.
    explicit Machine(Engine& engine, const Costs& costs = {}, unsigned processors = 1,
                     std::size_t stack_size = default_stack);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine();

    Engine& engine() { return engine_; }
    const Costs& costs() const { return costs_; }
    Trace* trace() const { return trace_; }
    void set_trace(Trace* trace) { trace_ = trace; }
    Time now() const { return engine_.now(); }
    unsigned processors() const { return static_cast<unsigned>(processors_.size()); }
    Processor& processor(unsigned number) { return *processors_.at(number); }

    /// A thread that stays on its processor. Of two that are ready there, the one with the higher priority runs. From
    /// anywhere.
    void start(std::string name, unsigned processor, int priority, std::function<void()> body);

    /// Returns when all threads have ended and no handler runs; may be called again when others have been started.
    /// Throws what a thread or a model threw, and std::runtime_error when threads are left and nothing can ever wake
    /// them.
    void run();

    /// From a thread or a handler: its processor is busy for `length`. Interrupts and preemption come on top, unless
    /// masked. A `name`, a literal, becomes a span of the trace, from the call to the return.
    void spend(Time length) {
        Context& self = caller();
        if (self.processor.contested() || !engine_.skip_to(engine_.now() + length)) {
            spend_among_others(self, engine_.now() + length);
        }
    }
    void spend(Time length, const char* name, std::uint32_t argument = 0) {
        if (trace_ == nullptr) return spend(length);
        spend_shown(length, name, argument);
    }

    /// Disables the interrupts of the calling thread's processor; for `restore`, whether they were disabled before. The
    /// thread is not preempted either. In handlers, and outside of all threads, there is nothing to disable.
    bool mask() {
        Context* self = active();
        if (self == nullptr || self->masked) return true;
        self->masked = true;
        self->masked_since = now();
        return false;
    }
    /// Takes what `mask` gave. What was held off is done before this returns.
    void restore(bool masked) {
        Context* self = active();
        if (self == nullptr) return;
        if (interrupts_off_ != nullptr && self->masked && !masked) note_interrupts_off(*self);
        self->masked = masked;
        if (self->processor.contested()) give_way(*self);
    }

    /// Keeps from now on for how long threads have interrupts disabled, longer than no time. nullptr: no more.
    void watch_interrupts_off(HoldTimes* times) { interrupts_off_ = times; }

    /// Number of the processor whose thread or handler calls.
    unsigned here();

    /// Ends everything: `run()` throws std::runtime_error. For models, from anywhere, where an exception must not pass;
    /// outside of `run()` throws at once.
    [[noreturn]] void fatal(const std::string& message);
    /// The same with an exception.
    [[noreturn]] void fail(std::exception_ptr error);

private:
    friend class InterruptLine;
    friend class Processor;
    friend class Signal;
    friend class SpinLock;
    friend struct Context;
    friend struct Thread;

    /// The context whose code runs; nullptr in events, and outside of `run()`.
    Context* active() const { return in_events_ ? nullptr : current_; }
    /// The same; fatal if there is none.
    Context& caller() {
        if (in_events_ || current_ == nullptr) report_no_caller();
        return *current_;
    }
    [[noreturn]] void report_no_caller();
    void spend_shown(Time length, const char* name, std::uint32_t argument);
    void spend_among_others(Context& self, Time end);
    void note_interrupts_off(const Context& self);
    void fire_events(Context& self, Time end);
    bool finished() const;

    /// Runs events until a context is due, or everything has ended; the fiber that has to run then.
    Fiber& go_on();
    /// `go_on`, and returns when `self` is due.
    void suspend(Context& self);
    /// Lets go first what should run on the contested processor of `self`.
    void give_way(Context& self);
    /// The calling thread waits until `wake` or `until`.
    void block(Thread& self, Time until);
    /// Does nothing if the thread has stopped waiting.
    void wake(Thread& thread);
    Thread& calling_thread();
    Fiber& end(Thread& thread, std::exception_ptr error);
    [[noreturn]] void report_deadlock();

    Engine& engine_;
    const Costs costs_;
    const std::size_t stack_size_;
    Trace* trace_ = nullptr;
    HoldTimes* interrupts_off_ = nullptr;
    std::vector<std::unique_ptr<Processor>> processors_;
    std::vector<std::unique_ptr<Thread>> threads_;
    std::size_t alive_ = 0;      ///< threads that have not ended
    Fiber main_;                 ///< where `run()` was called
    Context* current_ = nullptr; ///< whose stack is in use; nullptr: that of `main_`
    Context* due_ = nullptr;     ///< set by the end of its spend
    Context* spender_ = nullptr; ///< whose spend fires the events: it looks by itself what they made ready
    bool in_events_ = false;
    std::exception_ptr failure_;
    bool failed_ = false; ///< threads have been abandoned
};

} // namespace mmcpipe::sim
