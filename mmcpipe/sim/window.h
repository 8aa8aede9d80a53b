#pragma once
// Registers as the driver reaches them: through a bus that delivers writes later.

#include "mmcpipe/port/io.h"
#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/machine.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::sim {

/// The registers of a model. Accesses take no time here; an access that the hardware's manual forbids may throw.
class Device {
public:
    virtual std::uint32_t read(std::uint32_t offset) = 0;
    virtual void write(std::uint32_t offset, std::uint32_t value) = 0;

protected:
    ~Device() = default;
};

/// The way from the processors to the devices: one queue of posted writes for the machine. A write arrives
/// `Costs::posted_delay` after it has left the CPU, or together with those that were made behind it meanwhile, when the
/// last of them does. They arrive in the order in which they were made, whatever their device, so that an ordered write
/// differs from a relaxed one in what a read has to push ahead of it (see `drain`), and in its cost.
class Bus {
public:
    /// Writes under way at most; the CPU waits for them when it makes one more.
    static constexpr std::size_t depth = 64;

    explicit Bus(Machine& machine) : machine_(machine), costs_(machine.costs()), arrival_(*this) {}

private:
    friend class Window;

    struct Posted {
        Device* device; ///< nullptr: arrived ahead of others
        std::uint32_t offset;
        std::uint32_t value;
        bool ordered;
        Time arrival;
    };

    Posted& at(std::size_t index) { return queue_[index % depth]; }
    void post(Device& device, std::uint32_t offset, std::uint32_t value, bool ordered) {
        if (end_ - first_ == depth) wait_for_room();
        const Time arrival = machine_.now() + costs_.posted_delay;
        at(end_++) = {&device, offset, value, ordered, arrival};
        machine_.engine().schedule(arrival_, arrival);
    }
    void wait_for_room();
    /// Delivers what `device` has still to get, and before an ordered write everything that was posted before it.
    void drain(Device& device) {
        if (first_ != end_) deliver_ahead(device);
    }
    void deliver_ahead(Device& device);
    void arrive();

    Machine& machine_;
    const Costs& costs_;
    std::array<Posted, depth> queue_{};
    std::size_t first_ = 0; ///< oldest; the indices only grow
    std::size_t end_ = 0;
    MemberEvent<&Bus::arrive> arrival_;
};

/// What a driver asked of the registers of a device.
struct Accesses {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0; ///< ordered
    std::uint64_t relaxed_writes = 0;
    std::uint64_t fifo_words = 0;
};

/// The registers of `device` for the driver. Every access spends its cost on the processor of whoever calls and takes
/// place at the end of that time. What goes to or from a FIFO goes one by one, each at its time, and is not posted; a
/// byte costs what a word does.
class Window final : public port::Io {
public:
    Window(Bus& bus, Device& device) : bus_(bus), device_(device) {}

    std::uint32_t read(std::uint32_t offset) override;
    void write(std::uint32_t offset, std::uint32_t value) override;
    void write_relaxed(std::uint32_t offset, std::uint32_t value) override;
    void read_fifo(std::uint32_t offset, std::span<std::uint32_t> words) override;
    void write_fifo(std::uint32_t offset, std::span<const std::uint32_t> words) override;
    void read_fifo_bytes(std::uint32_t offset, std::span<std::byte> bytes) override;
    void write_fifo_bytes(std::uint32_t offset, std::span<const std::byte> bytes) override;

    const Accesses& accesses() const { return accesses_; }

private:
    Bus& bus_;
    Device& device_;
    Accesses accesses_{};
};

} // namespace mmcpipe::sim
