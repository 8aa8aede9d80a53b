#include "mmcpipe/sim/wire/faults.h"

#include <algorithm>

namespace mmcpipe::sim::wire {

namespace {

using Kind = Fault::Kind;

bool at_block(Kind kind) { return kind >= Kind::block_damaged && kind <= Kind::busy_after_block; }
bool at_interrupt(Kind kind) { return kind == Kind::interrupt_lost || kind == Kind::interrupt_late; }

} // namespace

void Faults::plan(const Fault& fault) { entries_.push_back({fault}); }

void Faults::clear() { *this = Faults(); }

/// One more place of the entry's kind: is it the entry's?
bool Faults::due(Entry& entry) {
    if (entry.fault.command != Fault::any_command && entry.fault.command != index_) return false;
    ++entry.seen;
    return entry.seen >= entry.fault.occurrence && entry.seen - entry.fault.occurrence < entry.fault.times;
}

Faults::Hit Faults::command(std::uint8_t index) {
    index_ = index & 63u;
    ++commands_;
    ++commands_of_[index_];
    Hit hit;
    for (Entry& entry : entries_) {
        const Kind kind = entry.fault.kind;
        if (kind >= Kind::interrupt_lost) continue;
        entry.here = due(entry);
        if (!entry.here || at_block(kind)) continue;
        ++happened_;
        if (kind == Kind::response_lost) hit.lost = true;
        if (kind == Kind::response_damaged) hit.damaged = true;
        if (kind == Kind::command_damaged) hit.misheard = true;
        if (kind == Kind::card_removed) hit.removed = true;
        if (kind == Kind::busy_after_command) hit.busy = entry.fault.length;
        if (kind == Kind::packed_entry_fails) hit.spoiled_entry = entry.fault.entry;
    }
    return hit;
}

void Faults::data_begins() {
    block_ = 0;
    for (Entry& entry : entries_) entry.in_data = entry.here && at_block(entry.fault.kind);
}

std::uint32_t Faults::sound_blocks(std::uint32_t blocks) const {
    for (const Entry& entry : entries_) {
        if (entry.in_data && entry.fault.block >= block_) blocks = std::min(blocks, entry.fault.block - block_);
    }
    return blocks;
}

void Faults::passed(std::uint32_t blocks) {
    block_ += blocks;
    blocks_ += blocks;
}

Faults::Hit Faults::block() {
    Hit hit;
    for (const Entry& entry : entries_) {
        if (!entry.in_data || entry.fault.block != block_) continue;
        ++happened_;
        const Kind kind = entry.fault.kind;
        if (kind == Kind::block_damaged) hit.damaged = true;
        if (kind == Kind::block_lost) hit.lost = true;
        if (kind == Kind::card_removed_at_block) hit.removed = true;
        if (kind == Kind::busy_after_block) hit.busy = entry.fault.length;
    }
    passed(1);
    return hit;
}

Time Faults::interrupt() {
    ++interrupts_;
    Time late{};
    for (Entry& entry : entries_) {
        if (!at_interrupt(entry.fault.kind) || !due(entry)) continue;
        ++happened_;
        late = entry.fault.kind == Kind::interrupt_lost ? forever : std::max(late, entry.fault.length);
    }
    return late;
}

std::optional<std::uint32_t> Faults::dma_transfer(std::uint32_t size) {
    ++dma_transfers_;
    std::optional<std::uint32_t> fails;
    for (Entry& entry : entries_) {
        if (entry.fault.kind != Kind::dma_error || !due(entry) || entry.fault.bytes >= size) continue;
        ++happened_;
        fails = std::min(fails.value_or(size), entry.fault.bytes);
    }
    return fails;
}

} // namespace mmcpipe::sim::wire
