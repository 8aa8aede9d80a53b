#pragma once
// Memory-mapped registers, 32 bits wide, and FIFOs of words or bytes.

#include "mmcpipe/port/io.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::port::bare {

/// A register window that the core sees uncached and in program order (device memory, or no MMU). So the hardware needs
/// no barrier between accesses; the compiler does.
class Mmio final : public port::Io {
public:
    explicit Mmio(std::uintptr_t base) : base_(base) {}

    std::uint32_t read(std::uint32_t offset) override {
        const std::uint32_t value = at(offset);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        return value;
    }
    void write(std::uint32_t offset, std::uint32_t value) override {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        at(offset) = value;
    }
    void write_relaxed(std::uint32_t offset, std::uint32_t value) override { at(offset) = value; }

    void read_fifo(std::uint32_t offset, std::span<std::uint32_t> words) override {
        volatile std::uint32_t& fifo = at(offset);
        for (std::uint32_t& word : words) word = fifo;
    }
    void write_fifo(std::uint32_t offset, std::span<const std::uint32_t> words) override {
        volatile std::uint32_t& fifo = at(offset);
        for (const std::uint32_t word : words) fifo = word;
    }
    void read_fifo_bytes(std::uint32_t offset, std::span<std::byte> bytes) override {
        const volatile std::byte& fifo = *reinterpret_cast<volatile std::byte*>(base_ + offset); // NOLINT
        for (std::byte& byte : bytes) byte = fifo;
    }
    void write_fifo_bytes(std::uint32_t offset, std::span<const std::byte> bytes) override {
        volatile std::byte& fifo = *reinterpret_cast<volatile std::byte*>(base_ + offset); // NOLINT
        for (const std::byte byte : bytes) fifo = byte;
    }

private:
    volatile std::uint32_t& at(std::uint32_t offset) const {
        return *reinterpret_cast<volatile std::uint32_t*>(base_ + offset); // NOLINT: an address is all there is
    }

    std::uintptr_t base_;
};

} // namespace mmcpipe::port::bare
