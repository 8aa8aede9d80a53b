#pragma once
// The debugger (here QEMU) as console, as command line, as the place to leave a file and an exit code (ARM: Semihosting
// for AArch32 and AArch64). On a board without one these functions, and `semihosting_call`, are what has to be
// replaced.

#include "firmware/run/text.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// The instruction that the debugger waits for: in the board's start.S, for each architecture has another one.
extern "C" std::uintptr_t semihosting_call(std::uintptr_t operation, const void* parameter);

namespace firmware {

/// print("sector ", 7u, ": ", Hex{word}, "\n"). Interrupts wait until it is out.
template <class... Parts>
void print(Parts... parts) {
    constexpr std::uintptr_t sys_write0 = 0x04;
    Text text;
    (text.put(parts), ...);
    semihosting_call(sys_write0, text.c_str());
}

/// Ends the program.
[[noreturn]] inline void leave(unsigned exit_code) {
    constexpr std::uintptr_t sys_exit_extended = 0x20;
    constexpr std::uintptr_t application_exit = 0x20026;
    const std::uintptr_t reason_and_code[] = {application_exit, exit_code};
    for (;;) semihosting_call(sys_exit_extended, reason_and_code);
}

/// The words that the program was started with, the first of them its name; empty if they are more than `room`.
inline std::string_view command_line(std::span<char> room) {
    constexpr std::uintptr_t sys_get_cmdline = 0x15;
    std::uintptr_t block[] = {reinterpret_cast<std::uintptr_t>(room.data()), room.size()};
    if (semihosting_call(sys_get_cmdline, block) != 0) return {};
    return {room.data(), block[1]};
}

/// A new file on the host.
class HostFile final : public TextSink {
public:
    explicit HostFile(std::string_view path) {
        constexpr std::uintptr_t sys_open = 0x01;
        constexpr std::uintptr_t mode_wb = 5;
        Text name; // ends with a NUL
        name.put(path);
        const std::uintptr_t block[] = {reinterpret_cast<std::uintptr_t>(name.c_str()), mode_wb, name.view().size()};
        handle_ = semihosting_call(sys_open, block);
        good_ = handle_ != UINTPTR_MAX;
    }
    HostFile(const HostFile&) = delete;
    HostFile& operator=(const HostFile&) = delete;

    void write(std::string_view text) override {
        constexpr std::uintptr_t sys_write = 0x05; // returns how much was not written
        const std::uintptr_t block[] = {handle_, reinterpret_cast<std::uintptr_t>(text.data()), text.size()};
        if (good_ && semihosting_call(sys_write, block) != 0) good_ = false;
    }

    /// True if it exists and everything so far was written to it.
    bool good() const { return good_; }

    /// True if all of it is in the file.
    bool close() {
        constexpr std::uintptr_t sys_close = 0x02;
        const std::uintptr_t block[] = {handle_};
        if (good_ && semihosting_call(sys_close, block) != 0) good_ = false;
        return good_;
    }

private:
    std::uintptr_t handle_;
    bool good_;
};

} // namespace firmware
