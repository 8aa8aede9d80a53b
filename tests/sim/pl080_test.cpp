#include "mmcpipe/sim/dma/pl080.h"

#include "tests/sim/memory_fixture.h"

namespace mmcpipe::sim {
namespace {

constexpr std::uint32_t fifo_address = 0x4000'0080;
constexpr std::uint32_t channel = 0x100;                                                  ///< its registers
constexpr std::uint32_t to_memory = 1u << 27 | 2u << 21 | 2u << 18 | 2u << 15 | 2u << 12; ///< words, bursts of 8
constexpr std::uint32_t from_memory = 1u << 26 | 2u << 21 | 2u << 18 | 2u << 15 | 2u << 12;

struct Pl080Test : MemoryTest, dma::Peripheral {
    Pl080Test() : MemoryTest({.size = 256 * page_size, .line_size = 1}) {}
    void dma_ready() override { ready = true; }

    std::uint32_t bus(Bytes range) { return static_cast<std::uint32_t>(address(range)); }
    bool failed() { return model.read(0x00c) != 0; }
    /// Programs a list of one element.
    void start(std::uint32_t source, std::uint32_t destination, std::uint32_t control, std::uint32_t bytes,
               bool to_memory_flow) {
        model.write(0x030, 1);
        model.write(channel + 0x00, source);
        model.write(channel + 0x04, destination);
        model.write(channel + 0x08, 0);
        model.write(channel + 0x0c, control | bytes / 4);
        model.write(channel + 0x10, 1u << 14 | (to_memory_flow ? 2u : 1u) << 11 | 1);
        EXPECT_TRUE(ready);
    }
    /// What the peripheral sends, a byte for each word.
    static std::vector<std::byte> counted(std::size_t bytes) {
        std::vector<std::byte> content(bytes);
        for (std::size_t i = 0; i < bytes; ++i) content[i] = static_cast<std::byte>(1 + i / 4);
        return content;
    }
    void push(std::size_t bytes) {
        const auto content = counted(bytes);
        for (std::size_t at = 0; at < bytes; at += 32) port.push(chunk_of(std::span(content).subspan(at, 32)));
    }
    std::vector<std::byte> pull(std::size_t size) {
        std::vector<std::byte> got;
        while (got.size() < size) {
            const Chunk chunk = port.pull(32);
            if (chunk.empty()) break;
            got.insert(got.end(), bytes(chunk).begin(), bytes(chunk).end());
        }
        return got;
    }

    InterruptLine line{machine};
    dma::Pl080 model{engine, memory, line, nullptr, false};
    bool ready = false;
    dma::Channel& port = model.wire(0, *this, {fifo_address, 64, 8});
    Bytes range = buffer(512, old_data);
};

TEST_F(Pl080Test, MovesWhatThePeripheralSendsToMemory) {
    start(fifo_address, bus(range), to_memory, 256, true);
    push(256);
    EXPECT_FALSE(failed());
    EXPECT_TRUE(std::ranges::equal(dma_from_memory(range.first(256)), counted(256)));
    EXPECT_EQ(model.read(0x01c), 0u) << "it is disabled at its end";
}

TEST_F(Pl080Test, TheFifoShowsAtSixteenAddressesAndNowhereElse) {
    start(fifo_address + 60, bus(range), to_memory, 256, true);
    push(256);
    EXPECT_FALSE(failed());
    for (const std::uint32_t wrong : {fifo_address - 4, fifo_address + 64, 0u}) {
        start(wrong, bus(range), to_memory, 256, true);
        push(32);
        EXPECT_TRUE(failed()) << wrong;
        model.write(0x010, 0xff);
    }
}

TEST_F(Pl080Test, AnIncrementOnThePeripheralsSideLeavesTheFifo) {
    start(fifo_address, bus(range), to_memory | 1u << 26, 256, true);
    push(64);
    EXPECT_FALSE(failed());
    push(32);
    EXPECT_TRUE(failed());
    start(bus(range), fifo_address, from_memory | 1u << 27, 256, false);
    EXPECT_EQ(pull(256).size(), 64u);
}

TEST_F(Pl080Test, WithoutAnIncrementOnTheMemorysSideItIsTheSameWordAgain) {
    start(fifo_address, bus(range), to_memory & ~(1u << 27), 256, true);
    push(256);
    EXPECT_FALSE(failed());
    const auto found = dma_from_memory(range);
    EXPECT_EQ(found[0], std::byte{64}) << "the last word that came";
    EXPECT_EQ(found[4], old_data);

    std::ranges::copy(counted(256), range.begin());
    start(bus(range) + 8, fifo_address, from_memory & ~(1u << 26), 256, false);
    EXPECT_TRUE(all(pull(256), std::byte{3}));
}

TEST_F(Pl080Test, ANarrowAccessToTheFifoLosesData) {
    start(fifo_address, bus(range), to_memory & ~(2u << 18), 1024, true); // 256 bytes
    push(256);
    EXPECT_FALSE(std::ranges::equal(dma_from_memory(range.first(256)), counted(256)));
}

TEST_F(Pl080Test, TheMemorysSideMayBeNarrow) {
    start(fifo_address, bus(range), to_memory & ~(2u << 21), 256, true);
    push(256);
    EXPECT_TRUE(std::ranges::equal(dma_from_memory(range.first(256)), counted(256)));
}

TEST_F(Pl080Test, AnAddressIsRoundedDownToItsWidth) {
    start(fifo_address, bus(range) + 2, to_memory, 256, true);
    push(256);
    EXPECT_TRUE(std::ranges::equal(dma_from_memory(range.first(256)), counted(256)));
}

TEST_F(Pl080Test, ABurstThatIsLongerThanWhatThePeripheralAsksForMovesRubbish) {
    start(fifo_address, bus(range), (to_memory & ~(7u << 12)) | 3u << 12, 256, true); // 16 words
    push(256);
    EXPECT_FALSE(std::ranges::equal(dma_from_memory(range.first(256)), counted(256)));
    start(fifo_address, bus(range), (to_memory & ~(7u << 12)) | 1u << 12, 256, true); // 4 words
    push(256);
    EXPECT_TRUE(std::ranges::equal(dma_from_memory(range.first(256)), counted(256)));
}

} // namespace
} // namespace mmcpipe::sim
