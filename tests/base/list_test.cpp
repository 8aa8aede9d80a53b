#include "mmcpipe/base/list.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <string>

namespace mmcpipe::base {
namespace {

struct Item : ListNode {
    explicit Item(int n) : number(n) {}
    int number;
};

std::string content(List<Item>& list) {
    std::string text;
    for (Item* i = list.front(); i != nullptr; i = list.after(*i)) text += std::to_string(i->number);
    return text;
}

TEST(List, ElementsComeOutInTheOrderInWhichTheyWentIn) {
    List<Item> list;
    Item one(1);
    Item two(2);
    list.push_back(one);
    list.push_back(two);
    EXPECT_EQ(list.pop_front(), &one);
    EXPECT_EQ(list.pop_front(), &two);
    EXPECT_EQ(list.pop_front(), nullptr);
}

TEST(List, AnElementUnlinksItselfFromTheMiddle) {
    List<Item> list;
    Item one(1);
    Item two(2);
    Item three(3);
    for (Item* i : {&one, &two, &three}) list.push_back(*i);
    two.unlink();
    EXPECT_FALSE(two.linked());
    EXPECT_EQ(content(list), "13");
    two.unlink(); // again: nothing
}

TEST(List, TakeMovesEverythingToTheEnd) {
    List<Item> to;
    List<Item> from;
    Item one(1);
    Item two(2);
    Item three(3);
    to.push_back(one);
    from.push_back(two);
    from.push_back(three);
    to.take(from);
    EXPECT_TRUE(from.empty());
    EXPECT_EQ(content(to), "123");
    to.take(from);
    EXPECT_EQ(content(to), "123");
}

TEST(ListProperty, BehavesLikeADequeUnderRandomOperations) {
    EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& operations) {
        std::deque<Item> items;
        for (int i = 0; i < 8; ++i) items.emplace_back(i);
        List<Item> list;
        std::deque<int> model;
        for (const std::uint8_t op : operations) {
            Item& item = items[op % 8];
            const bool in = item.linked();
            RC_ASSERT(in == (std::count(model.begin(), model.end(), item.number) == 1));
            if (in) {
                item.unlink();
                std::erase(model, item.number);
            } else if ((op & 8) != 0) {
                list.push_back(item);
                model.push_back(item.number);
            } else {
                list.push_front(item);
                model.push_front(item.number);
            }
            std::string expected;
            for (const int n : model) expected += std::to_string(n);
            RC_ASSERT(content(list) == expected);
        }
    }));
}

} // namespace
} // namespace mmcpipe::base
