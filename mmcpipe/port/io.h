#pragma once
// The registers of one device.

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::port {

/// A device's register window; offsets are bytes from its start. Writes are posted: they reach the device in order, but
/// later, and a read from the same device is what makes sure that they have. No access orders memory: that is
/// `Memory::barrier` and `publish`. Firmware links one final class with LTO, so a call costs nothing.
class Io {
public:
    virtual std::uint32_t read(std::uint32_t offset) = 0;
    /// Ordered after every earlier access of this CPU to any device.
    virtual void write(std::uint32_t offset, std::uint32_t value) = 0;
    /// Ordered only against accesses to the same device.
    virtual void write_relaxed(std::uint32_t offset, std::uint32_t value) = 0;
    /// Reads the same register once for each word.
    virtual void read_fifo(std::uint32_t offset, std::span<std::uint32_t> words) = 0;
    /// Writes the words one after another to the same register.
    virtual void write_fifo(std::uint32_t offset, std::span<const std::uint32_t> words) = 0;
    /// The same for a FIFO that is a byte wide: one access of 8 bits for each.
    virtual void read_fifo_bytes(std::uint32_t offset, std::span<std::byte> bytes) = 0;
    virtual void write_fifo_bytes(std::uint32_t offset, std::span<const std::byte> bytes) = 0;

protected:
    ~Io() = default;
};

} // namespace mmcpipe::port
