#pragma once
// print("sector ", 7u, ": ", Hex{word}, "\n")

#include "semihosting.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace firmware {

/// Printed in hexadecimal, with all digits of its type.
template <std::unsigned_integral T>
struct Hex {
    T value;
};
template <class T>
Hex(T) -> Hex<T>;

/// One call's worth of text; what does not fit is cut off.
class Text {
public:
    void put(const char* text) {
        while (*text != '\0') put(*text++);
    }
    void put(std::string_view text) {
        for (const char c : text) put(c);
    }
    void put(std::unsigned_integral auto number) {
        static_assert(sizeof(number) <= 4, "64-bit division is not worth its size here");
        char digits[10];
        std::size_t count = 0;
        do {
            digits[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        while (count != 0) put(digits[--count]);
    }
    template <class T>
    void put(Hex<T> number) {
        for (int shift = 8 * sizeof(T) - 4; shift >= 0; shift -= 4) put("0123456789abcdef"[number.value >> shift & 15]);
    }
    void put(char c) {
        if (length_ + 1 < sizeof(text_)) text_[length_++] = c;
    }

    const char* c_str() const { return text_; }

private:
    char text_[160] = {};
    std::size_t length_ = 0;
};

template <class... Parts>
void print(Parts... parts) {
    Text text;
    (text.put(parts), ...);
    semihosting::write(text.c_str());
}

} // namespace firmware
