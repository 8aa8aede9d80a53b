#pragma once
// Memory that writes down what is asked of it, and through which a test plays the DMA engine.

#include "mmcpipe/port/memory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mmcpipe::host {

class FakeMemory final : public port::Memory {
public:
    explicit FakeMemory(std::size_t line) : line_(line) {}

    void clean(std::span<const std::byte> range) override { note('c', range); }
    void invalidate(std::span<std::byte> range) override { note('i', range); }
    void barrier() override { log += 'b'; }
    port::BusAddress bus_address(const std::byte* address) override {
        return reinterpret_cast<std::uintptr_t>(address);
    }
    std::size_t line_size() const override { return line_; }
    std::span<std::byte> allocate_coherent(std::size_t size, std::size_t alignment) override {
        pool_.emplace_back(size + alignment);
        void* start = pool_.back().data();
        std::size_t room = pool_.back().size();
        return {static_cast<std::byte*>(std::align(alignment, size, start, room)), size};
    }
    void publish(std::span<const std::byte>) override { log += 'p'; }

    static std::byte* at(port::BusAddress address) {
        return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
    }

    std::string log; ///< one letter a call
    std::vector<std::pair<char, std::span<const std::byte>>> ranges;

private:
    void note(char what, std::span<const std::byte> range) {
        log += what;
        ranges.emplace_back(what, range);
    }
    std::size_t line_;
    std::vector<std::vector<std::byte>> pool_;
};

} // namespace mmcpipe::host
