#pragma once
// Text without a heap: Text text; text.put("sector ", 7u, ": ", Hex{word});

#include "mmcpipe/base/units.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace firmware {

/// In hexadecimal, with all digits of its type.
template <std::unsigned_integral T>
struct Hex {
    T value;
};
template <class T>
Hex(T) -> Hex<T>;

/// In seconds, with all nine decimals. Not negative.
struct Seconds {
    mmcpipe::base::Duration value;
};

/// One piece of text; what does not fit is cut off.
class Text {
public:
    template <class First, class Second, class... Rest>
    void put(First first, Second second, Rest... rest) {
        put(first);
        put(second);
        (put(rest), ...);
    }
    void put(char c) {
        if (length_ + 1 < sizeof(text_)) text_[length_++] = c;
    }
    void put(const char* text) {
        while (*text != '\0') put(*text++);
    }
    void put(std::string_view text) {
        for (const char c : text) put(c);
    }
    void put(std::unsigned_integral auto number) {
        static_assert(sizeof(number) <= 4, "64-bit division is not worth its size here");
        put_decimal(number, 1);
    }
    template <class T>
    void put(Hex<T> number) {
        for (int shift = 8 * sizeof(T) - 4; shift >= 0; shift -= 4) put("0123456789abcdef"[number.value >> shift & 15]);
    }
    void put(Seconds time) {
        constexpr std::int64_t second = 1'000'000'000;
        std::int64_t nanoseconds = time.value.ns;
        std::uint32_t seconds = 0;
        for (; nanoseconds >= second; nanoseconds -= second) ++seconds;
        put_decimal(seconds, 1);
        put('.');
        put_decimal(static_cast<std::uint32_t>(nanoseconds), 9);
    }

    const char* c_str() const { return text_; }
    std::string_view view() const { return {text_, length_}; }

private:
    void put_decimal(std::uint32_t number, std::size_t least_digits) {
        char digits[10];
        std::size_t count = 0;
        for (; number != 0 || count < least_digits; number /= 10)
            digits[count++] = static_cast<char>('0' + number % 10);
        while (count != 0) put(digits[--count]);
    }

    char text_[256] = {};
    std::size_t length_ = 0;
};

/// Where text goes.
class TextSink {
public:
    virtual void write(std::string_view text) = 0;

protected:
    ~TextSink() = default;
};

} // namespace firmware
