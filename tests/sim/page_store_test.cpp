#include "mmcpipe/sim/page_store.h"

#include "tests/sim/allocations.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace mmcpipe::sim {
namespace {

constexpr std::byte a{0xaa};
constexpr std::byte b{0xbb};

std::vector<std::byte> content(PageStore& store, std::uint64_t address, std::size_t size) {
    std::vector<std::byte> bytes(size);
    store.read(address, bytes);
    return bytes;
}

std::vector<std::byte> filled(std::size_t size, std::byte value) { return std::vector<std::byte>(size, value); }

TEST(PageStore, WhatWasNeverWrittenReadsAsTheFill) {
    PageStore zeros(1 << 20);
    PageStore ones(1 << 20, std::byte{0xff});
    EXPECT_EQ(content(zeros, 5000, 9000), filled(9000, std::byte{0}));
    EXPECT_EQ(content(ones, 5000, 9000), filled(9000, std::byte{0xff}));
}

TEST(PageStore, APageBesideAWrittenOneStillReadsAsTheFill) {
    PageStore store(1 << 20, std::byte{0xff});
    store.write(page_size, Chunk{PageRef::filled(a), 0, page_size});
    EXPECT_EQ(content(store, 2 * page_size, page_size), filled(page_size, std::byte{0xff}));
}

TEST(PageStore, AReadEndsWithThePage) {
    PageStore store(1 << 20);
    const Chunk chunk = store.read(4000, 512);
    EXPECT_EQ(chunk.offset, 4000);
    EXPECT_EQ(chunk.length, 96);
}

TEST(PageStore, AWholePageIsKeptByReference) {
    PageStore store(1 << 20);
    const PageRef page = PageRef::filled(a);
    store.write(3 * page_size, Chunk{page, 0, page_size});
    EXPECT_EQ(store.page(3), page);
    EXPECT_EQ(store.read(3 * page_size + 512, 512).page, page);
    EXPECT_EQ(store.bytes_copied(), 0u);
}

TEST(PageStore, APageThatArrivesInPiecesIsKeptByReference) {
    PageStore store(1 << 20);
    const PageRef page = PageRef::filled(a);
    for (std::uint16_t offset = 0; offset < page_size; offset += 512)
        store.write(page_size + offset, Chunk{page, offset, 512});
    EXPECT_EQ(store.page(1), page);
    EXPECT_EQ(store.bytes_copied(), 0u);
}

TEST(PageStore, APageThatHasArrivedInPartReadsAsTheNewPartAndTheOldRest) {
    PageStore store(1 << 20);
    store.write(page_size, Chunk{PageRef::filled(a), 0, page_size});
    const PageRef page = PageRef::filled(b);
    store.write(page_size, Chunk{page, 0, 512});
    store.write(page_size + 512, Chunk{page, 512, 512});
    EXPECT_EQ(content(store, page_size, 1024), filled(1024, b));
    EXPECT_EQ(content(store, page_size + 1024, 3072), filled(3072, a));
    store.write(page_size + 1024, Chunk{page, 1024, 3072});
    EXPECT_EQ(content(store, page_size, page_size), filled(page_size, b));
}

TEST(PageStore, AnArrivingPageThatIsOverwrittenWholeIsForgotten) {
    PageStore store(1 << 20);
    const PageRef page = PageRef::filled(b);
    store.write(page_size, Chunk{page, 0, 512});
    store.write(page_size, Chunk{PageRef::filled(a), 0, page_size});
    EXPECT_EQ(content(store, page_size, page_size), filled(page_size, a));
}

TEST(PageStore, AnArrivingPageThatIsDiscardedIsForgotten) {
    PageStore store(1 << 20);
    const PageRef page = PageRef::filled(b);
    store.write(page_size, Chunk{page, 0, 512});
    store.discard(page_size, page_size, std::byte{0});
    EXPECT_EQ(content(store, page_size, page_size), filled(page_size, std::byte{0}));
}

TEST(PageStore, APieceDoesNotChangeAPageThatOthersHold) {
    PageStore store(1 << 20);
    const PageRef page = PageRef::filled(a);
    store.write(0, Chunk{page, 0, page_size});
    store.write(100, filled(50, b));
    EXPECT_EQ(page.data()[100], a);
    EXPECT_EQ(content(store, 100, 50), filled(50, b));
    EXPECT_EQ(content(store, 150, 50), filled(50, a));
}

TEST(PageStore, DiscardedBytesReadAsAskedAndTheirNeighboursAsBefore) {
    PageStore store(1 << 20);
    store.write(0, filled(4 * page_size, a));
    store.discard(1000, 2 * page_size, b);
    EXPECT_EQ(content(store, 0, 1000), filled(1000, a));
    EXPECT_EQ(content(store, 1000, 2 * page_size), filled(2 * page_size, b));
    EXPECT_EQ(content(store, 1000 + 2 * page_size, 1000), filled(1000, a));
}

TEST(PageStore, DiscardingToTheFillGivesThePagesBack) {
    const std::size_t used = pool_size().used;
    PageStore store(1 << 20);
    store.write(0, filled(16 * page_size, a));
    store.discard(0, 16 * page_size, std::byte{0});
    EXPECT_EQ(pool_size().used, used);
}

TEST(PageStore, ManyAddressesWithTheSamePageTakeOnePage) {
    const std::size_t used = pool_size().used;
    constexpr std::uint64_t size = 128 << 20;
    PageStore store(size);
    const PageRef page = PageRef::filled(a);
    for (std::uint64_t address = 0; address < size; address += page_size)
        store.write(address, Chunk{page, 0, page_size});
    EXPECT_EQ(store.read(size - 512, 512).page, page);
    EXPECT_EQ(pool_size().used, used + 1);
}

TEST(PageStore, ALargeCardCanBeErasedWithoutTouchingWhatWasNeverWritten) {
    constexpr std::uint64_t size = std::uint64_t{1} << 40;
    PageStore store(size);
    store.write(size / 2, filled(page_size, a));
    const std::size_t before = allocations();
    store.discard(0, size, std::byte{0});
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(content(store, size / 2, page_size), filled(page_size, std::byte{0}));
}

TEST(PageStore, ThePageReplacedIsReturnedWithThePiecesThatHadArrived) {
    PageStore store(1 << 20);
    const PageRef page = PageRef::filled(a);
    store.write(0, Chunk{page, 0, 512});
    const PageRef before = store.replace(0, PageRef::filled(b));
    EXPECT_EQ(before.data()[511], a);
    EXPECT_EQ(before.data()[512], std::byte{0});
    EXPECT_EQ(content(store, 0, page_size), filled(page_size, b));
}

TEST(PageStore, EqualPagesThatWerePutTogetherAreOnePageWhenShared) {
    PageStore store(1 << 20);
    for (std::uint64_t number = 0; number < 8; ++number) {
        store.write(number * page_size, filled(page_size, number == 5 ? b : a));
        store.share(number);
    }
    EXPECT_EQ(store.page(0), store.page(7));
    EXPECT_EQ(content(store, 5 * page_size, page_size), filled(page_size, b));
    store.write(7 * page_size, filled(1, b));
    EXPECT_EQ(content(store, 0, page_size), filled(page_size, a));
}

TEST(PageStore, PagesThatDifferWhereTheHashDoesNotLookStayTwo) {
    PageStore store(1 << 20);
    for (std::uint64_t number = 0; number < 2; ++number) {
        store.write(number * page_size, filled(page_size, a));
        store.write(number * page_size + 4095 - number, filled(1, b));
        store.share(number);
    }
    EXPECT_NE(content(store, 0, page_size), content(store, page_size, page_size));
}

RC_GTEST_PROP(PageStoreProperty, BehavesLikePlainBytes, ()) {
    constexpr std::size_t size = 6 * page_size;
    const auto fill = *rc::gen::element(std::byte{0}, std::byte{0xff});
    PageStore store(size, fill);
    auto plain = filled(size, fill);
    PageRef source = PageRef::filled(a);

    const auto steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
        const auto granule = *rc::gen::element<std::size_t>(1, 512, 512, page_size);
        const auto address = *rc::gen::inRange<std::size_t>(0, size / granule) * granule;
        const auto length =
            std::min(*rc::gen::inRange<std::size_t>(1, page_size / granule + 1) * granule, size - address);
        const auto value = static_cast<std::byte>(*rc::gen::inRange(0, 256));
        switch (*rc::gen::inRange(0, 5)) {
        case 0: // a slice of a page that keeps its place, so that runs of them can be whole pages
        case 1: {
            if (*rc::gen::inRange(0, 4) == 0) source.writable()[*rc::gen::inRange<std::size_t>(0, page_size)] = value;
            const std::size_t offset = address % page_size;
            const std::size_t piece = std::min(length, page_size - offset);
            store.write(address, Chunk{source, static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(piece)});
            std::copy_n(source.data() + offset, piece, plain.begin() + static_cast<std::ptrdiff_t>(address));
            break;
        }
        case 2:
            store.write(address, chunk_of(filled(length, value)));
            std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(address), length, value);
            break;
        case 3:
            store.discard(address, length, value);
            std::fill_n(plain.begin() + static_cast<std::ptrdiff_t>(address), length, value);
            break;
        case 4: store.share(address / page_size); break;
        }
        if (*rc::gen::inRange(0, 4) == 0) RC_ASSERT(content(store, 0, size) == plain);
    }
    RC_ASSERT(content(store, 0, size) == plain);
}

} // namespace
} // namespace mmcpipe::sim
