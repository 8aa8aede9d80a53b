#include "mmcpipe/sim/page.h"

#include <cassert>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace mmcpipe::sim {

constinit const Page zero_page{};

namespace {

constexpr std::size_t slab_pages = 64;

/// Slabs of all threads. They live as long as the program: a page may outlive the thread that made it.
struct Slabs {
    std::mutex mutex;
    std::vector<std::unique_ptr<Page[]>> slabs;
    Page* left_behind = nullptr; ///< free pages of threads that have ended
};

Slabs& slabs() {
    static auto* const instance = new Slabs;
    return *instance;
}

constinit thread_local Page* free_pages = nullptr;
constinit thread_local PoolSize size{};

/// Hands a thread's free pages on when it ends.
struct Leaving {
    ~Leaving() {
        const std::lock_guard lock(slabs().mutex);
        while (Page* page = free_pages) {
            free_pages = page->next_free;
            page->next_free = slabs().left_behind;
            slabs().left_behind = page;
        }
    }
};

void grow() {
    thread_local const Leaving leaving;
    Slabs& all = slabs();
    const std::lock_guard lock(all.mutex);
    if (all.left_behind != nullptr) {
        free_pages = std::exchange(all.left_behind, nullptr);
        for (const Page* page = free_pages; page != nullptr; page = page->next_free) ++size.total;
        return;
    }
    const auto& slab = all.slabs.emplace_back(std::make_unique_for_overwrite<Page[]>(slab_pages));
    for (std::size_t i = slab_pages; i-- > 0;) {
        slab[i].next_free = free_pages;
        free_pages = &slab[i];
    }
    size.total += slab_pages;
}

} // namespace

PageRef PageRef::make() {
    if (free_pages == nullptr) grow();
    Page* page = free_pages;
    free_pages = page->next_free;
    page->owners = 1;
    ++size.used;
    return PageRef(page);
}

void PageRef::free(Page* page) noexcept {
    page->next_free = free_pages;
    free_pages = page;
    --size.used;
}

PageRef PageRef::copy_of(const std::byte* content) {
    PageRef page = make();
    std::memcpy(page.page_->bytes, content, page_size);
    return page;
}

PageRef PageRef::filled(std::byte value) {
    if (value == std::byte{0}) return zero();
    PageRef page = make();
    std::memset(page.page_->bytes, std::to_integer<int>(value), page_size);
    return page;
}

Chunk chunk_of(std::span<const std::byte> content) {
    assert(content.size() <= page_size);
    PageRef page = PageRef::make();
    if (!content.empty()) std::memcpy(page.writable(), content.data(), content.size());
    return {std::move(page), 0, static_cast<std::uint16_t>(content.size())};
}

PoolSize pool_size() { return size; }

} // namespace mmcpipe::sim
