#pragma once
// A place in a list of buffers: where programmed I/O puts the next words, or takes them from.

#include "mmcpipe/host/request.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace mmcpipe::host {

class BufferCursor {
public:
    BufferCursor() = default;
    /// At the first byte of the data.
    explicit BufferCursor(const Data& data) : buffers_(data.buffers), offset_(data.offset), left_(data.bytes()) {
        while (left_ != 0 && offset_ >= buffers_[index_].size()) offset_ -= buffers_[index_++].size();
    }

    std::uint32_t left() const { return left_; }

    /// The words that lie in one piece and aligned from here on, at most `most`; empty if the next word does not.
    std::span<std::uint32_t> aligned_words(std::size_t most) {
        skip_empty();
        const Buffer rest = here();
        if ((reinterpret_cast<std::uintptr_t>(rest.data()) & 3) != 0) return {};
        const std::size_t words = rest.size() / 4 < most ? rest.size() / 4 : most;
        return {reinterpret_cast<std::uint32_t*>(rest.data()), words};
    }
    void advance(std::size_t bytes) {
        offset_ += bytes;
        left_ -= static_cast<std::uint32_t>(bytes);
    }

    /// The bytes that lie in one piece from here on, at most `most`; empty only at the end.
    Buffer bytes(std::size_t most) {
        skip_empty();
        const Buffer rest = here();
        return rest.first(rest.size() < most ? rest.size() : most);
    }

    /// Stores the bytes of one FIFO word, first byte in the lowest bits; the last word may be partly used.
    void store(std::uint32_t word) {
        std::byte bytes[4];
        std::memcpy(bytes, &word, 4);
        move(4, [&](std::byte* buffer, std::size_t at, std::size_t n) { std::memcpy(buffer, bytes + at, n); });
    }
    std::uint32_t load() {
        std::byte bytes[4]{};
        move(4, [&](const std::byte* buffer, std::size_t at, std::size_t n) { std::memcpy(bytes + at, buffer, n); });
        std::uint32_t word;
        std::memcpy(&word, bytes, 4);
        return word;
    }

private:
    /// What is left of the current buffer.
    Buffer here() const {
        if (left_ == 0) return {};
        const Buffer rest = buffers_[index_].subspan(offset_);
        return rest.size() < left_ ? rest : rest.first(left_);
    }
    void skip_empty() {
        while (left_ != 0 && offset_ == buffers_[index_].size()) {
            ++index_;
            offset_ = 0;
        }
    }
    template <class Copy>
    void move(std::size_t bytes, Copy&& copy) {
        for (std::size_t at = 0; at < bytes && left_ != 0;) {
            skip_empty();
            const Buffer rest = here();
            const std::size_t n = rest.size() < bytes - at ? rest.size() : bytes - at;
            copy(rest.data(), at, n);
            advance(n);
            at += n;
        }
    }

    std::span<const Buffer> buffers_{};
    std::size_t index_ = 0;
    std::size_t offset_ = 0;
    std::uint32_t left_ = 0;
};

} // namespace mmcpipe::host
