#include "mmcpipe/sim/engine.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

namespace mmcpipe::sim {
namespace {

struct Log {
    std::vector<int> fired;
};

struct Note : Event {
    Note(Log& to, int what) : Event(fire), log(to), number(what) {}
    static void fire(Event& event) {
        Note& self = static_cast<Note&>(event);
        self.log.fired.push_back(self.number);
    }
    Log& log;
    int number;
};

TEST(Engine, FiresInOrderOfTimeAndMovesTheClock) {
    Engine engine;
    Log log;
    Note a(log, 1), b(log, 2), c(log, 3);
    engine.schedule(a, nanoseconds(30));
    engine.schedule(b, nanoseconds(10));
    engine.schedule(c, nanoseconds(20));
    EXPECT_EQ(engine.next(), nanoseconds(10));
    ASSERT_TRUE(engine.step());
    EXPECT_EQ(engine.now(), nanoseconds(10));
    engine.run_until(nanoseconds(25));
    EXPECT_EQ(log.fired, (std::vector{2, 3}));
    EXPECT_EQ(engine.now(), nanoseconds(25));
    engine.run_until(nanoseconds(30));
    EXPECT_EQ(log.fired, (std::vector{2, 3, 1})) << "what is due at the very end fires";
    EXPECT_FALSE(engine.step());
    EXPECT_EQ(engine.next(), forever);
}

TEST(Engine, EventsDueTogetherFireInTheOrderOfScheduling) {
    Engine engine;
    Log log;
    std::vector<std::unique_ptr<Note>> notes;
    std::vector<int> expected;
    for (int i = 0; i < 100; ++i) {
        notes.push_back(std::make_unique<Note>(log, i));
        engine.schedule(*notes.back(), nanoseconds(5));
        expected.push_back(i);
    }
    engine.run_until(nanoseconds(5));
    EXPECT_EQ(log.fired, expected);
}

TEST(Engine, AMovedEventFiresOnceAndBehindThoseAlreadyDueThen) {
    Engine engine;
    Log log;
    Note a(log, 1), b(log, 2);
    engine.schedule(a, nanoseconds(1));
    engine.schedule(b, nanoseconds(2));
    engine.schedule(a, nanoseconds(2));
    engine.run_until(nanoseconds(3));
    EXPECT_EQ(log.fired, (std::vector{2, 1}));
}

TEST(Engine, ACancelledEventDoesNotFireAndCanBeScheduledAgain) {
    Engine engine;
    Log log;
    Note a(log, 1), b(log, 2);
    engine.schedule(a, nanoseconds(1));
    engine.schedule(b, nanoseconds(1));
    engine.cancel(a);
    EXPECT_FALSE(a.scheduled());
    EXPECT_EQ(a.when(), forever);
    engine.cancel(a);
    engine.run_until(nanoseconds(1));
    EXPECT_EQ(log.fired, (std::vector{2}));
    engine.schedule(a, nanoseconds(2));
    EXPECT_EQ(a.when(), nanoseconds(2));
    engine.run_until(nanoseconds(2));
    EXPECT_EQ(log.fired, (std::vector{2, 1}));
}

TEST(Engine, SchedulingForeverCancels) {
    Engine engine;
    Log log;
    Note a(log, 1);
    engine.schedule(a, nanoseconds(1));
    engine.schedule(a, forever);
    EXPECT_FALSE(a.scheduled());
    EXPECT_EQ(engine.next(), forever);
}

TEST(Engine, SchedulingIntoThePastIsAModelsError) {
    Engine engine;
    Log log;
    Note a(log, 1);
    engine.run_until(nanoseconds(2));
    EXPECT_THROW(engine.schedule(a, nanoseconds(1)), std::logic_error);
    EXPECT_NO_THROW(engine.schedule(a, nanoseconds(2)));
}

TEST(Engine, ADestroyedEventIsCancelled) {
    Engine engine;
    Log log;
    std::optional<Note> a(std::in_place, log, 1);
    engine.schedule(*a, nanoseconds(1));
    a.reset();
    EXPECT_EQ(engine.next(), forever);
    EXPECT_FALSE(engine.step());
}

TEST(Engine, AnEventMayOutliveTheEngine) {
    Log log;
    Note a(log, 1);
    {
        Engine engine;
        engine.schedule(a, nanoseconds(1));
    }
    EXPECT_FALSE(a.scheduled());
}

TEST(Engine, SkipsOnlyWhereNothingIsDue) {
    Engine engine;
    Log log;
    Note a(log, 1);
    engine.schedule(a, nanoseconds(10));
    EXPECT_FALSE(engine.skip_to(nanoseconds(10)));
    EXPECT_EQ(engine.now(), Time{});
    EXPECT_TRUE(engine.skip_to(picoseconds(9'999)));
    EXPECT_EQ(engine.now(), picoseconds(9'999));
    EXPECT_TRUE(log.fired.empty());
}

TEST(Engine, AnEventMayScheduleItselfAgain) {
    struct Tick : Event {
        explicit Tick(Engine& its_engine) : Event(fire), engine(its_engine) {}
        static void fire(Event& event) {
            Tick& self = static_cast<Tick&>(event);
            if (++self.count < 5) self.engine.schedule(self, self.engine.now() + nanoseconds(3));
        }
        Engine& engine;
        int count = 0;
    };
    Engine engine;
    Tick tick(engine);
    engine.schedule(tick, nanoseconds(3));
    engine.run_until(microseconds(1));
    EXPECT_EQ(tick.count, 5);
}

TEST(Engine, AMemberEventCallsItsModel) {
    struct Model {
        void done() { ++calls; }
        int calls = 0;
        MemberEvent<&Model::done> event{*this};
    };
    Engine engine;
    Model model;
    engine.schedule(model.event, nanoseconds(1));
    engine.run_until(nanoseconds(1));
    EXPECT_EQ(model.calls, 1);
}

// Against a sorted list: any mixture of scheduling, moving and cancelling fires the same events in the same order.
TEST(Engine, AgreesWithASortedListOnRandomWork) {
    std::mt19937 random(1);
    Engine engine;
    Log log;
    struct Expected {
        std::int64_t when;
        int order;
        int number;
    };
    std::vector<std::unique_ptr<Note>> notes;
    for (int i = 0; i < 60; ++i) notes.push_back(std::make_unique<Note>(log, i));
    std::vector<Expected> expected;
    std::vector<int> fired;
    int order = 0;
    for (int round = 0; round < 20'000; ++round) {
        const int number = static_cast<int>(random() % notes.size());
        Note& note = *notes[static_cast<std::size_t>(number)];
        const unsigned action = random() % 8;
        if (action < 5) {
            const std::int64_t when = engine.now().ps + static_cast<std::int64_t>(random() % 50);
            std::erase_if(expected, [&](const Expected& e) { return e.number == number; });
            expected.push_back({when, order++, number});
            engine.schedule(note, picoseconds(when));
        } else if (action < 6) {
            std::erase_if(expected, [&](const Expected& e) { return e.number == number; });
            engine.cancel(note);
        } else if (!expected.empty()) {
            const auto first =
                std::min_element(expected.begin(), expected.end(), [](const Expected& a, const Expected& b) {
                    return a.when != b.when ? a.when < b.when : a.order < b.order;
                });
            fired.push_back(first->number);
            ASSERT_EQ(engine.next(), picoseconds(first->when));
            expected.erase(first);
            ASSERT_TRUE(engine.step());
            ASSERT_EQ(log.fired.back(), fired.back());
        }
    }
    EXPECT_EQ(log.fired, fired);
    EXPECT_GT(fired.size(), 1000u);
}

} // namespace
} // namespace mmcpipe::sim
