#pragma once
// Executor: the one owner of a host, its card and its block device. Only code that runs on it touches their state.
// Everything from outside comes through one mailbox; everything that has to be over by some time stands in one list of
// deadlines.

#include "mmcpipe/base/environment.h"
#include "mmcpipe/base/list.h"
#include "mmcpipe/base/units.h"

#include <coroutine>

namespace mmcpipe::base {

/// Something to run on an executor. Owned by whoever posts it; in one queue at a time.
class Work : public ListNode {
public:
    using Run = void (*)(Work&) noexcept;
    explicit Work(Run function) : run_(function) {}
    void run() noexcept { run_(*this); }

private:
    Run run_;
};

/// Something to run on an executor at a time, unless cancelled before.
class Deadline : public ListNode {
public:
    using Expire = void (*)(Deadline&) noexcept;
    explicit Deadline(Expire function) : expire_(function) {}
    bool armed() const { return linked(); }
    void cancel() { unlink(); }
    Instant when() const { return when_; }

private:
    friend class Executor;
    Instant when_;
    Expire expire_;
};

class Executor {
public:
    explicit Executor(Environment& environment) : environment_(environment) {}

    /// From anywhere, interrupts included: runs `work` on the executor. Work that is already queued stays where it is.
    void post(Work& work);

    /// From code on the executor: runs `work` after what runs now.
    void ready(Work& work) {
        if (!work.linked()) ready_.push_back(work);
    }

    /// Arms `deadline`. Armed for every wait and almost never due: a list sorted by time, searched from the end it
    /// mostly belongs to.
    void arm(Deadline& deadline, Instant when);
    void arm(Deadline& deadline, Duration from_now) { arm(deadline, now() + from_now); }

    /// Runs what is queued and due. True if there was anything. Where it is called from is the port's choice; never
    /// nested.
    bool drain();

    /// Drains and idles until `done()`.
    template <class Done>
    void run_until(Done&& done) {
        for (;;) {
            drain();
            if (done()) return;
            wait();
        }
    }

    /// Waits until there is something to drain.
    void wait();

    Instant now() { return environment_.now(); }
    Environment& environment() { return environment_; }

private:
    Environment& environment_;
    List<Work> mailbox_; ///< guarded by the critical section
    List<Work> ready_;
    List<Deadline> deadlines_; ///< earliest first
};

/// Interrupts (and other posters) are kept out for the life of this object.
class CriticalSection {
public:
    explicit CriticalSection(Environment& environment)
        : environment_(environment), state_(environment.enter_critical()) {}
    CriticalSection(const CriticalSection&) = delete;
    CriticalSection& operator=(const CriticalSection&) = delete;
    ~CriticalSection() { environment_.leave_critical(state_); }

private:
    Environment& environment_;
    unsigned state_;
};

/// One waiter, one signal; a signal that comes first is kept. Both sides run on the executor.
class Event {
public:
    explicit Event(Executor& executor) : executor_(executor), resume_(*this), timeout_(*this) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() {
        resume_.unlink();
        timeout_.cancel();
    }

    void set();
    void clear() { set_ = false; }
    bool is_set() const { return set_; }

    class Awaiter {
    public:
        Awaiter(Event& event, Instant until) : event_(&event), until_(until) {}
        bool await_ready() const noexcept { return event_->take(); }
        void await_suspend(std::coroutine_handle<> self) const noexcept { event_->wait_for(self, until_); }
        /// True if the event came in time.
        bool await_resume() const noexcept { return event_->in_time_; }

    private:
        Event* event_;
        Instant until_;
    };

    /// `co_await event.before(deadline)`: true if the event came, false if the time-out did.
    Awaiter before(Instant until) { return {*this, until}; }
    /// For waits that something else ends: whoever is waited for has armed its own time-out.
    Awaiter wait() { return {*this, never}; }

private:
    struct Resume : Work {
        explicit Resume(Event& owner) : Work(go_on), event(owner) {}
        static void go_on(Work& work) noexcept { static_cast<Resume&>(work).event.waiter_.resume(); }
        Event& event;
    };
    struct Timeout : Deadline {
        explicit Timeout(Event& owner) : Deadline(expire), event(owner) {}
        static void expire(Deadline& deadline) noexcept { static_cast<Timeout&>(deadline).event.resume(false); }
        Event& event;
    };

    bool take();
    void wait_for(std::coroutine_handle<> coroutine, Instant until);
    void resume(bool in_time);

    Executor& executor_;
    bool set_ = false;
    bool waiting_ = false;
    bool in_time_ = false;
    std::coroutine_handle<> waiter_;
    Resume resume_;
    Timeout timeout_;
};

/// `co_await Sleep(executor, for)`: resumes when the time is over.
class Sleep {
public:
    Sleep(Executor& executor, Duration length) : executor_(&executor), until_(executor.now() + length), timeout_() {}
    Sleep(const Sleep& other) : executor_(other.executor_), until_(other.until_), timeout_() {}
    Sleep& operator=(const Sleep&) = delete;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> self) noexcept {
        timeout_.waiter = self;
        executor_->arm(timeout_, until_);
    }
    void await_resume() const noexcept {}

private:
    struct Timeout : Deadline {
        Timeout() : Deadline(expire) {}
        static void expire(Deadline& deadline) noexcept { static_cast<Timeout&>(deadline).waiter.resume(); }
        std::coroutine_handle<> waiter;
    };

    Executor* executor_;
    Instant until_;
    Timeout timeout_;
};

} // namespace mmcpipe::base
