#pragma once
// PageStore: the content of a memory or a card as references to pages. A page that was never written costs nothing, one
// that was costs eight bytes, and equal pages may be the same page.

#include "mmcpipe/sim/page.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mmcpipe::sim {

/// Addresses are bytes below `size`; the caller checks them.
class PageStore {
public:
    /// What was never written reads as `fill`.
    explicit PageStore(std::uint64_t size, std::byte fill = std::byte{0});

    std::uint64_t size() const { return size_; }

    /// The bytes at `address`: `size` of them, or as many as there are up to the end of the page.
    Chunk read(std::uint64_t address, std::size_t size);

    /// A whole page onto a page boundary goes in by reference. So does one that arrives in pieces, one after another
    /// and from its beginning, once it is complete. Everything else is copied.
    void write(std::uint64_t address, const Chunk& chunk);

    /// Any range, copied out and in.
    void read(std::uint64_t address, std::span<std::byte> destination);
    void write(std::uint64_t address, std::span<const std::byte> source);

    /// The range reads as `fill` from now on. Whole pages of it cost nothing.
    void discard(std::uint64_t address, std::uint64_t size, std::byte fill);

    /// One page for all that are equal, of those that were put together from pieces.
    void share(std::uint64_t number);

    /// The page at address `number * page_size`.
    const PageRef& page(std::uint64_t number);
    /// Puts another page there and returns the one before.
    PageRef replace(std::uint64_t number, PageRef page);
    /// Its content to write to; copied first if it has other owners.
    std::byte* writable(std::uint64_t number);

    /// Bytes that writes had to copy (copies made because a page had other owners included).
    std::uint64_t bytes_copied() const { return bytes_copied_; }

private:
    static constexpr std::uint64_t leaf_pages = 1024;
    static constexpr std::uint64_t nowhere = UINT64_MAX;
    using Leaf = std::array<PageRef, leaf_pages>;

    /// A page that arrives in pieces: of page `number` the first `length` bytes are those of `page`.
    struct Arriving {
        std::uint64_t number = nowhere;
        PageRef page{};
        std::size_t length = 0;
    };

    PageRef& entry(std::uint64_t number);
    void put(std::uint64_t number, const PageRef& page);
    bool arrives(std::uint64_t number, std::size_t offset, const Chunk& chunk);
    void settle();
    void settle(std::uint64_t number) {
        if (number == arriving_.number) settle();
    }
    void copy(std::uint64_t address, std::span<const std::byte> source);

    std::uint64_t size_;
    std::byte fill_value_;
    PageRef fill_;
    std::vector<std::unique_ptr<Leaf>> leaves_;
    std::vector<PageRef> shared_; ///< by a hash of their content; the newest of each hash
    Arriving arriving_;
    std::uint64_t bytes_copied_ = 0;
};

} // namespace mmcpipe::sim
