#pragma once
// Page: 4 KiB of content that is passed on, never copied: client memory, DMA, controller, wire and card hold references
// to it. A page with more than one owner does not change any more.
//
// Pages come from a pool that grows by slabs and never shrinks. Counts are not atomic: a page belongs to one
// simulation, and a simulation runs on one thread at a time.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mmcpipe::sim {

constexpr std::size_t page_size = 4096;

struct alignas(64) Page {
    std::byte bytes[page_size];
    std::uint32_t owners;
    Page* next_free;
};

/// A page in all zeros. Nobody owns it, so it costs nothing to pass on.
extern const Page zero_page;

/// One owner's hold on a page; copying adds an owner. A default-constructed one refers to a page of zeros.
class PageRef {
public:
    constexpr PageRef() = default;
    PageRef(const PageRef& other) : page_(other.page_) {
        if (page_ != nullptr) ++page_->owners;
    }
    PageRef(PageRef&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
    PageRef& operator=(PageRef other) noexcept {
        std::swap(page_, other.page_);
        return *this;
    }
    ~PageRef() {
        if (page_ != nullptr && --page_->owners == 0) free(page_);
    }

    static PageRef zero() { return {}; }
    /// A page of its own, content undefined: for one about to be written whole.
    static PageRef make();
    /// A page of its own with the `page_size` bytes at `content`.
    static PageRef copy_of(const std::byte* content);
    /// A page of its own with every byte `value`.
    static PageRef filled(std::byte value);

    /// Writing needs no copy.
    bool sole_owner() const { return page_ != nullptr && page_->owners == 1; }

    const std::byte* data() const { return page_ != nullptr ? page_->bytes : zero_page.bytes; }
    /// The content to write to. If the page has other owners, this reference gets a copy of its own first.
    std::byte* writable() {
        if (!sole_owner()) *this = copy_of(data());
        return page_->bytes;
    }

    /// The same page, not only the same content.
    bool operator==(const PageRef&) const = default;

private:
    explicit PageRef(Page* page) : page_(page) {}
    static void free(Page* page) noexcept;

    Page* page_ = nullptr;
};

/// A piece of one page, on its way from memory to card or back.
struct Chunk {
    PageRef page{};
    std::uint16_t offset = 0;
    std::uint16_t length = 0;

    bool empty() const { return length == 0; }
    /// The first `size` bytes of it, which it must have.
    Chunk first(std::size_t size) const { return {page, offset, static_cast<std::uint16_t>(size)}; }
    /// What comes after the first `size` bytes.
    Chunk after(std::size_t size) const {
        return {page, static_cast<std::uint16_t>(offset + size), static_cast<std::uint16_t>(length - size)};
    }
};

/// Valid as long as the chunk, or another owner of its page, lives.
inline std::span<const std::byte> bytes(const Chunk& chunk) { return {chunk.page.data() + chunk.offset, chunk.length}; }

/// A copy of up to a page of bytes, for content that is not on a page yet.
Chunk chunk_of(std::span<const std::byte> content);

/// Pages of this thread's pool in use and in all. For tests and statistics.
struct PoolSize {
    std::size_t used;
    std::size_t total;
};
PoolSize pool_size();

} // namespace mmcpipe::sim
