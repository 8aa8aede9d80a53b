// What drivers get from the caches: data if they keep the rules, and if they do not, never.

#include "tests/sim/memory_fixture.h"

#include <gtest/gtest.h>
#include <vector>

namespace mmcpipe::sim {
namespace {

// --- what a correct driver gets ---

TEST_F(MemoryTest, AReadThatInvalidatesBeforeAndAfterGivesTheData) {
    const Bytes range = buffer(3 * page_size, old_data);
    fill(range, stored);
    invalidate_now(range);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, new_data));
    EXPECT_EQ(memory.counters().lines_evicted, 0u);
}

TEST_F(MemoryTest, AWriteThatCleansSendsTheData) {
    const Bytes range = buffer(3 * page_size, old_data);
    fill(range, stored);
    clean_now(range);
    EXPECT_TRUE(all(dma_from_memory(range), stored));
}

TEST_F(MemoryTest, AReadOfLinesInTheMiddleOfPagesGivesTheDataAndLeavesTheRest) {
    const Bytes whole = buffer(4 * page_size, old_data);
    const Bytes range = whole.subspan(page_size / 2, 2 * page_size + 32);
    fill(whole, stored);
    invalidate_now(range);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, new_data));
    EXPECT_TRUE(all(whole.first(page_size / 2), stored));
    EXPECT_TRUE(all(whole.subspan(page_size / 2 + range.size()), stored));
}

TEST_F(MemoryTest, TwoReadsIntoOnePagePipelinedDoNotDisturbEachOther) {
    const Bytes page = buffer(page_size, old_data);
    const Bytes first = page.first(1024);
    const Bytes second = page.subspan(1024, 1024);
    fill(page, stored);
    invalidate_now(first);
    memory.dma_begins(address(first), first.size(), true);
    put(first, PageRef::filled(std::byte{1}));
    invalidate_now(second);
    memory.dma_ends(address(first), first.size(), true);
    memory.dma_begins(address(second), second.size(), true);
    put(second, PageRef::filled(std::byte{2}));
    invalidate_now(first);
    EXPECT_TRUE(all(first, std::byte{1}));
    memory.dma_ends(address(second), second.size(), true);
    invalidate_now(second);
    EXPECT_TRUE(all(first, std::byte{1}));
    EXPECT_TRUE(all(second, std::byte{2}));
    EXPECT_TRUE(all(page.subspan(2048), stored));
}

TEST_F(MemoryTest, AReadCanBeFinishedChangedAndWrittenWhileAnotherOfItsPageIsNotFinished) {
    const Bytes page = buffer(page_size, old_data);
    const Bytes first = page.first(1024);
    const Bytes second = page.subspan(1024, 1024);
    invalidate_now(page.first(2048));
    dma_to_memory(page.first(2048), new_data);
    invalidate_now(first);
    fill(first, old_data);
    clean_now(first);
    EXPECT_TRUE(all(dma_from_memory(first), old_data));
    invalidate_now(second);
    EXPECT_TRUE(all(first, old_data));
    EXPECT_TRUE(all(second, new_data));
}

TEST_F(MemoryTest, AReadThatIsStartedAgainAfterAnErrorNeedsNoSecondPrepare) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    invalidate_now(range);
    dma_to_memory(range, std::byte{1});
    dma_to_memory(range, std::byte{2});
    invalidate_now(range);
    EXPECT_TRUE(all(range, std::byte{2}));
}

TEST_F(MemoryTest, AReadThatEndsShortGivesWhatCameAndWhatWasInDramBehindIt) {
    const Bytes range = buffer(2 * page_size, old_data);
    invalidate_now(range);
    memory.dma_begins(address(range), range.size(), true);
    put(range.first(512), PageRef::filled(new_data));
    memory.dma_ends(address(range), range.size(), true);
    invalidate_now(range);
    EXPECT_TRUE(all(range.first(512), new_data));
    EXPECT_TRUE(all(range.subspan(512), old_data));
}

TEST_F(MemoryTest, APrepareThatIsUndoneShowsWhatIsInDram) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    invalidate_now(range);
    EXPECT_TRUE(all(range, old_data));
    invalidate_now(range);
    EXPECT_TRUE(all(range, old_data));
}

TEST_F(MemoryTest, AWriteOfAFewBytesSendsThem) {
    const Bytes range = buffer(page_size, old_data).subspan(100, 8);
    fill(range, stored);
    clean_now(range);
    EXPECT_TRUE(all(dma_from_memory(range), stored));
}

TEST_F(MemoryTest, ABufferThatWasReadCanBeChangedAndWritten) {
    const Bytes range = buffer(page_size, old_data);
    invalidate_now(range);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    fill(range.subspan(40, 2), stored);
    clean_now(range);
    const auto sent = dma_from_memory(range);
    EXPECT_EQ(sent, std::vector<std::byte>(range.begin(), range.end()));
    EXPECT_EQ(sent[39], new_data);
    EXPECT_EQ(sent[40], stored);
}

// --- what an omission gets ---

TEST_F(MemoryTest, WithoutInvalidateAtPrepareDirtyLinesAreWrittenOverTheData) {
    const Bytes range = buffer(page_size, old_data);
    range[64] = stored;
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range.first(64), new_data));
    EXPECT_EQ(range[64], stored);
    EXPECT_TRUE(all(range.subspan(65, 31), old_data));
    EXPECT_TRUE(all(range.subspan(96), new_data));
    EXPECT_EQ(memory.counters().lines_evicted, 1u);
}

TEST_F(MemoryTest, OwnershipReturnsAtFinishSoThatTheNextReadHasToInvalidateAgain) {
    const Bytes range = buffer(page_size, old_data);
    invalidate_now(range);
    dma_to_memory(range, old_data);
    invalidate_now(range);
    fill(range, stored);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, stored));
}

TEST_F(MemoryTest, OwnershipReturnsToEachOfTwoReadsIntoOnePageAtItsOwnFinish) {
    const Bytes page = buffer(page_size, old_data);
    const Bytes first = page.first(1024);
    const Bytes second = page.subspan(1024, 1024);
    invalidate_now(page.first(2048));
    dma_to_memory(page.first(2048), old_data);
    invalidate_now(first);
    invalidate_now(second);
    fill(second, stored);
    dma_to_memory(second, new_data);
    invalidate_now(second);
    EXPECT_TRUE(all(second, stored));
}

TEST_F(MemoryTest, OwnershipReturnsFromAReadThatMovedNothing) {
    const Bytes range = buffer(page_size, old_data);
    invalidate_now(range);
    begin_and_end(range, true);
    invalidate_now(range);
    fill(range, stored);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, stored));
}

TEST_F(MemoryTest, AReadThatWasNeverFinishedIsNoPrepareForTheNext) {
    const Bytes range = buffer(page_size, old_data);
    invalidate_now(range);
    dma_to_memory(range, old_data);
    fill(range, stored);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, stored));
}

TEST_F(MemoryTest, ACleanIsNoPrepareForARead) {
    const Bytes range = buffer(page_size, old_data);
    clean_now(range);
    fill(range, stored);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, stored));
}

TEST_F(MemoryTest, WithoutInvalidateAtFinishTheCpuSeesOldData) {
    const Bytes range = buffer(page_size, old_data);
    invalidate_now(range);
    dma_to_memory(range, new_data);
    EXPECT_TRUE(all(range, old_data));
}

TEST_F(MemoryTest, WithoutABarrierAtFinishTheCpuSeesOldData) {
    const Bytes range = buffer(page_size, old_data);
    invalidate_now(range);
    dma_to_memory(range, new_data);
    memory.invalidate(range);
    EXPECT_TRUE(all(range, old_data));
    memory.barrier();
    EXPECT_TRUE(all(range, new_data));
}

TEST_F(MemoryTest, WithoutABarrierAtPrepareDirtyLinesAreWrittenOverTheData) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    memory.invalidate(range);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, stored));
}

TEST_F(MemoryTest, AnInvalidateThatComesAfterTheStartComesTooLate) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    memory.dma_begins(address(range), range.size(), true);
    put(range, PageRef::filled(new_data));
    invalidate_now(range);
    memory.dma_ends(address(range), range.size(), true);
    invalidate_now(range);
    EXPECT_TRUE(all(range, stored));
}

TEST_F(MemoryTest, WithoutCleanTheDeviceSeesOldData) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    EXPECT_TRUE(all(dma_from_memory(range), old_data));
}

TEST_F(MemoryTest, ACleanWithoutBarrierLeavesTheDeviceOldData) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    memory.clean(range);
    EXPECT_TRUE(all(dma_from_memory(range), old_data));
    memory.barrier();
    EXPECT_TRUE(all(dma_from_memory(range), stored));
}

TEST_F(MemoryTest, AnInvalidateInPlaceOfACleanLosesTheData) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    invalidate_now(range);
    EXPECT_TRUE(all(dma_from_memory(range), old_data));
}

TEST_F(MemoryTest, InvalidatingPartOfALineLosesWhatItsOtherBytesHeld) {
    const Bytes page = buffer(page_size, old_data);
    fill(page.first(128), stored);
    const Bytes range = page.subspan(40, 40); // 32..96
    invalidate_now(range);
    EXPECT_TRUE(all(page.first(32), stored));
    EXPECT_TRUE(all(page.subspan(32, 64), old_data));
    EXPECT_TRUE(all(page.subspan(96, 32), stored));
}

TEST_F(MemoryTest, CleaningPartOfALineWritesItsOtherBytesToo) {
    const Bytes page = buffer(page_size, old_data);
    fill(page.first(128), stored);
    clean_now(page.subspan(40, 40));
    const auto dram = dma_from_memory(page);
    EXPECT_TRUE(all(std::span(dram).first(32), old_data));
    EXPECT_TRUE(all(std::span(dram).subspan(32, 64), stored));
    EXPECT_TRUE(all(std::span(dram).subspan(96), old_data));
}

TEST_F(MemoryTest, ANeighbourStoredToDuringDmaIntoTheSameLineTakesTheDataWithIt) {
    const Bytes page = buffer(page_size, old_data);
    const Bytes range = page.first(48); // ends in the middle of a line
    invalidate_now(range);
    memory.dma_begins(address(range), range.size(), true);
    put(range, PageRef::filled(new_data));
    page[63] = stored;
    memory.dma_ends(address(range), range.size(), true);
    invalidate_now(range);
    EXPECT_TRUE(all(page.first(32), new_data));
    EXPECT_TRUE(all(page.subspan(32, 31), old_data));
    EXPECT_EQ(page[63], stored);
}

// --- what the adversary may not do ---

TEST_F(MemoryTest, ALineThatWasWrittenBackIsNotDirtyAnyMore) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    dma_to_memory(range, std::byte{1}); // written over
    dma_to_memory(range, std::byte{2});
    invalidate_now(range);
    EXPECT_TRUE(all(range, std::byte{2}));
}

TEST_F(MemoryTest, LinesAreExposedOnlyAsLongAsTheDmaLasts) {
    const Bytes range = buffer(page_size, old_data);
    dma_to_memory(range, old_data); // not prepared, but nothing was dirty
    invalidate_now(range);
    fill(range, stored);
    invalidate_now(range);
    EXPECT_TRUE(all(range, old_data));
    EXPECT_EQ(memory.counters().lines_evicted, 0u);
}

TEST_F(MemoryTest, LinesThatAreNotDirtyAreNotWrittenBack) {
    const Bytes range = buffer(page_size, old_data);
    dma_to_memory(range, new_data);
    invalidate_now(range);
    EXPECT_TRUE(all(range, new_data));
    EXPECT_EQ(memory.counters().lines_evicted, 0u);
}

TEST_F(MemoryTest, LinesThatAreOnlyBehindDramAreNotWrittenBack) {
    const Bytes range = buffer(page_size, old_data);
    dma_to_memory(range, std::byte{1});
    dma_to_memory(range, std::byte{2}); // the CPU still sees what was there before both
    EXPECT_TRUE(all(range, old_data));
    clean_now(range);
    EXPECT_TRUE(all(dma_from_memory(range), std::byte{2}));
    invalidate_now(range);
    EXPECT_TRUE(all(range, std::byte{2}));
}

TEST_F(MemoryTest, CleaningALineThatIsBehindWritesItOnlyIfItWasStoredTo) {
    const Bytes range = buffer(page_size, old_data);
    dma_to_memory(range, new_data);
    range[0] = stored;
    clean_now(range);
    const auto dram = dma_from_memory(range);
    EXPECT_EQ(dram[0], stored);
    EXPECT_TRUE(all(std::span(dram).subspan(1, 31), old_data));
    EXPECT_TRUE(all(std::span(dram).subspan(32), new_data));
}

TEST_F(MemoryTest, DirtyLinesBesideTheTargetOfDmaStayWhereTheyAre) {
    const Bytes pages = buffer(3 * page_size, old_data);
    fill(pages, stored);
    dma_to_memory(pages.subspan(page_size, page_size), new_data);
    EXPECT_TRUE(all(pages, stored));
    EXPECT_TRUE(all(dma_from_memory(pages.first(page_size)), old_data));
    EXPECT_TRUE(all(dma_from_memory(pages.subspan(2 * page_size)), old_data));
}

TEST_F(MemoryTest, DirtyLinesBesideTheTargetInTheSamePageStayWhereTheyAre) {
    const Bytes page = buffer(page_size, old_data);
    fill(page, stored);
    const Bytes range = page.subspan(1024, 512);
    invalidate_now(range);
    dma_to_memory(range, new_data);
    EXPECT_TRUE(all(dma_from_memory(page.first(1024)), old_data));
    EXPECT_TRUE(all(dma_from_memory(page.subspan(1536)), old_data));
    EXPECT_TRUE(all(page.first(1024), stored));
}

TEST_F(MemoryTest, DmaFromMemoryWritesNothingBack) {
    const Bytes range = buffer(page_size, old_data);
    fill(range, stored);
    begin_and_end(range, false);
    EXPECT_TRUE(all(dma_from_memory(range), old_data));
}

} // namespace
} // namespace mmcpipe::sim
