#pragma once
// A stack to run code on. Boost.Context switches; AddressSanitizer is told.

#include <cstddef>
#include <memory>

namespace mmcpipe::sim {

class Fiber {
public:
    /// What runs on the fiber. Lets no exception out. Returns the fiber that goes on when it has ended.
    using Life = Fiber& (*)(void* argument);

    /// The stack that it is made on: the program's own.
    Fiber();
    /// A stack of its own, with a guard page below, taken when it is first switched to and given back when `life` has
    /// returned.
    Fiber(std::size_t stack_size, Life life, void* argument);
    /// A fiber that is suspended is abandoned: nothing on its stack is destroyed, and the stack is never given back.
    ~Fiber();

    /// Suspends this fiber, which must be the one that runs, and lets `next` go on.
    void switch_to(Fiber& next);
    /// It has begun, and has not ended.
    bool suspended() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace mmcpipe::sim
