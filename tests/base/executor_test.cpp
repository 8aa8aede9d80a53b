#include "mmcpipe/base/executor.h"

#include "fake_environment.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <mutex>
#include <rapidcheck.h>
#include <string>
#include <thread>
#include <vector>

namespace mmcpipe::base {
namespace {

struct LoggedWork : Work {
    LoggedWork(std::string& l, char n, Executor* e = nullptr, LoggedWork* f = nullptr)
        : Work(append), log(l), name(n), executor(e), follow(f) {}
    static void append(Work& work) noexcept {
        auto& self = static_cast<LoggedWork&>(work);
        self.log += self.name;
        if (self.follow != nullptr) self.executor->ready(*self.follow);
    }
    std::string& log;
    char name;
    Executor* executor;
    LoggedWork* follow;
};

struct LoggedDeadline : Deadline {
    LoggedDeadline(std::string& l, char n) : Deadline(append), log(l), name(n) {}
    static void append(Deadline& deadline) noexcept {
        auto& self = static_cast<LoggedDeadline&>(deadline);
        self.log += self.name;
    }
    std::string& log;
    char name;
};

struct ExecutorTest : testing::Test {
    FakeEnvironment environment;
    Executor executor{environment};
    std::string log;
};

TEST_F(ExecutorTest, PostedWorkRunsInOrderAndOnlyWhenDrained) {
    LoggedWork a(log, 'a');
    LoggedWork b(log, 'b');
    executor.post(a);
    executor.post(b);
    executor.post(a);
    EXPECT_EQ(log, "");
    EXPECT_TRUE(executor.drain());
    EXPECT_EQ(log, "ab");
    EXPECT_FALSE(executor.drain());
}

TEST_F(ExecutorTest, ReadyWorkRunsAfterWhatRunsNow) {
    LoggedWork second(log, '2');
    LoggedWork first(log, '1', &executor, &second);
    executor.ready(first);
    executor.drain();
    EXPECT_EQ(log, "12");
}

TEST_F(ExecutorTest, DeadlinesExpireInOrderOfTimeAndThenOfArming) {
    LoggedDeadline a(log, 'a');
    LoggedDeadline b(log, 'b');
    LoggedDeadline c(log, 'c');
    executor.arm(b, milliseconds(2));
    executor.arm(a, milliseconds(1));
    executor.arm(c, milliseconds(2));
    executor.run_until([&] { return log.size() == 3; });
    EXPECT_EQ(log, "abc");
    EXPECT_EQ(environment.now(), Instant{2'000'000});
    EXPECT_TRUE(environment.idled_inside) << "idle must be entered inside the critical section";
}

TEST_F(ExecutorTest, ACancelledDeadlineNeverExpires) {
    LoggedDeadline a(log, 'a');
    LoggedDeadline b(log, 'b');
    executor.arm(a, milliseconds(1));
    executor.arm(b, milliseconds(2));
    a.cancel();
    executor.run_until([&] { return !log.empty(); });
    EXPECT_EQ(log, "b");
}

TEST_F(ExecutorTest, ArmingAgainMovesADeadline) {
    LoggedDeadline a(log, 'a');
    LoggedDeadline b(log, 'b');
    executor.arm(a, milliseconds(1));
    executor.arm(b, milliseconds(2));
    executor.arm(a, milliseconds(3));
    executor.run_until([&] { return log.size() == 2; });
    EXPECT_EQ(log, "ba");
}

TEST_F(ExecutorTest, WaitDoesNotIdleWhileWorkIsPosted) {
    LoggedWork a(log, 'a');
    executor.post(a);
    executor.wait();
    EXPECT_EQ(environment.idles, 0);
}

TEST(ExecutorProperty, RandomlyArmedAndCancelledDeadlinesExpireSortedAndExactlyOnce) {
    EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::uint16_t, bool>>& plan) {
        FakeEnvironment environment;
        Executor executor(environment);
        struct Timed : Deadline {
            explicit Timed(std::vector<Instant>& f) : Deadline(expire), fired(f) {}
            static void expire(Deadline& d) noexcept { static_cast<Timed&>(d).fired.push_back(d.when()); }
            std::vector<Instant>& fired;
        };
        std::vector<Instant> fired;
        std::vector<Instant> expected;
        std::deque<Timed> deadlines;
        for (const auto& [at, kept] : plan) {
            Timed& d = deadlines.emplace_back(fired);
            executor.arm(d, Instant{at});
            if (kept) {
                expected.push_back(Instant{at});
            } else {
                d.cancel();
            }
        }
        std::ranges::sort(expected);
        executor.run_until([&] { return fired.size() >= expected.size(); });
        RC_ASSERT(fired == expected);
    }));
}

/// A process with a second thread that posts: what ThreadSanitizer looks at.
class ThreadedEnvironment final : public Environment {
public:
    Instant now() override { return {}; }
    unsigned enter_critical() override {
        mutex_.lock();
        return 0;
    }
    void leave_critical(unsigned) override { mutex_.unlock(); }
    void idle(Instant) override {
        mutex_.unlock();
        std::this_thread::yield();
        mutex_.lock();
    }
    void notify() override {}

private:
    std::mutex mutex_;
};

TEST(ExecutorThreads, WorkPostedByAnotherThreadRunsOnceEachAndOnTheExecutor) {
    ThreadedEnvironment environment;
    Executor executor(environment);
    struct Counted : Work {
        explicit Counted(int& t) : Work(count), total(t) {}
        static void count(Work& w) noexcept { ++static_cast<Counted&>(w).total; }
        int& total;
    };
    int total = 0; // only the executor's thread touches it
    std::deque<Counted> works;
    for (int i = 0; i < 1000; ++i) works.emplace_back(total);
    std::thread poster([&] {
        for (Counted& w : works) executor.post(w);
    });
    executor.run_until([&] { return total == 1000; });
    poster.join();
    EXPECT_EQ(total, 1000);
}

} // namespace
} // namespace mmcpipe::base
