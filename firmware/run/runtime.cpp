// What the compiler expects of every environment: five functions on bytes, and what to do when all is lost. Built
// without link-time optimisation, which would take the loops for the functions that they are.

#include "firmware/run/exit_code.h"
#include "firmware/run/semihosting.h"

#include <cstddef>
#include <cstdint>

using firmware::Hex;
using firmware::print;
namespace exit_code = firmware::exit_code;
using Word [[gnu::may_alias]] = std::uint32_t;

extern "C" {

void* memcpy(void* to, const void* from, std::size_t size) {
    auto* t = static_cast<unsigned char*>(to);
    const auto* f = static_cast<const unsigned char*>(from);
    // Sectors are copied by words.
    if (((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) & 3) == 0) {
        for (; size >= 4; size -= 4, t += 4, f += 4) {
            *reinterpret_cast<Word*>(t) = *reinterpret_cast<const Word*>(f);
        }
    }
    while (size-- != 0) *t++ = *f++;
    return to;
}

void* memmove(void* to, const void* from, std::size_t size) {
    if (reinterpret_cast<std::uintptr_t>(to) <= reinterpret_cast<std::uintptr_t>(from)) return memcpy(to, from, size);
    auto* t = static_cast<unsigned char*>(to);
    const auto* f = static_cast<const unsigned char*>(from);
    while (size-- != 0) t[size] = f[size];
    return to;
}

void* memset(void* to, int value, std::size_t size) {
    auto* t = static_cast<unsigned char*>(to);
    const auto byte = static_cast<unsigned char>(value);
    if ((reinterpret_cast<std::uintptr_t>(to) & 3) == 0) {
        for (; size >= 4; size -= 4, t += 4) *reinterpret_cast<Word*>(t) = byte * 0x01010101u;
    }
    while (size-- != 0) *t++ = byte;
    return to;
}

int memcmp(const void* left, const void* right, std::size_t size) {
    const auto* l = static_cast<const unsigned char*>(left);
    const auto* r = static_cast<const unsigned char*>(right);
    for (; size != 0; --size, ++l, ++r) {
        if (*l != *r) return *l - *r;
    }
    return 0;
}

std::size_t strlen(const char* text) {
    std::size_t length = 0;
    while (text[length] != '\0') ++length;
    return length;
}

[[noreturn]] void exit_with(int code) { firmware::leave(static_cast<unsigned>(code)); }

/// From the exception vectors.
[[noreturn]] void fault(const char* what, std::uintptr_t address) {
    print("fault: ", what, " at ", Hex{address}, "\n");
    exit_with(exit_code::fault);
}

[[noreturn]] void abort() {
    print("abort\n");
    exit_with(exit_code::aborted);
}

[[noreturn]] void __cxa_pure_virtual() { abort(); }

// Division by zero in libgcc for ARM, which would otherwise raise a signal.
int __aeabi_idiv0() { abort(); }
long long __aeabi_ldiv0() { abort(); }

} // extern "C"
