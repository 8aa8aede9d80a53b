#pragma once
// The event engine: a clock in picoseconds and a sorted list of what is due. Events due at the same time fire in the
// order in which they were scheduled, so that a run is the same every time.
//
// A list, because a machine has ten to fifty events under way, most new ones belong near one of its ends, and taking
// one out must be cheap: time-outs are armed for every wait and almost never fire. Scheduling and firing one among 10
// others takes 60 instructions (250 with a heap of four children a node), among 200 others 170 (390).

#include "mmcpipe/sim/time.h"

namespace mmcpipe::sim {

/// Something that happens at a time. Models derive from it and cast back in their `Fire`. Owned by its model;
/// destruction cancels it.
class Event {
public:
    using Fire = void (*)(Event&);

    explicit Event(Fire fire) : fire_(fire) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { unlink(); }

    bool scheduled() const { return next_ != nullptr; }
    /// When it is due; `forever` if it is not scheduled.
    Time when() const { return when_; }

private:
    friend class Engine;

    void unlink() {
        if (next_ == nullptr) return;
        next_->previous_ = previous_;
        previous_->next_ = next_;
        next_ = nullptr;
        when_ = forever;
    }

    Fire fire_;
    Event* next_ = nullptr; ///< neighbours in the engine's ring; nullptr: not scheduled
    Event* previous_ = nullptr;
    Time when_ = forever;
};

/// An event that calls a member function: `MemberEvent<&Card::busy_ends> busy_ends_{*this};`
template <auto Member>
class MemberEvent;

template <class Model, void (Model::*member)()>
class MemberEvent<member> final : public Event {
public:
    explicit MemberEvent(Model& model)
        : Event([](Event& event) { (static_cast<MemberEvent&>(event).model_.*member)(); }), model_(model) {}

private:
    Model& model_;
};

/// May be destroyed before or after the events that are scheduled in it. Allocates nothing.
class Engine {
public:
    Engine() : ends_(nullptr) { ends_.next_ = ends_.previous_ = &ends_; }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();

    Time now() const { return now_; }

    /// Makes `event` due at `at`, behind everything that is due then already; an event that is scheduled is moved.
    /// `forever` cancels it. Throws std::logic_error if `at` is over.
    void schedule(Event& event, Time at) {
        if (event.scheduled() && at >= event.when_ && at < event.next_->when_) {
            event.when_ = at; // it keeps its place
        } else {
            move(event, at);
        }
    }
    void cancel(Event& event) { event.unlink(); }

    /// When the first event is due; `forever` if there is none.
    Time next() const { return ends_.next_->when_; }

    /// Moves the clock to the first event and fires it. False if there is none.
    bool step();
    /// Fires everything due up to `end`, `end` included, and leaves the clock there: for models without processors.
    void run_until(Time end);
    /// Moves the clock to `end` if nothing is due until then, `end` included. False otherwise, and nothing has changed.
    bool skip_to(Time end) {
        if (next() <= end) return false;
        now_ = end;
        return true;
    }

private:
    void move(Event& event, Time at);
    Event* place(Time at);

    Time now_;
    Event ends_; ///< closes the ring of scheduled events: before the first and after the last, due never
};

} // namespace mmcpipe::sim
