#pragma once
// Bench: what cases work with: a card that was brought up, memory, and one request at a time.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/card/card.h"
#include "mmcpipe/card/settle.h"
#include "mmcpipe/card/transfer.h"
#include "mmcpipe/host/request.h"
#include "mmcpipe/host/transaction.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::trial {

/// A slot whose card can be taken out.
class Slot {
public:
    virtual void remove() = 0;
    /// Puts the same card back.
    virtual void insert() = 0;

protected:
    ~Slot() = default;
};

class Bench {
public:
    static constexpr std::size_t least_memory = 32 * 1024;
    static constexpr std::size_t least_elements = 128;

    /// All must outlive the bench. `memory`: DMA can reach it; it begins and ends with a cache line and has
    /// `least_memory` bytes or more. Requests never need more: where a case would like to, it takes what is there.
    /// `elements`: `least_elements` or more, 512 for every row of mmc_test. `slot`: nullptr if the card stays where it
    /// is.
    Bench(card::Card& card, std::span<std::byte> memory, std::span<host::Buffer> elements, Slot* slot = nullptr);
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    /// One request, on the wire alone, its end confirmed by CMD13. It is sent once; if it fails the card is put in
    /// order again, and the error is the request's first, or removed or dead if the card is.
    base::Task<base::Result<void>> transfer(const card::Transfer& wanted);
    /// The same for whole sectors in one piece: CMD17 or CMD24 for one, open-ended for more.
    base::Task<base::Result<void>> read(std::uint32_t sector, std::span<std::byte> into);
    base::Task<base::Result<void>> write(std::uint32_t sector, std::span<std::byte> from);

    /// The most that the host does in one request from this memory; bytes, whole sectors.
    std::uint32_t largest_request() const;
    /// Elements of a buffer list that the host does in one request.
    std::uint32_t most_elements() const;
    /// Sectors of the card, as far as 32 bits count them.
    std::uint32_t sectors() const;

    card::Card& card() { return card_; }
    const card::Properties& properties() const { return card_.properties(); }
    std::span<std::byte> memory() const { return memory_; }
    std::span<host::Buffer> elements() const { return elements_; }
    Slot* slot() const { return slot_; }
    host::Host& host() const { return card_.host(); }
    base::Executor& executor() { return card_.executor(); }
    base::FrameArena& frames() { return card_.frames(); }
    base::Instant now() { return executor().now(); }

private:
    base::Task<base::Result<void>> whole_sectors(host::Direction direction, std::uint32_t sector, host::Buffer buffer);

    card::Card& card_;
    std::span<std::byte> memory_;
    std::span<host::Buffer> elements_;
    Slot* slot_;
    host::Transaction request_;
    card::Settle settle_;
    host::Buffer buffer_{};
};

} // namespace mmcpipe::trial
