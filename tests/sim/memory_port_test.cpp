// What memory costs (this program, and the simulated driver), descriptors, coherent DMA, bus errors.

#include "tests/sim/allocations.h"
#include "tests/sim/memory_fixture.h"

#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

namespace mmcpipe::sim {
namespace {

// --- what it costs ---

TEST_F(MemoryTest, AReadComparesEachPageOnceAndCopiesItOnce) {
    const Bytes range = buffer(4 * page_size, old_data);
    const PageRef source = PageRef::filled(new_data);
    for (int i = 0; i < 3; ++i) {
        const MemoryCounters before = memory.counters();
        invalidate_now(range);
        dma_to_memory(range, source);
        invalidate_now(range);
        EXPECT_EQ(memory.counters().bytes_compared - before.bytes_compared, range.size());
        EXPECT_EQ(memory.counters().bytes_copied - before.bytes_copied, range.size());
    }
}

TEST_F(MemoryTest, RequestsTakeNothingFromTheHeap) {
    const Bytes range = buffer(8 * page_size, old_data);
    const PageRef source = PageRef::filled(new_data);
    const auto cycle = [&](std::byte value) {
        invalidate_now(range);
        dma_to_memory(range, source);
        invalidate_now(range);
        fill(range, value);
        clean_now(range);
        const Chunk sent = memory.dma_read(address(range), page_size);
        invalidate_now(range.subspan(32, page_size));
        dma_to_memory(range.subspan(32, page_size), source);
        invalidate_now(range.subspan(32, page_size));
    };
    cycle(std::byte{1});
    const std::size_t before = allocations();
    const std::size_t pages = pool_size().total;
    for (int i = 0; i < 100; ++i) cycle(static_cast<std::byte>(i));
    EXPECT_EQ(allocations(), before);
    EXPECT_EQ(pool_size().total, pages);
}

TEST_F(MemoryTest, AReadInSlicesCopiesEachPageOnce) {
    const Bytes range = buffer(page_size, old_data);
    const PageRef source = PageRef::filled(new_data);
    const std::uint64_t before = memory.counters().bytes_copied;
    invalidate_now(range);
    memory.dma_begins(address(range), range.size(), true);
    for (std::uint16_t at = 0; at < page_size; at += 512)
        ASSERT_TRUE(memory.dma_write(address(range) + at, Chunk{source, at, 512}));
    memory.dma_ends(address(range), range.size(), true);
    invalidate_now(range);
    EXPECT_TRUE(all(range, new_data));
    EXPECT_EQ(memory.counters().bytes_copied - before, range.size());
}

TEST_F(MemoryTest, AWriteOfNewDataCopiesEachPageOnce) {
    const Bytes range = buffer(4 * page_size, old_data);
    fill(range, stored);
    const std::uint64_t before = memory.counters().bytes_copied;
    clean_now(range);
    dma_from_memory(range);
    EXPECT_EQ(memory.counters().bytes_copied - before, range.size());
}

TEST_F(MemoryTest, WritingTheSameBufferAgainComparesOnceAndCopiesNothing) {
    const Bytes range = buffer(4 * page_size, stored);
    const Chunk sent = memory.dma_read(address(range), page_size); // the card keeps it
    const std::size_t used = pool_size().used;
    const std::size_t total = pool_size().total;
    const MemoryCounters before = memory.counters();
    for (int i = 0; i < 100; ++i) {
        clean_now(range);
        begin_and_end(range, false);
    }
    EXPECT_EQ(memory.counters().bytes_copied, before.bytes_copied);
    EXPECT_EQ(memory.counters().bytes_compared - before.bytes_compared, 100 * range.size());
    EXPECT_EQ(memory.dma_read(address(range), page_size).page, sent.page);
    EXPECT_EQ(pool_size().used, used);
    EXPECT_EQ(pool_size().total, total);
}

TEST_F(MemoryTest, ReadsOfManyBuffersFromOnePageTakeNoPages) {
    const Bytes range = buffer(64 * page_size, old_data);
    const PageRef source = PageRef::filled(new_data);
    const std::size_t used = pool_size().used;
    invalidate_now(range);
    dma_to_memory(range, source);
    invalidate_now(range);
    EXPECT_EQ(pool_size().used, used - 64); // those of the old data went back
}

TEST_F(MemoryTest, AWholePageGoesThroughByReference) {
    const Bytes range = buffer(page_size, old_data);
    const PageRef source = PageRef::filled(new_data);
    invalidate_now(range);
    dma_to_memory(range, source);
    EXPECT_EQ(memory.dma_read(address(range), page_size).page, source);
}

// --- descriptors ---

TEST_F(MemoryTest, StoresToCoherentMemoryReachTheDeviceWithPublish) {
    const Bytes table = memory.allocate_coherent(64, 32);
    const std::uint32_t word = 0x12345678;
    std::memcpy(table.data() + 8, &word, sizeof word);
    EXPECT_EQ(memory.dma_read_word(address(table) + 8), 0u);
    memory.publish(table);
    EXPECT_EQ(memory.dma_read_word(address(table) + 8), word);
    EXPECT_EQ(memory.dma_read_word(address(table) + 12), 0xa5a5a5a5u);
}

TEST_F(MemoryTest, PublishReachesNoFurtherThanItsRange) {
    const Bytes table = memory.allocate_coherent(2 * page_size, page_size);
    fill(table, stored);
    memory.publish(table.subspan(page_size - 4, 8));
    EXPECT_EQ(memory.dma_read_word(address(table) + page_size - 8), 0u);
    EXPECT_EQ(memory.dma_read_word(address(table) + page_size - 4), 0x5d5d5d5du);
    EXPECT_EQ(memory.dma_read_word(address(table) + page_size), 0x5d5d5d5du);
    EXPECT_EQ(memory.dma_read_word(address(table) + page_size + 4), 0u);
}

TEST_F(MemoryTest, PublishIsNoCleanOfCachedMemory) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    memory.publish(range);
    EXPECT_TRUE(all(dma_from_memory(range), old_data));
    std::byte elsewhere[64]{};
    memory.publish(elsewhere); // harmless
}

TEST_F(MemoryTest, CacheMaintenanceAndBarriersDoNotPublish) {
    const Bytes table = memory.allocate_coherent(64, 32);
    fill(table, stored);
    clean_now(table);
    EXPECT_EQ(memory.dma_read_word(address(table)), 0u);
    invalidate_now(table);
    EXPECT_TRUE(all(table, stored));
}

TEST_F(MemoryTest, WhatADeviceWritesToCoherentMemoryTheCpuSeesAtOnceAndPublishKeeps) {
    const Bytes table = memory.allocate_coherent(64, 32);
    fill(table, stored);
    dma_to_memory(table.first(32), new_data);
    EXPECT_TRUE(all(table.first(32), new_data));
    EXPECT_TRUE(all(table.subspan(32), stored));
    memory.publish(table);
    EXPECT_TRUE(all(dma_from_memory(table.first(32)), new_data));
    EXPECT_TRUE(all(dma_from_memory(table.subspan(32)), stored));
}

TEST_F(MemoryTest, CoherentMemoryIsAlignedAndNeitherOverlapsNorSharesAPageWithBuffers) {
    const Bytes range = memory.allocate(100, 4);
    const std::byte* above = range.data() + 256 * page_size;
    for (std::size_t alignment = 4; alignment <= page_size; alignment *= 2) {
        const std::size_t size = alignment / 2 + 3;
        const Bytes table = memory.allocate_coherent(size, alignment);
        ASSERT_EQ(table.size(), size);
        EXPECT_EQ(address(table) % alignment, 0u);
        EXPECT_LE(table.data() + size, above);
        above = table.data();
    }
    for (Bytes table = memory.allocate_coherent(500, 4); !table.empty(); table = memory.allocate_coherent(500, 4))
        above = table.data();
    EXPECT_GE(above, range.data() + page_size);
    EXPECT_TRUE(memory.allocate_coherent(300 * page_size, 4).empty());
    EXPECT_THROW(memory.allocate(2 * page_size, 4), std::bad_alloc);
}

TEST_F(MemoryTest, AWordOfADescriptorInCachedMemoryNeedsACleanLikeAnyData) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    EXPECT_EQ(memory.dma_read_word(address(range)), 0x0d0d0d0du);
    clean_now(range);
    EXPECT_EQ(memory.dma_read_word(address(range)), 0x5d5d5d5du);
}

// --- bus errors, arena ---

TEST_F(MemoryTest, DmaOutsideTheArenaIsABusErrorAndChangesNothing) {
    const port::BusAddress end = 0x8000'0000 + 256 * page_size;
    const Chunk chunk{PageRef::filled(new_data), 0, 8};
    for (const port::BusAddress bad :
         {port::BusAddress{0}, port::BusAddress{0x7fff'fffc}, end, end - 4, ~port::BusAddress{0}}) {
        EXPECT_TRUE(memory.dma_read(bad, 8).empty()) << bad;
        EXPECT_FALSE(memory.dma_write(bad, chunk)) << bad;
        memory.dma_begins(bad, 8, true);
        memory.dma_ends(bad, 8, true);
    }
    EXPECT_EQ(memory.dma_read_word(end), std::nullopt);
    EXPECT_EQ(memory.dma_read_word(0x8000'0002), std::nullopt);
    EXPECT_EQ(memory.dma_read_word(end - 4), 0u);
}

TEST_F(MemoryTest, AnAddressThatIsNotInTheArenaHasABusAddressThatFails) {
    std::byte elsewhere[64]{};
    EXPECT_TRUE(memory.dma_read(memory.bus_address(elsewhere), 1).empty());
    clean_now(elsewhere); // harmless
    invalidate_now(elsewhere);
}

TEST_F(MemoryTest, BusAddressesCountFromTheBaseInBytes) {
    const Bytes first = memory.allocate(10, 4);
    const Bytes second = memory.allocate(10, 64);
    EXPECT_EQ(address(first), 0x8000'0000u);
    EXPECT_EQ(address(second), 0x8000'0040u);
}

TEST_F(MemoryTest, MemoryGivenBackIsAllocatedAgain) {
    memory.allocate(10);
    const std::size_t before = memory.allocated();
    const Bytes range = memory.allocate(200 * page_size);
    memory.release_to(before);
    EXPECT_EQ(memory.allocate(200 * page_size).data(), range.data());
}

TEST_F(MemoryTest, RefusesALayoutThatNoHardwareHas) {
    EXPECT_THROW(Memory(machine, {.size = 0}), std::invalid_argument);
    EXPECT_THROW(Memory(machine, {.size = 1000}), std::invalid_argument);
    EXPECT_THROW(Memory(machine, {.size = page_size, .line_size = 48}), std::invalid_argument);
    EXPECT_THROW(Memory(machine, {.size = page_size, .base = 0x8000'0100}), std::invalid_argument);
}

// --- longer lines ---

class LongLines : public MemoryTest {
protected:
    LongLines() : MemoryTest({.size = 16 * page_size, .line_size = 64}) {}
};

TEST_F(LongLines, AreInvalidatedCleanedAndWrittenBackWhole) {
    const Bytes page = buffer(page_size, old_data);
    fill(page.first(256), stored);
    invalidate_now(page.subspan(70, 1));
    EXPECT_TRUE(all(page.first(64), stored));
    EXPECT_TRUE(all(page.subspan(64, 64), old_data));
    EXPECT_TRUE(all(page.subspan(128, 128), stored));

    clean_now(page.subspan(130, 1));
    const auto dram = dma_from_memory(page);
    EXPECT_TRUE(all(std::span(dram).first(128), old_data));
    EXPECT_TRUE(all(std::span(dram).subspan(128, 64), stored));
    EXPECT_TRUE(all(std::span(dram).subspan(192), old_data));

    dma_to_memory(page, new_data);
    EXPECT_EQ(memory.counters().lines_evicted, 2u); // 0..64 and 192..256
}

// --- coherent DMA ---

class CoherentMemory : public MemoryTest {
protected:
    CoherentMemory() : MemoryTest({.size = 16 * page_size, .line_size = 1}) {}
};

TEST_F(CoherentMemory, ADeviceSeesStoresAndTheCpuSeesDmaWithoutMaintenance) {
    const Bytes range = memory.allocate(2 * page_size).subspan(100, page_size);
    fill(range, stored);
    EXPECT_TRUE(all(dma_from_memory(range), stored));
    dma_to_memory(range, new_data);
    EXPECT_TRUE(all(range, new_data));
    range[0] = stored;
    EXPECT_EQ(dma_from_memory(range)[0], stored);
    EXPECT_EQ(dma_from_memory(range)[1], new_data);
    fill(range, stored);
    EXPECT_EQ(memory.dma_read_word(address(range)), 0x5d5d5d5du);
}

TEST_F(CoherentMemory, WhatADeviceHasTakenDoesNotChangeUnderIt) {
    const Bytes range = memory.allocate(page_size);
    fill(range, stored);
    const Chunk taken = memory.dma_read(address(range), page_size);
    fill(range, new_data);
    EXPECT_TRUE(all(dma_from_memory(range), new_data));
    EXPECT_TRUE(all(bytes(taken), stored));
}

TEST_F(CoherentMemory, WritingTheSameBufferAgainTakesNoPages) {
    const Bytes range = memory.allocate(page_size);
    fill(range, stored);
    const Chunk first = memory.dma_read(address(range), page_size);
    EXPECT_EQ(memory.dma_read(address(range), page_size).page, first.page);
}

TEST_F(CoherentMemory, DescriptorsStillNeedPublish) {
    const Bytes table = memory.allocate_coherent(64, 32);
    fill(table, stored);
    EXPECT_EQ(memory.dma_read_word(address(table)), 0u);
    memory.publish(table);
    EXPECT_EQ(memory.dma_read_word(address(table)), 0x5d5d5d5du);
}

// --- time ---

/// A machine on which everything costs something else.
struct Costly {
    explicit Costly(std::size_t line_size) : memory(machine, {.size = 64 * page_size, .line_size = line_size}) {}

    static Costs costs() {
        Costs costs;
        costs.cache_call = picoseconds(1'000'000'000);
        costs.cache_page = picoseconds(10'000'000);
        costs.clean_line = picoseconds(1'000);
        costs.invalidate_line = picoseconds(3);
        costs.barrier = picoseconds(70);
        costs.publish = picoseconds(90);
        return costs;
    }

    template <class Act>
    Time length_of(Act&& act) {
        const Time before = machine.now();
        machine.start("driver", 0, 0, act);
        machine.run();
        return machine.now() - before;
    }

    Engine engine;
    Machine machine{engine, costs()};
    Memory memory;
};

TEST(MemoryCosts, ACleanCostsItsCallItsPagesAndItsLinesRoundedOutward) {
    Costly costly(32);
    const Bytes range = costly.memory.allocate(3 * page_size).subspan(page_size - 1, page_size + 2);
    EXPECT_EQ(costly.length_of([&] { costly.memory.clean(range); }),
              picoseconds(1'000'000'000 + 3 * 10'000'000 + 130 * 1'000));
    EXPECT_EQ(costly.memory.counters().cleans, 1u);
    EXPECT_EQ(costly.memory.counters().lines_cleaned, 130u);
}

TEST(MemoryCosts, AnInvalidateHasItsOwnCostPerLine) {
    Costly costly(64);
    const Bytes range = costly.memory.allocate(page_size);
    EXPECT_EQ(costly.length_of([&] { costly.memory.invalidate(range); }),
              picoseconds(1'000'000'000 + 10'000'000 + 64 * 3));
    EXPECT_EQ(costly.memory.counters().invalidates, 1u);
    EXPECT_EQ(costly.memory.counters().lines_invalidated, 64u);
}

TEST(MemoryCosts, BarrierAndPublishCostWhatTheyCost) {
    Costly costly(32);
    EXPECT_EQ(costly.length_of([&] { costly.memory.barrier(); }), picoseconds(70));
    EXPECT_EQ(costly.length_of([&] { costly.memory.publish({}); }), picoseconds(90));
    EXPECT_EQ(costly.memory.counters().barriers, 1u);
    EXPECT_EQ(costly.memory.counters().publishes, 1u);
}

TEST(MemoryCosts, MaintenanceIsFreeWhereDmaIsCoherent) {
    Costly costly(1);
    const Bytes range = costly.memory.allocate(page_size);
    EXPECT_EQ(costly.length_of([&] {
        costly.memory.clean(range);
        costly.memory.invalidate(range);
    }),
              Time{});
}

TEST(MemoryCosts, ABarrierTakesEffectAtItsEnd) {
    Costly costly(32);
    const Bytes range = costly.memory.allocate(page_size);
    const port::BusAddress address = costly.memory.bus_address(range.data());
    std::optional<std::uint32_t> seen;
    struct Look : Event {
        Look(Memory& m, port::BusAddress a, std::optional<std::uint32_t>& s) : Event(fire), memory(m), at(a), seen(s) {}
        static void fire(Event& event) {
            auto& look = static_cast<Look&>(event);
            look.seen = look.memory.dma_read_word(look.at);
        }
        Memory& memory;
        port::BusAddress at;
        std::optional<std::uint32_t>& seen;
    } look(costly.memory, address, seen);

    costly.length_of([&] {
        fill(range, stored);
        costly.memory.clean(range);
        costly.engine.schedule(look, costly.machine.now() + picoseconds(30));
        costly.memory.barrier();
        EXPECT_EQ(costly.memory.dma_read_word(address), 0x5d5d5d5du);
    });
    EXPECT_EQ(seen, 0u);
}

} // namespace
} // namespace mmcpipe::sim
