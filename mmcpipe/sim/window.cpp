#include "mmcpipe/sim/window.h"

#include <exception>
#include <utility>

namespace mmcpipe::sim {

namespace {

/// Device code on the stack of a driver: what it throws must not pass the driver's frames.
template <class Access>
auto guarded(Machine& machine, Access&& access) {
    std::exception_ptr error;
    try {
        return access();
    } catch (...) {
        error = std::current_exception();
    }
    machine.fail(std::move(error));
}

} // namespace

void Bus::wait_for_room() {
    while (end_ - first_ == depth) machine_.spend(at(end_ - 1).arrival - machine_.now());
}

void Bus::deliver_ahead(Device& device) {
    std::size_t whole = first_; // up to here everything arrives, behind it only what is for the device
    for (std::size_t i = first_; i != end_; ++i) {
        if (at(i).device == &device && at(i).ordered) whole = i;
    }
    guarded(machine_, [&] {
        for (std::size_t i = first_; i != end_; ++i) {
            if (i >= whole && at(i).device != &device) continue;
            Device* const to = std::exchange(at(i).device, nullptr);
            if (to != nullptr) to->write(at(i).offset, at(i).value);
        }
    });
    while (first_ != end_ && at(first_).device == nullptr) ++first_;
    while (end_ != first_ && at(end_ - 1).device == nullptr) --end_; // nobody waits for what is there already
    machine_.engine().schedule(arrival_, first_ != end_ ? at(end_ - 1).arrival : forever);
}

/// Writes that follow closely travel together: they arrive with the last.
void Bus::arrive() {
    while (first_ != end_) {
        const Posted& posted = at(first_++);
        if (posted.device != nullptr) posted.device->write(posted.offset, posted.value);
    }
}

std::uint32_t Window::read(std::uint32_t offset) {
    ++accesses_.reads;
    bus_.machine_.spend(bus_.costs_.register_read);
    bus_.drain(device_);
    return guarded(bus_.machine_, [&] { return device_.read(offset); });
}

void Window::write(std::uint32_t offset, std::uint32_t value) {
    ++accesses_.writes;
    bus_.machine_.spend(bus_.costs_.register_write);
    bus_.post(device_, offset, value, true);
}

void Window::write_relaxed(std::uint32_t offset, std::uint32_t value) {
    ++accesses_.relaxed_writes;
    bus_.machine_.spend(bus_.costs_.register_write_relaxed);
    bus_.post(device_, offset, value, false);
}

void Window::read_fifo(std::uint32_t offset, std::span<std::uint32_t> words) {
    accesses_.fifo_words += words.size();
    for (std::uint32_t& word : words) {
        bus_.machine_.spend(bus_.costs_.fifo_word_read);
        bus_.drain(device_);
        word = guarded(bus_.machine_, [&] { return device_.read(offset); });
    }
}

void Window::write_fifo(std::uint32_t offset, std::span<const std::uint32_t> words) {
    accesses_.fifo_words += words.size();
    for (const std::uint32_t word : words) {
        bus_.machine_.spend(bus_.costs_.fifo_word_write);
        bus_.drain(device_);
        guarded(bus_.machine_, [&] { device_.write(offset, word); });
    }
}

void Window::read_fifo_bytes(std::uint32_t offset, std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) {
        std::uint32_t word = 0;
        read_fifo(offset, {&word, 1});
        byte = static_cast<std::byte>(word);
    }
}

void Window::write_fifo_bytes(std::uint32_t offset, std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
        const auto word = std::to_integer<std::uint32_t>(byte);
        write_fifo(offset, {&word, 1});
    }
}

} // namespace mmcpipe::sim
