#pragma once
// The debugger (here QEMU) as console and as the place to leave an exit code (ARM: Semihosting for AArch32 and
// AArch64).

#include <cstdint>

namespace firmware {

namespace semihosting {

inline std::uint32_t call(std::uint32_t operation, const void* parameter) {
    register std::uint32_t r0 asm("r0") = operation;
    register const void* r1 asm("r1") = parameter;
    asm volatile("svc #0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
    return r0;
}

/// SYS_WRITE0: a string up to its NUL.
inline void write(const char* text) { call(0x04, text); }

/// SYS_EXIT_EXTENDED, reason ADP_Stopped_ApplicationExit.
[[noreturn]] inline void exit(std::uint32_t code) {
    const std::uint32_t reason_and_code[] = {0x20026, code};
    for (;;) call(0x20, reason_and_code);
}

} // namespace semihosting

} // namespace firmware
