#pragma once
// Memory without caches, or with DMA that looks into them: nothing to maintain.

#include "mmcpipe/port/bare/cpu.h"
#include "mmcpipe/port/memory.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::port::bare {

/// CPU addresses are bus addresses.
template <Cpu Core>
class CoherentMemory final : public port::Memory {
public:
    /// `pool` becomes descriptors; it must outlive this.
    explicit CoherentMemory(std::span<std::byte> pool) : pool_(pool) {}

    void clean(std::span<const std::byte>) override {}
    void invalidate(std::span<std::byte>) override {}
    void barrier() override { Core::barrier(); }

    port::BusAddress bus_address(const std::byte* address) override {
        return reinterpret_cast<std::uintptr_t>(address);
    }
    std::size_t line_size() const override { return 1; }

    std::span<std::byte> allocate_coherent(std::size_t size, std::size_t alignment) override {
        const std::size_t beyond = reinterpret_cast<std::uintptr_t>(pool_.data()) & (alignment - 1); // a power of two
        const std::size_t skipped = beyond == 0 ? 0 : alignment - beyond;
        if (skipped > pool_.size() || size > pool_.size() - skipped) return {};
        const std::span<std::byte> piece = pool_.subspan(skipped, size);
        pool_ = pool_.subspan(skipped + size);
        return piece;
    }
    void publish(std::span<const std::byte>) override { Core::barrier(); }

private:
    std::span<std::byte> pool_;
};

} // namespace mmcpipe::port::bare
