#include "mmcpipe/base/task.h"

#include "fake_environment.h"
#include "mmcpipe/base/executor.h"

#include <gtest/gtest.h>
#include <string>

namespace mmcpipe::base {
namespace {

struct TaskTest : testing::Test {
    FakeEnvironment environment;
    Executor executor{environment};
    StaticFrameArena<16384> arena;
    Event event{executor};
    std::string log;

    FrameArena& frames() { return arena; }
    template <class R>
    R run(Task<R> task) {
        task.start();
        executor.run_until([&] { return task.done(); });
        return task.take();
    }
};

/// Writes its name when it is destroyed.
struct Note {
    std::string& log;
    char name;
    Note(std::string& l, char n) : log(l), name(n) {}
    ~Note() { log += name; }
};

Task<Result<int>> at_once(TaskTest&, int value) { co_return value; }

Task<Result<int>> later(TaskTest& t, int value) {
    const Note note(t.log, 'c');
    const bool in_time = co_await t.event.before(t.executor.now() + milliseconds(1));
    if (in_time) co_return fail(Code::aborted);
    if (value < 0) co_return fail(Code::dead, 7);
    co_return value;
}

Task<Result<int>> twice(TaskTest& t, int value) {
    const Note note(t.log, 'b');
    const int once = co_await later(t, value);
    t.log += '+';
    co_return once * 2;
}

Task<Result<void>> outer(TaskTest& t, int value) {
    const Note note(t.log, 'a');
    const int doubled = co_await twice(t, value);
    t.log += std::to_string(doubled);
    co_return {};
}

TEST_F(TaskTest, AValueComesThroughTwoLevelsAfterAWait) {
    EXPECT_TRUE(run(outer(*this, 21)));
    EXPECT_EQ(log, "c+b42a");
}

TEST_F(TaskTest, AnErrorEndsEveryLevelAndRunsEveryDestructor) {
    const auto result = run(outer(*this, -1));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), Error(Code::dead, 7));
    EXPECT_EQ(log, "cba");
}

Task<Result<void>> fails_at_once(TaskTest& t) {
    const Note note(t.log, 'x');
    co_await Result<void>(fail(Code::no_card));
    t.log += "never";
    co_return {};
}

Task<Result<void>> awaits_what_fails_at_once(TaskTest& t) {
    const Note note(t.log, 'y');
    co_await fails_at_once(t);
    t.log += "never";
    co_return {};
}

TEST_F(TaskTest, AnErrorWithoutAnyWaitEndsTheAwaitingTaskToo) {
    EXPECT_EQ(run(awaits_what_fails_at_once(*this)).error().code, Code::no_card);
    EXPECT_EQ(log, "xy");
}

Task<Result<int>> looks_at_outcome(TaskTest& t) {
    const auto first = co_await outcome(twice(t, -1));
    const auto second = co_await outcome(at_once(t, 3));
    co_return first ? -1 : *second;
}

TEST_F(TaskTest, AnOutcomeDoesNotEndTheTask) { EXPECT_EQ(run(looks_at_outcome(*this)), 3); }

Task<Result<int>> adds_up(TaskTest& t, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += co_await at_once(t, 1);
    co_return sum;
}

TEST_F(TaskTest, AMillionAwaitsThatCompleteAtOnceNeedNoStack) { EXPECT_EQ(run(adds_up(*this, 1'000'000)), 1'000'000); }

TEST_F(TaskTest, FramesAreUsedAgain) {
    EXPECT_EQ(run(adds_up(*this, 10)), 10);
    const std::size_t untouched = arena.untouched();
    EXPECT_EQ(run(adds_up(*this, 1000)), 1000);
    EXPECT_EQ(arena.untouched(), untouched);
}

struct Tiny {
    StaticFrameArena<64> arena;
    FrameArena& frames() { return arena; }
};

Task<Result<int>> too_large(Tiny&) { co_return 1; }

TEST(Task, ATaskWithoutAFrameFailsWithOutOfFrames) {
    Tiny tiny;
    Task<Result<int>> task = too_large(tiny);
    task.start();
    ASSERT_TRUE(task.done());
    EXPECT_EQ(task.take().error().code, Code::out_of_frames);
}

TEST_F(TaskTest, ATaskDestroyedWhileItWaitsRunsItsDestructorsAndIsNotResumed) {
    {
        Task<Result<void>> task = outer(*this, 1);
        task.start();
        EXPECT_EQ(log, "");
    }
    EXPECT_EQ(log, "cba");
}

} // namespace
} // namespace mmcpipe::base
