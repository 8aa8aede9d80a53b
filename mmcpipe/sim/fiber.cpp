#include "mmcpipe/sim/fiber.h"

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define MMCPIPE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MMCPIPE_ASAN 1
#endif
#endif

#if defined(MMCPIPE_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace mmcpipe::sim {

namespace {

// The library is built without knowledge of AddressSanitizer, so it is told here: where the stack lies that runs next,
// and when it does. With detect_stack_use_after_return locals live elsewhere, so what an abandoned fiber owned is then
// reported as leaked.
struct Sanitized {
    const void* bottom = nullptr; ///< of the stack; of the program's own known only once it has been left
    std::size_t size = 0;
    void* fake_stack = nullptr;

#if defined(MMCPIPE_ASAN)
    void given_back() const { ASAN_UNPOISON_MEMORY_REGION(bottom, size); } // the addresses may become anything
    void leaves_for(const Sanitized& next) { __sanitizer_start_switch_fiber(&fake_stack, next.bottom, next.size); }
    void arrives_from(Sanitized& previous) {
        __sanitizer_finish_switch_fiber(fake_stack, &previous.bottom, &previous.size);
    }
    void abandoned() const { __lsan_register_root_region(bottom, size); } // what it owned is lost on purpose
#else
    void given_back() const {}
    void leaves_for(const Sanitized&) {}
    void arrives_from(Sanitized&) {}
    void abandoned() const {}
#endif
};

} // namespace

struct Fiber::State {
    std::size_t stack_size = 0;
    Life life = nullptr;
    void* argument = nullptr;
    boost::context::fiber context; ///< while it is suspended
    State* came_from = nullptr;    ///< set by whoever switches to it
    bool begun = false;
    bool ended = false;
    Sanitized sanitized;

    void begin();
    boost::context::fiber live();
};

namespace {

/// Boost's stack with a guard page; the bounds are kept.
struct Stack {
    boost::context::protected_fixedsize_stack memory;
    Sanitized* bounds;

    boost::context::stack_context allocate() {
        const boost::context::stack_context stack = memory.allocate();
        bounds->bottom = static_cast<const std::byte*>(stack.sp) - stack.size;
        bounds->size = stack.size;
        return stack;
    }
    void deallocate(boost::context::stack_context& stack) {
        bounds->given_back();
        memory.deallocate(stack);
    }
};

} // namespace

void Fiber::State::begin() {
    begun = true;
    context = boost::context::fiber(std::allocator_arg,
                                    Stack{boost::context::protected_fixedsize_stack(stack_size), &sanitized},
                                    [this](boost::context::fiber&&) { return live(); });
}

boost::context::fiber Fiber::State::live() {
    sanitized.arrives_from(came_from->sanitized);
    State& next = *life(argument).state_;
    ended = true;
    if (!next.context && !next.begun) next.begin();
    next.came_from = this;
    sanitized.leaves_for(
        next.sanitized); // the way out, through Boost's frames, still uses the fake stack: it is not given back
    return std::move(next.context);
}

Fiber::Fiber() : state_(std::make_unique<State>()) { state_->begun = true; }

Fiber::Fiber(std::size_t stack_size, Life life, void* argument) : state_(std::make_unique<State>()) {
    state_->stack_size = stack_size;
    state_->life = life;
    state_->argument = argument;
}

Fiber::~Fiber() {
    if (!suspended()) return;
    state_->sanitized.abandoned();
    // Destroying a suspended boost::context::fiber would throw through the frames on it.
    [[maybe_unused]] State* const lost = state_.release();
}

bool Fiber::suspended() const { return static_cast<bool>(state_->context); }

void Fiber::switch_to(Fiber& next) {
    State& self = *state_;
    State& other = *next.state_;
    if (!other.begun) other.begin();
    other.came_from = &self;
    self.sanitized.leaves_for(other.sanitized);
    std::move(other.context).resume_with([&self](boost::context::fiber&& left) {
        self.context = std::move(left);
        return boost::context::fiber();
    });
    self.sanitized.arrives_from(self.came_from->sanitized);
}

} // namespace mmcpipe::sim
