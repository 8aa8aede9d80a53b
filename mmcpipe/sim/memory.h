#pragma once
// Memory: what CPU, caches and DMA make of the same bytes. An arena holds the CPU's view, a PageStore what is in DRAM;
// between them is a cache that does what the architecture allows and a driver likes least, always, and without chance.
//
// A line of the cache holds what it was filled with, plus what the CPU has stored since. Stores are not seen when they
// happen: a line is dirty if the CPU's view differs from the fill. The fill is the DRAM's content, unless DMA has
// written there since.
//
//     owned        The CPU's. May be dirty.
//     handed over  Invalidated for DMA. Its user has promised not to touch it, so it is taken for not dirty.
//     behind       DMA has written there, or may have. The CPU sees the fill, as if fetched again before.
//
//     owned        -- invalidate -->     handed over  The CPU's view becomes DRAM's.
//     handed over  -- invalidate -->     handed over  The same: a prepare that is undone.
//     any          -- DMA to memory -->  behind       Lines that are written at once, the rest of its range at its end.
//     behind       -- invalidate -->     owned        The CPU's view becomes DRAM's: the data is the client's.
//     any          -- clean -->          as it was    DRAM gets what the CPU has stored, if the line is dirty.
//
// What clean and invalidate do they do at the next barrier. DMA from memory changes nothing.
//
// A line that DMA to memory begins on is *exposed* if it was not handed over, or is only partly in the range. The cache
// writes exposed lines back, over what DMA has written, when the DMA ends (or when an invalidate comes too late); only
// those that are dirty.

#include "mmcpipe/port/memory.h"
#include "mmcpipe/sim/line_set.h"
#include "mmcpipe/sim/machine.h"
#include "mmcpipe/sim/page_store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mmcpipe::sim {

/// What drivers asked of the caches, and what that cost this program.
struct MemoryCounters {
    std::uint64_t cleans = 0;
    std::uint64_t lines_cleaned = 0;
    std::uint64_t invalidates = 0;
    std::uint64_t lines_invalidated = 0;
    std::uint64_t barriers = 0;
    std::uint64_t publishes = 0;
    std::uint64_t lines_evicted = 0; ///< dirty lines written over or beside DMA's data: with a correct driver zero
    std::uint64_t bytes_compared = 0;
    std::uint64_t bytes_copied = 0; ///< descriptors not counted
};

struct MemoryLayout {
    std::size_t size = std::size_t{64} << 20; ///< bytes, whole pages; coherent memory included
    std::size_t line_size = 32;               ///< 32, 64 or 128; 1 where DMA is coherent
    port::BusAddress base = 0x8000'0000;      ///< where DMA sees the beginning
};

class Memory final : public port::Memory {
public:
    using Layout = MemoryLayout;
    /// What `allocate_coherent` gives holds this until it is written to, and devices find zeros there until `publish`.
    static constexpr std::byte coherent_garbage{0xa5};

    /// Cache maintenance is charged to the thread or handler that asks for it; what costs nothing may be called from
    /// anywhere. Throws std::bad_alloc, and std::invalid_argument for a bad layout.
    explicit Memory(Machine& machine, const Layout& layout = {});
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    // --- for clients ---

    /// A buffer, with whatever content; throws std::bad_alloc when nothing is left.
    std::span<std::byte> allocate(std::size_t size, std::size_t alignment = page_size);
    /// Gives back everything that was allocated since `allocated()` had this value.
    void release_to(std::size_t allocated);
    std::size_t allocated() const { return allocated_; }

    // --- for drivers ---

    void clean(std::span<const std::byte> range) override;
    void invalidate(std::span<std::byte> range) override;
    void barrier() override;
    /// All ones, where every DMA fails, for an address outside the arena.
    port::BusAddress bus_address(const std::byte* address) override;
    std::size_t line_size() const override { return line_size_; }
    std::span<std::byte> allocate_coherent(std::size_t size, std::size_t alignment) override;
    void publish(std::span<const std::byte> range) override;

    // --- for DMA engines. A range that is not all in memory is a bus error, and nothing happens. ---

    /// The bytes at `address`, up to the end of the page. Empty: bus error.
    Chunk dma_read(port::BusAddress address, std::size_t size);
    /// False: bus error.
    [[nodiscard]] bool dma_write(port::BusAddress address, const Chunk& chunk);
    /// A word of a descriptor. Nothing: bus error, also if it is not aligned.
    std::optional<std::uint32_t> dma_read_word(port::BusAddress address);
    /// An engine brackets what it does to a piece of memory with these, pieces in any number and order; also when the
    /// DMA fails or is aborted. Only between them does it write there.
    void dma_begins(port::BusAddress address, std::size_t length, bool to_memory);
    void dma_ends(port::BusAddress address, std::size_t length, bool to_memory);

    MemoryCounters counters() const;

private:
    /// The lines of one page.
    struct Lines {
        LineSet handed_over{};
        LineSet behind{};
        LineSet exposed{};
        PageRef fill{}; ///< kept while any line is behind; else it is what DRAM has
    };

    /// A maintenance call that awaits its barrier: bytes of the arena.
    struct Pending {
        std::size_t begin;
        std::size_t end;
        bool invalidate;
    };

    std::byte* view(std::size_t page) const { return arena_ + page * page_size; }
    /// There is a cache between this page and DMA.
    bool cached(std::size_t page) const { return line_size_ != 1 && page < coherent_page_; }
    std::optional<std::size_t> offset_of(port::BusAddress address, std::size_t length) const;
    void charge(Time cost, const char* name, std::size_t bytes = 0);
    void maintain(std::span<const std::byte> range, bool invalidate);

    void clean(std::size_t page, const LineSet& lines);
    void invalidate(std::size_t page, const LineSet& lines);
    std::size_t write_back(std::size_t page, const LineSet& lines);
    void fall_behind(std::size_t page, const LineSet& lines);
    void follow_view(std::size_t offset, std::size_t size);
    bool differ(const std::byte* a, const std::byte* b, std::size_t size);
    void copy(std::byte* to, const std::byte* from, std::size_t size);

    Machine& machine_;
    const std::size_t size_;
    const std::size_t line_size_;
    const port::BusAddress base_;
    PageStore dram_;
    std::vector<Lines> lines_; ///< by page
    std::byte* const arena_;
    std::vector<Pending> pending_;
    std::size_t allocated_ = 0; ///< bytes of buffers, from the beginning
    std::size_t coherent_;      ///< where coherent memory begins; it grows down from the end
    std::size_t coherent_page_; ///< its first page
    MemoryCounters counters_;
};

} // namespace mmcpipe::sim
