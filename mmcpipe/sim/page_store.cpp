#include "mmcpipe/sim/page_store.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace mmcpipe::sim {

PageStore::PageStore(std::uint64_t size, std::byte fill)
    : size_(size),
      fill_value_(fill),
      fill_(PageRef::filled(fill)),
      leaves_((size + leaf_pages * page_size - 1) / (leaf_pages * page_size)) {}

PageRef& PageStore::entry(std::uint64_t number) {
    auto& leaf = leaves_[number / leaf_pages];
    if (leaf == nullptr) {
        leaf = std::make_unique<Leaf>();
        if (fill_ != PageRef::zero()) leaf->fill(fill_);
    }
    return (*leaf)[number % leaf_pages];
}

/// The whole page, whatever was there or was arriving.
void PageStore::put(std::uint64_t number, const PageRef& page) {
    if (number == arriving_.number) arriving_ = {};
    entry(number) = page;
}

const PageRef& PageStore::page(std::uint64_t number) {
    assert(number * page_size < size_);
    settle(number);
    const auto& leaf = leaves_[number / leaf_pages];
    return leaf != nullptr ? (*leaf)[number % leaf_pages] : fill_;
}

PageRef PageStore::replace(std::uint64_t number, PageRef page) {
    assert(number * page_size < size_);
    settle(number);
    return std::exchange(entry(number), std::move(page));
}

std::byte* PageStore::writable(std::uint64_t number) {
    assert(number * page_size < size_);
    settle(number);
    PageRef& page = entry(number);
    if (!page.sole_owner()) bytes_copied_ += page_size;
    return page.writable();
}

Chunk PageStore::read(std::uint64_t address, std::size_t size) {
    const std::size_t offset = address % page_size;
    return {page(address / page_size), static_cast<std::uint16_t>(offset),
            static_cast<std::uint16_t>(std::min(size, page_size - offset))};
}

void PageStore::write(std::uint64_t address, const Chunk& chunk) {
    const std::uint64_t number = address / page_size;
    const std::size_t offset = address % page_size;
    assert(address + chunk.length <= size_);
    if (chunk.length == page_size && offset == 0) {
        put(number, chunk.page);
    } else if (!arrives(number, offset, chunk)) {
        copy(address, bytes(chunk));
    }
}

/// True if the piece begins or continues a page that keeps its place from where it comes to where it goes.
bool PageStore::arrives(std::uint64_t number, std::size_t offset, const Chunk& chunk) {
    if (chunk.empty() || chunk.offset != offset) return false;
    const bool continues = number == arriving_.number && offset == arriving_.length && chunk.page == arriving_.page;
    if (!continues) {
        if (offset != 0) return false;
        settle();
        arriving_ = {number, chunk.page, 0};
    }
    arriving_.length += chunk.length;
    if (arriving_.length == page_size) {
        entry(number) = std::move(arriving_.page);
        arriving_ = {};
    }
    return true;
}

/// Gives up waiting for the rest of a page: what has come is copied.
void PageStore::settle() {
    if (arriving_.number == nowhere) return;
    const Arriving arrived = std::exchange(arriving_, {});
    copy(arrived.number * page_size, {arrived.page.data(), arrived.length});
}

void PageStore::copy(std::uint64_t address, std::span<const std::byte> source) {
    while (!source.empty()) {
        const std::size_t offset = address % page_size;
        const std::size_t size = std::min(source.size(), page_size - offset);
        std::memcpy(writable(address / page_size) + offset, source.data(), size);
        bytes_copied_ += size;
        address += size;
        source = source.subspan(size);
    }
}

void PageStore::share(std::uint64_t number) {
    settle(number);
    PageRef& page = entry(number);
    if (!page.sole_owner()) return; // it came by reference
    if (shared_.empty()) shared_.resize(4096);
    std::uint64_t hash = 0;
    for (std::size_t at = 0; at < page_size; at += 64) { // a sample; what is not in it is compared
        std::uint64_t word;
        std::memcpy(&word, page.data() + at, sizeof word);
        hash = (hash ^ word) * 0x9e37'79b9'7f4a'7c15;
    }
    PageRef& like = shared_[hash >> 52];
    if (std::memcmp(like.data(), page.data(), page_size) == 0) {
        page = like;
    } else {
        like = page;
    }
}

void PageStore::read(std::uint64_t address, std::span<std::byte> destination) {
    while (!destination.empty()) {
        const std::size_t offset = address % page_size;
        const std::size_t size = std::min(destination.size(), page_size - offset);
        std::memcpy(destination.data(), page(address / page_size).data() + offset, size);
        address += size;
        destination = destination.subspan(size);
    }
}

void PageStore::write(std::uint64_t address, std::span<const std::byte> source) {
    assert(address + source.size() <= size_);
    copy(address, source);
}

void PageStore::discard(std::uint64_t address, std::uint64_t size, std::byte fill) {
    assert(address + size <= size_);
    const PageRef filled = fill == fill_value_ ? fill_ : PageRef::filled(fill);
    constexpr std::uint64_t leaf_size = leaf_pages * page_size;
    while (size != 0) {
        if (fill == fill_value_ && address % leaf_size == 0 && size >= leaf_size &&
            leaves_[address / leaf_size] == nullptr) {
            address += leaf_size;
            size -= leaf_size;
            continue;
        }
        const std::size_t offset = address % page_size;
        const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(size, page_size - offset));
        if (piece == page_size) {
            put(address / page_size, filled);
        } else {
            std::memset(writable(address / page_size) + offset, std::to_integer<int>(fill), piece);
        }
        address += piece;
        size -= piece;
    }
}

} // namespace mmcpipe::sim
