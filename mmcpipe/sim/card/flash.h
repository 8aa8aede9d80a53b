#pragma once
// The flash of a card: what it holds, and when it is ready. It knows no commands.

#include "mmcpipe/sim/card/flash_timing.h"
#include "mmcpipe/sim/page_store.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mmcpipe::sim::card {

/// Addresses are bytes; the caller checks them.
class Flash {
public:
    Flash(std::uint64_t size, std::byte erased, const FlashTiming& timing);

    const FlashTiming& timing() const { return timing_; }
    std::uint64_t size() const { return content_.size(); }
    PageStore& content() { return content_; }

    /// A read command: when its first block can come.
    Time begin_read(std::uint64_t address, Time now);
    /// `blocks` of `length` bytes went out, the last ended at `now`.
    void was_read(std::uint32_t blocks, std::uint32_t length, Time now);

    void begin_write(std::uint64_t address);
    /// An entry of a packed write. However far apart entries lie, they fill pages together, in the order in which they
    /// come: the first begins a page, and only the last may leave one partly filled.
    enum class InPack : std::uint8_t { first, later };
    void begin_write(std::uint64_t address, InPack place);
    /// From `ready` on there is room for at least a block, for `bytes` in all.
    struct Room {
        Time ready;
        std::uint64_t bytes;
    };
    Room room(std::uint32_t block, Time now) const;
    /// Goes behind what was written before. Returns when the busy of its last block is over.
    Time write(const Chunk& data, Time now);
    /// The write command is over. Returns when the card is ready again.
    Time end_write(Time now);

    void erase(std::uint64_t address, std::uint64_t size);
    /// What was not programmed by `now` was never written.
    void lose_power(Time now);

private:
    /// A page of content as it was, until what replaced it is programmed.
    struct Saved {
        std::uint64_t number = 0;
        PageRef page{};
        Time programmed = forever;
    };
    Saved& saved(std::size_t i) { return ring_[(first_ + i) % ring_.size()]; }
    void save(std::uint64_t number, Time now);
    void programmed_at(Time when);

    FlashTiming timing_;
    PageStore content_;
    std::byte erased_;

    struct {
        std::uint64_t begin = 0; ///< of the last command
        std::uint64_t end = 0;
        Time last{};                ///< when the last block ended
        Time step{};                ///< from the end of the block before
        std::uint32_t length = 512; ///< of a block
    } read_;

    std::uint64_t write_at_ = 0;
    std::uint64_t fill_begin_ = 0; ///< where in the pages that are programmed the last command began
    std::uint64_t fill_at_ = 0;
    std::uint32_t held_ = 0;  ///< bytes in the buffer that do not make a page yet
    Time drained_{};          ///< when everything that makes pages is programmed
    std::vector<Saved> ring_; ///< oldest first
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    std::size_t open_ = 0; ///< of them, so many are not on their way to the flash yet: the newest
};

} // namespace mmcpipe::sim::card
