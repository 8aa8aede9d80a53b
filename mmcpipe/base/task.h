#pragma once
// Task: a protocol sequence as a coroutine. A failed Result awaited inside a task ends the task with that error, so a
// sequence reads like the specification's flow chart and every step is checked.
//
//     Task<Result<void>> Card::select(...) {
//         co_await send(...);                                 // ends here with the error of the command
//         const auto csd = co_await send(...);                // the value of a Result
//         const auto maybe = co_await outcome(send(...));     // the Result itself
//     }
//
// A task is lazy: it starts when awaited (or by start()). Its frame comes from the arena of its first argument (a
// FrameArena, or anything with `frames()`, the object itself for a member function). When the arena is used up the task
// fails with out_of_frames.
//
// g++ 12: do not co_await inside a condition, and do not pass aggregates as temporaries into an awaited call (a check
// in the tests looks for the first). The resumption scheme below needs no tail call, so it works at -O0 and under the
// sanitizers.

#include "mmcpipe/base/arena.h"
#include "mmcpipe/base/result.h"

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace mmcpipe::base {

template <class R>
class Task;

namespace detail {

template <class T>
struct IsResult : std::false_type {};
template <class T>
struct IsResult<std::expected<T, Error>> : std::true_type {};

template <class T>
FrameArena& frames_of(T& first) {
    if constexpr (std::derived_from<std::remove_cvref_t<T>, FrameArena>) {
        return first;
    } else {
        return first.frames();
    }
}

/// Every frame is followed by the arena that it came from.
struct FrameFooter {
    FrameArena* arena;
};

/// Behind the frame, which so begins where its block does.
inline std::size_t footer_at(std::size_t size) {
    return (size + alignof(FrameFooter) - 1) / alignof(FrameFooter) * alignof(FrameFooter);
}

inline void* allocate_frame(FrameArena& arena, std::size_t size) noexcept {
    void* const block = arena.allocate(footer_at(size) + sizeof(FrameFooter));
    if (block == nullptr) return nullptr;
    ::new (static_cast<std::byte*>(block) + footer_at(size)) FrameFooter{&arena};
    return block;
}

inline void free_frame(void* frame, std::size_t size) noexcept {
    void* const behind = static_cast<std::byte*>(frame) + footer_at(size);
    std::launder(static_cast<FrameFooter*>(behind))->arena->free(frame, footer_at(size) + sizeof(FrameFooter));
}

struct PromiseBase {
    void (*on_finished)(void* waiter) noexcept = nullptr; ///< set only while a parent really waits
    void* waiter = nullptr;
    bool finished = false;

    /// Whoever ends the task calls this; the frame may be gone when it returns.
    void finish() noexcept {
        finished = true;
        if (on_finished != nullptr) on_finished(waiter);
    }
};

struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) const noexcept {
        self.promise().finish();
    }
    void await_resume() const noexcept {}
};

/// Ends the task of `self` with `error`.
template <class P>
void end_with(std::coroutine_handle<P> self, Error error) noexcept {
    P& promise = self.promise();
    promise.result.emplace(std::unexpected<Error>(error));
    promise.finish();
}

/// Awaits a Result: its value, or the end of the task.
template <class R>
class ResultAwaiter {
public:
    explicit ResultAwaiter(R&& result) : result_(std::move(result)) {}
    bool await_ready() const noexcept { return result_.has_value(); }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) noexcept {
        end_with(self, result_.error());
    }
    typename R::value_type await_resume() {
        if constexpr (!std::is_void_v<typename R::value_type>) return *std::move(result_);
    }

private:
    R result_;
};

/// Awaits a task and gives its Result whole.
template <class R>
class OutcomeAwaiter {
public:
    explicit OutcomeAwaiter(Task<R>&& task) : task_(std::move(task)) {}
    bool await_ready() const noexcept { return task_.done(); }
    bool await_suspend(std::coroutine_handle<> self) noexcept {
        return task_.run_for(self.address(),
                             [](void* parent) noexcept { std::coroutine_handle<>::from_address(parent).resume(); });
    }
    R await_resume() { return task_.take(); }

private:
    Task<R> task_;
};

/// Awaits a task inside a task of promise P: its value, or the end of the awaiting task with its error.
template <class R, class P>
class ValueAwaiter {
public:
    explicit ValueAwaiter(Task<R>&& task) : task_(std::move(task)) {}
    bool await_ready() const noexcept { return false; }

    bool await_suspend(std::coroutine_handle<P> self) noexcept {
        parent_ = self;
        const bool waits = !task_.done() && task_.run_for(this, [](void* awaiter) noexcept {
            static_cast<ValueAwaiter*>(awaiter)->go_on();
        });
        if (waits) return true;
        result_.emplace(task_.take());
        if (result_->has_value()) return false;
        end_with(self, result_->error());
        return true;
    }

    typename R::value_type await_resume() {
        if constexpr (!std::is_void_v<typename R::value_type>) return **std::move(result_);
    }

private:
    void go_on() noexcept {
        result_.emplace(task_.take());
        if (result_->has_value()) {
            parent_.resume();
        } else {
            end_with(parent_, result_->error());
        }
    }

    Task<R> task_;
    std::coroutine_handle<P> parent_;
    std::optional<R> result_;
};

} // namespace detail

/// Marks a task whose Result the awaiting task wants to see, good or bad.
template <class R>
detail::OutcomeAwaiter<R> outcome(Task<R>&& task) {
    return detail::OutcomeAwaiter<R>(std::move(task));
}

template <class R>
class [[nodiscard]] Task {
    static_assert(detail::IsResult<R>::value, "a task ends with a Result");

public:
    struct promise_type : detail::PromiseBase {
        std::optional<R> result;

        template <class First, class... Rest>
        static void* operator new(std::size_t size, First& first, Rest&...) noexcept {
            return detail::allocate_frame(detail::frames_of(first), size);
        }
        static void operator delete(void* frame, std::size_t size) noexcept { detail::free_frame(frame, size); }

        static Task get_return_object_on_allocation_failure() noexcept { return Task(nullptr); }
        Task get_return_object() noexcept { return Task(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        detail::FinalAwaiter final_suspend() const noexcept { return {}; }
        template <class V = R> // co_return {}; is success
        void return_value(V&& value) {
            result.emplace(std::forward<V>(value));
        }
        void unhandled_exception() const noexcept { __builtin_trap(); } // the core throws nothing

        template <class T>
        detail::ResultAwaiter<Result<T>> await_transform(Result<T> value) {
            return detail::ResultAwaiter<Result<T>>(std::move(value));
        }
        template <class S>
        detail::ValueAwaiter<S, promise_type> await_transform(Task<S>&& task) {
            return detail::ValueAwaiter<S, promise_type>(std::move(task));
        }
        /// Any other awaiter, by value: g++ 12 copies what is returned by reference, and the copy would wait for ever.
        template <class A>
            requires requires(A& a) { a.await_ready(); }
        A await_transform(A awaiter) { // NOLINT(performance-unnecessary-value-param)
            return awaiter;
        }
    };

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        if (this != &other) {
            if (handle_) handle_.destroy();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    /// Runs the task to its first wait. For tasks that nobody awaits; the owner asks `done()` and `take()`s.
    void start() {
        if (handle_) handle_.resume();
    }

    bool done() const { return !handle_ || handle_.promise().finished; }

    /// The result, once done.
    R take() {
        if (!handle_) return fail(Code::out_of_frames);
        return *std::move(handle_.promise().result);
    }

    /// Starts the task on behalf of a waiter. True if it has to wait: `on_finished(waiter)` then tells it of the end.
    bool run_for(void* waiter, void (*on_finished)(void*) noexcept) {
        handle_.resume();
        promise_type& promise = handle_.promise();
        if (promise.finished) return false;
        promise.waiter = waiter;
        promise.on_finished = on_finished;
        return true;
    }

private:
    using Handle = std::coroutine_handle<promise_type>;

    explicit Task(Handle handle) : handle_(handle) {}
    explicit Task(std::nullptr_t) {}

    Handle handle_ = nullptr;
};

} // namespace mmcpipe::base
