#include "mmcpipe/sim/page.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

namespace mmcpipe::sim {
namespace {

bool all_bytes_are(const PageRef& page, std::byte value) {
    return std::all_of(page.data(), page.data() + page_size, [=](std::byte byte) { return byte == value; });
}

TEST(Page, ADefaultReferenceIsAPageOfZerosThatTakesNothingFromThePool) {
    const std::size_t used = pool_size().used;
    const PageRef page;
    EXPECT_TRUE(all_bytes_are(page, std::byte{0}));
    EXPECT_EQ(page, PageRef::zero());
    EXPECT_EQ(PageRef::filled(std::byte{0}), PageRef::zero());
    EXPECT_EQ(pool_size().used, used);
}

TEST(Page, ACopyRefersToTheSamePage) {
    const std::size_t used = pool_size().used;
    const PageRef first = PageRef::filled(std::byte{0x11});
    const PageRef second = first;
    EXPECT_EQ(first, second);
    EXPECT_EQ(first.data(), second.data());
    EXPECT_EQ(pool_size().used, used + 1);
}

TEST(Page, ThePageGoesBackToThePoolWithItsLastOwnerOnly) {
    const std::size_t used = pool_size().used;
    PageRef first = PageRef::filled(std::byte{0x11});
    PageRef second = first;
    PageRef third = std::move(first);
    third = PageRef::zero();
    EXPECT_EQ(pool_size().used, used + 1);
    EXPECT_TRUE(all_bytes_are(second, std::byte{0x11}));
    second = {};
    EXPECT_EQ(pool_size().used, used);
}

TEST(Page, AssigningAReferenceToItselfKeepsThePage) {
    PageRef page = PageRef::filled(std::byte{0x11});
    const PageRef& same = page;
    page = same;
    EXPECT_TRUE(all_bytes_are(page, std::byte{0x11}));
}

TEST(Page, WritingToASharedPageLeavesTheOtherOwnersContent) {
    PageRef writer = PageRef::filled(std::byte{0x11});
    const PageRef reader = writer;
    std::memset(writer.writable(), 0x22, page_size);
    EXPECT_TRUE(all_bytes_are(reader, std::byte{0x11}));
    EXPECT_TRUE(all_bytes_are(writer, std::byte{0x22}));
}

TEST(Page, WritingToASharedPageKeepsTheRestOfItsContent) {
    PageRef writer = PageRef::filled(std::byte{0x11});
    const PageRef reader = writer;
    writer.writable()[0] = std::byte{0x22};
    EXPECT_EQ(writer.data()[1], std::byte{0x11});
}

TEST(Page, WritingToAPageOfOnesOwnNeedsNoCopy) {
    PageRef page = PageRef::filled(std::byte{0x11});
    const std::byte* before = page.data();
    EXPECT_TRUE(page.sole_owner());
    EXPECT_EQ(page.writable(), before);
}

TEST(Page, WritingToThePageOfZerosLeavesItZero) {
    PageRef page = PageRef::zero();
    page.writable()[7] = std::byte{1};
    EXPECT_TRUE(all_bytes_are(PageRef::zero(), std::byte{0}));
    EXPECT_EQ(page.data()[7], std::byte{1});
    EXPECT_EQ(page.data()[8], std::byte{0});
}

TEST(Page, AFreedPageIsUsedAgainBeforeThePoolGrows) {
    { const PageRef warm_up = PageRef::make(); }
    const std::size_t total = pool_size().total;
    for (int i = 0; i < 1000; ++i) const PageRef page = PageRef::make();
    EXPECT_EQ(pool_size().total, total);
}

TEST(Page, ThePoolGrowsWhenAllPagesAreInUse) {
    std::vector<PageRef> pages(pool_size().total + 1);
    for (PageRef& page : pages) page = PageRef::filled(std::byte{0x33});
    EXPECT_GE(pool_size().total, pages.size());
    pages[0].writable()[0] = std::byte{0x44};
    EXPECT_TRUE(std::all_of(pages.begin() + 1, pages.end(),
                            [](const PageRef& p) { return all_bytes_are(p, std::byte{0x33}); }));
}

TEST(Page, AThreadThatEndsHandsItsFreePagesOn) {
    const auto pages_of_a_thread = [] {
        std::set<const std::byte*> addresses;
        std::thread([&] {
            std::vector<PageRef> pages{PageRef::make()};
            while (pages.size() < pool_size().total) pages.push_back(PageRef::make());
            for (const PageRef& page : pages) addresses.insert(page.data());
        }).join();
        return addresses;
    };
    const auto first = pages_of_a_thread();
    EXPECT_EQ(pages_of_a_thread(), first);
}

TEST(Chunk, IsAPieceOfItsPage) {
    PageRef page = PageRef::make();
    for (std::size_t i = 0; i < page_size; ++i) page.writable()[i] = static_cast<std::byte>(i / 16);
    const Chunk chunk{page, 512, 1024};
    EXPECT_EQ(bytes(chunk).data(), page.data() + 512);
    EXPECT_EQ(bytes(chunk).size(), 1024u);
    EXPECT_EQ(bytes(chunk.first(512)).data(), page.data() + 512);
    EXPECT_EQ(bytes(chunk.first(512)).size(), 512u);
    EXPECT_EQ(bytes(chunk.after(512)).data(), page.data() + 1024);
    EXPECT_EQ(bytes(chunk.after(512)).size(), 512u);
    EXPECT_TRUE(chunk.after(1024).empty());
}

TEST(Chunk, CanBeMadeOfBytesThatAreNotOnAPage) {
    const std::byte content[]{std::byte{1}, std::byte{2}, std::byte{3}};
    const Chunk chunk = chunk_of(content);
    EXPECT_TRUE(std::ranges::equal(bytes(chunk), content));
    EXPECT_TRUE(chunk_of({}).empty());
}

} // namespace
} // namespace mmcpipe::sim
