#pragma once
// Faults: what goes wrong, and exactly where. The plan is deterministic: a run without faults counts commands, blocks,
// interrupts and DMA transfers, and a test then puts each kind of fault at each of these places. Choosing at random is
// the test's affair.

#include "mmcpipe/sim/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mmcpipe::sim::wire {

struct Fault {
    enum class Kind : std::uint8_t {
        // at a command
        response_lost,      ///< the card takes the command; its response does not come through
        response_damaged,   ///< the response comes with a wrong CRC7
        command_damaged,    ///< the card hears a wrong CRC7: no answer, COM_CRC_ERROR in the next one
        card_removed,       ///< before the last bit of the command: the card does not hear it
        busy_after_command, ///< the card stays busy for `length` after it
        packed_entry_fails, ///< of a packed CMD25 or CMD18: the card cannot carry out `entry`
        // at a block of the data of a command
        block_damaged, ///< wrong CRC16: the host sees it in a read, the card in a write and says so in its CRC status
        block_lost,    ///< read: no start bit comes, nor of any block after it; write: no CRC status
        card_removed_at_block,
        busy_after_block, ///< write: the card stays busy for `length` after it
        // at an interrupt of the controller
        interrupt_lost,
        interrupt_late, ///< by `length`
        // at a DMA transfer
        dma_error, ///< after `bytes` of it
    };
    static constexpr std::uint8_t any_command = 64;
    static constexpr std::uint32_t always = UINT32_MAX;

    Kind kind;
    /// Only commands with this index count; for interrupts and DMA transfers: only those while this was the last
    /// command that was sent. A DMA transfer counts with its first data.
    std::uint8_t command = any_command;
    /// The how manieth of them, since the plan was armed: command, interrupt or DMA transfer, counted from 1.
    std::uint32_t occurrence = 1;
    /// It, and so many in all one after another.
    std::uint32_t times = 1;
    /// Block of the data of the command, from 0.
    std::uint32_t block = 0;
    std::uint32_t bytes = 0;
    Time length = forever;
    std::uint32_t entry = 1; ///< of a packed command, from 1
};

class Faults {
public:
    /// Adds one; it counts from here on. Two that meet at one place both happen, as far as they can.
    void plan(const Fault& fault);
    /// Forgets all faults and sets all counters to zero.
    void clear();

    /// Since the last `clear`.
    std::uint32_t commands() const { return commands_; }
    std::uint32_t commands(std::uint8_t index) const { return commands_of_[index & 63u]; }
    std::uint32_t blocks() const { return blocks_; }
    std::uint32_t interrupts() const { return interrupts_; }
    std::uint32_t dma_transfers() const { return dma_transfers_; }
    /// How many faults have happened: zero after a run says that the plan hit nothing.
    std::uint32_t happened() const { return happened_; }

    // --- the bus ---

    /// What happens to one command, or to one block.
    struct Hit {
        bool lost = false;
        bool damaged = false; ///< a response, or a block
        bool misheard = false;
        bool removed = false;
        std::optional<Time> busy{};                   ///< how much longer the card is busy
        std::optional<std::uint32_t> spoiled_entry{}; ///< of a packed command
    };
    Hit command(std::uint8_t index);
    /// The data of the command before begins on the wire: blocks are counted from here.
    void data_begins();
    /// Of the next `blocks` blocks, how many come before one with a fault.
    std::uint32_t sound_blocks(std::uint32_t blocks) const;
    /// So many sound blocks have come.
    void passed(std::uint32_t blocks);
    /// The next block comes, and this is what happens to it.
    Hit block();

    // --- controllers and DMA engines ---

    /// The controller raises its interrupt: how late it arrives; `forever`: it is lost.
    Time interrupt();
    /// The first data of a DMA transfer of `size` bytes moves: after how many it fails.
    std::optional<std::uint32_t> dma_transfer(std::uint32_t size);

private:
    struct Entry {
        Fault fault;
        std::uint32_t seen = 0; ///< places of its kind since it was planned
        bool here = false;      ///< at the command under way
        bool in_data = false;   ///< at the data under way
    };

    bool due(Entry& entry);

    std::vector<Entry> entries_;
    std::array<std::uint32_t, 64> commands_of_{};
    std::uint32_t commands_ = 0;
    std::uint32_t blocks_ = 0;
    std::uint32_t interrupts_ = 0;
    std::uint32_t dma_transfers_ = 0;
    std::uint32_t happened_ = 0;
    std::uint32_t block_ = 0;                 ///< of the data under way
    std::uint8_t index_ = Fault::any_command; ///< of the last command
};

} // namespace mmcpipe::sim::wire
