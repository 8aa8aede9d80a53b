#include "mmcpipe/sim/memory.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>
#include <stdexcept>
#include <sys/mman.h>

namespace mmcpipe::sim {

namespace {

/// Calls `act(page, begin, end)`, bytes of the page, for each page that the range of the arena touches.
template <class Act>
void for_each_page(std::size_t begin, std::size_t end, Act&& act) {
    while (begin < end) {
        const std::size_t page = begin / page_size;
        const std::size_t page_end = std::min(end, (page + 1) * page_size);
        act(page, begin % page_size, page_end - page * page_size);
        begin = page_end;
    }
}

std::size_t round_down(std::size_t value, std::size_t unit) { return value & ~(unit - 1); }
std::size_t round_up(std::size_t value, std::size_t unit) { return round_down(value + unit - 1, unit); }

/// The lines that the range touches, and those that it touches only in part.
struct Touched {
    Touched(std::size_t begin, std::size_t end, std::size_t line_size)
        : all(LineSet::of(round_down(begin, line_size), round_up(end, line_size))) {
        if (begin % line_size != 0) partly = LineSet::of(round_down(begin, line_size), round_up(begin, line_size));
        if (end % line_size != 0) partly = partly | LineSet::of(round_down(end, line_size), round_up(end, line_size));
    }
    LineSet all;
    LineSet partly{};
};

std::byte* map_arena(std::size_t size) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<std::byte*>(memory);
}

MemoryLayout checked(const MemoryLayout& layout) {
    if (layout.size == 0 || layout.size % page_size != 0 || layout.base % page_size != 0) {
        throw std::invalid_argument("memory: size and base must be whole pages");
    }
    if (layout.line_size != 1 && layout.line_size != 32 && layout.line_size != 64 && layout.line_size != 128) {
        throw std::invalid_argument("memory: a line has 32, 64 or 128 bytes, or 1 where DMA is coherent");
    }
    return layout;
}

} // namespace

Memory::Memory(Machine& machine, const Layout& layout)
    : machine_(machine),
      size_(checked(layout).size),
      line_size_(layout.line_size),
      base_(layout.base),
      dram_(size_),
      lines_(size_ / page_size),
      arena_(map_arena(size_)),
      coherent_(size_),
      coherent_page_(size_ / page_size) {}

Memory::~Memory() { munmap(arena_, size_); }

// --- clients ---

std::span<std::byte> Memory::allocate(std::size_t size, std::size_t alignment) {
    assert(std::has_single_bit(alignment) && alignment <= page_size);
    const std::size_t begin = round_up(allocated_, alignment);
    const std::size_t limit = coherent_page_ * page_size;
    if (begin > limit || size > limit - begin) throw std::bad_alloc();
    allocated_ = begin + size;
    return {arena_ + begin, size};
}

void Memory::release_to(std::size_t allocated) {
    assert(allocated <= allocated_);
    allocated_ = allocated;
}

// --- drivers ---

void Memory::charge(Time cost, const char* name, std::size_t bytes) {
    if (cost > Time{}) machine_.spend(cost, name, static_cast<std::uint32_t>(bytes));
}

port::BusAddress Memory::bus_address(const std::byte* address) {
    const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(arena_);
    return offset < size_ ? base_ + offset : ~port::BusAddress{0};
}

void Memory::clean(std::span<const std::byte> range) { maintain(range, false); }

void Memory::invalidate(std::span<std::byte> range) { maintain(range, true); }

void Memory::maintain(std::span<const std::byte> range, bool invalidate) {
    (invalidate ? counters_.invalidates : counters_.cleans) += 1;
    if (range.empty() || line_size_ == 1) return;

    const auto address = reinterpret_cast<std::uintptr_t>(range.data());
    const std::size_t lines =
        (round_up(address + range.size(), line_size_) - round_down(address, line_size_)) / line_size_;
    const std::size_t pages = (address + range.size() - 1) / page_size - address / page_size + 1;
    (invalidate ? counters_.lines_invalidated : counters_.lines_cleaned) += lines;

    const Costs& costs = machine_.costs();
    const Time line_cost = invalidate ? costs.invalidate_line : costs.clean_line;
    const Time cost = costs.cache_call + costs.cache_page * static_cast<std::int64_t>(pages) +
                      line_cost * static_cast<std::int64_t>(lines);
    charge(cost, invalidate ? "invalidate" : "clean", range.size());

    const auto begin = address - reinterpret_cast<std::uintptr_t>(arena_);
    pending_.push_back({begin, begin + range.size(), invalidate});
}

void Memory::barrier() {
    ++counters_.barriers;
    charge(machine_.costs().barrier, "barrier");
    for (const Pending& call : pending_) {
        for_each_page(call.begin, call.end, [&](std::size_t page, std::size_t begin, std::size_t end) {
            if (!cached(page)) return; // or not in the arena: no DMA gets there
            const LineSet lines = Touched(begin, end, line_size_).all;
            call.invalidate ? invalidate(page, lines) : clean(page, lines);
        });
    }
    pending_.clear();
}

std::span<std::byte> Memory::allocate_coherent(std::size_t size, std::size_t alignment) {
    assert(std::has_single_bit(alignment));
    if (size > coherent_) return {};
    const std::size_t begin = round_down(coherent_ - size, alignment);
    if (round_down(begin, page_size) < allocated_) return {};
    std::memset(arena_ + begin, std::to_integer<int>(coherent_garbage), coherent_ - begin);
    coherent_ = begin;
    coherent_page_ = begin / page_size;
    return {arena_ + begin, size};
}

void Memory::publish(std::span<const std::byte> range) {
    ++counters_.publishes;
    charge(machine_.costs().publish, "publish");
    const auto start = reinterpret_cast<std::uintptr_t>(range.data()) - reinterpret_cast<std::uintptr_t>(arena_);
    for_each_page(start, start + range.size(), [&](std::size_t page, std::size_t begin, std::size_t end) {
        if (page < coherent_page_ || page >= lines_.size()) return; // other memory needs a clean
        std::memcpy(dram_.writable(page) + begin, view(page) + begin, end - begin);
    });
}

// --- the cache ---

bool Memory::differ(const std::byte* a, const std::byte* b, std::size_t size) {
    counters_.bytes_compared += size;
    return std::memcmp(a, b, size) != 0;
}

void Memory::copy(std::byte* to, const std::byte* from, std::size_t size) {
    counters_.bytes_copied += size;
    std::memcpy(to, from, size);
}

void Memory::clean(std::size_t page, const LineSet& lines) {
    if (lines == LineSet::all() && lines_[page].behind.none()) {
        if (differ(view(page), dram_.page(page).data(), page_size)) {
            dram_.replace(page, PageRef::copy_of(view(page)));
            counters_.bytes_copied += page_size;
        }
    } else {
        write_back(page, lines);
    }
}

/// Writes back those of `lines` that are dirty, and returns how many.
std::size_t Memory::write_back(std::size_t page, const LineSet& lines) {
    Lines& state = lines_[page];
    const bool keeps_fill = state.behind.any();
    std::size_t dirty = 0;
    lines.for_each_run([&](std::size_t begin, std::size_t size) {
        const auto fill = [&] { return keeps_fill ? state.fill.data() : dram_.page(page).data(); };
        if (!differ(view(page) + begin, fill() + begin, size)) return;
        for (std::size_t line = begin; line != begin + size; line += line_size_) {
            const std::byte* stored = view(page) + line;
            if (!differ(stored, fill() + line, line_size_)) continue;
            copy(dram_.writable(page) + line, stored, line_size_);
            if (keeps_fill) copy(state.fill.writable() + line, stored, line_size_);
            ++dirty;
        }
    });
    return dirty;
}

void Memory::invalidate(std::size_t page, const LineSet& lines) {
    Lines& state = lines_[page];
    const LineSet late = lines & state.exposed;
    if (late.any()) counters_.lines_evicted += write_back(page, late);

    const std::byte* dram = dram_.page(page).data();
    const LineSet returned = lines & state.behind;
    const LineSet dropped = lines.without(returned);
    returned.for_each_run([&](std::size_t begin, std::size_t size) { copy(view(page) + begin, dram + begin, size); });
    dropped.for_each_run([&](std::size_t begin, std::size_t size) {
        if (differ(view(page) + begin, dram + begin, size)) copy(view(page) + begin, dram + begin, size);
    });

    state.handed_over = state.handed_over | dropped;
    state.behind = state.behind.without(returned);
    if (state.behind.none()) {
        state.fill = {};
    } else {
        returned.for_each_run(
            [&](std::size_t begin, std::size_t size) { copy(state.fill.writable() + begin, dram + begin, size); });
    }
}

/// DRAM may change under `lines` from now on.
void Memory::fall_behind(std::size_t page, const LineSet& lines) {
    Lines& state = lines_[page];
    if (state.behind.none()) state.fill = dram_.page(page);
    state.behind = state.behind | lines;
}

// --- DMA engines ---

std::optional<std::size_t> Memory::offset_of(port::BusAddress address, std::size_t length) const {
    const port::BusAddress offset = address - base_;
    if (offset >= size_ || length > size_ - offset) return std::nullopt;
    return static_cast<std::size_t>(offset);
}

/// Coherent DMA sees what the CPU sees: brings DRAM up to it.
void Memory::follow_view(std::size_t offset, std::size_t size) {
    const std::size_t page = offset / page_size;
    const std::size_t begin = offset % page_size;
    if (differ(arena_ + offset, dram_.page(page).data() + begin, size))
        copy(dram_.writable(page) + begin, arena_ + offset, size);
}

Chunk Memory::dma_read(port::BusAddress address, std::size_t size) {
    const auto offset = offset_of(address, size);
    if (!offset) return {};
    const std::size_t piece = std::min(size, page_size - *offset % page_size);
    if (line_size_ == 1 && *offset / page_size < coherent_page_) follow_view(*offset, piece);
    return dram_.read(*offset, piece);
}

std::optional<std::uint32_t> Memory::dma_read_word(port::BusAddress address) {
    std::uint32_t word;
    if (address % sizeof word != 0) return std::nullopt;
    const auto offset = offset_of(address, sizeof word);
    if (!offset) return std::nullopt;
    const std::size_t page = *offset / page_size;
    if (line_size_ == 1 && page < coherent_page_) follow_view(*offset, sizeof word);
    std::memcpy(&word, dram_.page(page).data() + *offset % page_size, sizeof word);
    return word;
}

bool Memory::dma_write(port::BusAddress address, const Chunk& chunk) {
    const auto offset = offset_of(address, chunk.length);
    if (!offset) return false;
    for_each_page(*offset, *offset + chunk.length, [&](std::size_t page, std::size_t begin, std::size_t end) {
        if (cached(page)) {
            fall_behind(page, Touched(begin, end, line_size_).all);
        } else {
            const std::byte* source = bytes(chunk).data() + (page * page_size + begin - *offset);
            copy(view(page) + begin, source, end - begin);
        }
    });
    dram_.write(*offset, chunk);
    return true;
}

void Memory::dma_begins(port::BusAddress address, std::size_t length, bool to_memory) {
    const auto offset = offset_of(address, length);
    if (!offset || !to_memory) return;
    for_each_page(*offset, *offset + length, [&](std::size_t page, std::size_t begin, std::size_t end) {
        if (!cached(page)) return;
        const Touched touched(begin, end, line_size_);
        Lines& state = lines_[page];
        state.exposed = state.exposed | touched.all.without(state.handed_over) | touched.partly;
    });
}

void Memory::dma_ends(port::BusAddress address, std::size_t length, bool to_memory) {
    const auto offset = offset_of(address, length);
    if (!offset || !to_memory) return;
    for_each_page(*offset, *offset + length, [&](std::size_t page, std::size_t begin, std::size_t end) {
        if (!cached(page)) return;
        const LineSet touched = Touched(begin, end, line_size_).all;
        Lines& state = lines_[page];
        const LineSet exposed = touched & state.exposed;
        if (exposed.any()) counters_.lines_evicted += write_back(page, exposed);
        fall_behind(page, touched);
        state.exposed = state.exposed.without(touched);
        state.handed_over = state.handed_over.without(touched);
    });
}

MemoryCounters Memory::counters() const {
    MemoryCounters all = counters_;
    all.bytes_copied += dram_.bytes_copied();
    return all;
}

} // namespace mmcpipe::sim
