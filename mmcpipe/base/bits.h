#pragma once
// Typed bit fields of a 32-bit register: `using Enable = Field<bool, 0>; using Clock = Field<std::uint8_t, 7, 0>;`
// and of a register of several words: `using Serial = WideField<std::uint32_t, 47, 16>;`

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::base {

/// The bits Msb..Lsb of a register, as a T.
template <class T, unsigned Msb, unsigned Lsb = Msb>
struct Field {
    static_assert(Msb < 32 && Lsb <= Msb);
    static constexpr std::uint32_t mask = (Msb - Lsb == 31 ? 0xffffffffu : (1u << (Msb - Lsb + 1)) - 1u) << Lsb;

    /// The field's value in `word`.
    static constexpr T get(std::uint32_t word) { return static_cast<T>((word & mask) >> Lsb); }
    /// A word with this field alone.
    static constexpr std::uint32_t of(T value) { return (static_cast<std::uint32_t>(value) << Lsb) & mask; }
    /// `word` with this field replaced.
    static constexpr std::uint32_t set(std::uint32_t word, T value) { return (word & ~mask) | of(value); }
};

/// The bits Msb..Lsb of a register of several words, as a T of at most 32 bits. The most significant word comes first,
/// and bit 0 is the lowest bit of the last word: as specifications number the bits of a register that is sent with its
/// highest bit first.
template <class T, unsigned Msb, unsigned Lsb = Msb>
struct WideField {
    static_assert(Lsb <= Msb && Msb - Lsb < 32);

    /// The field's value in `words`.
    template <std::size_t N>
    static constexpr T get(const std::array<std::uint32_t, N>& words) {
        static_assert(Msb < 32 * N);
        std::uint32_t value = words[word<N>] >> shift;
        if constexpr (spans_two) value |= words[word<N> - 1] << (32 - shift);
        return static_cast<T>(value & ones);
    }

    /// Replaces this field in `words`.
    template <std::size_t N>
    static constexpr void set(std::array<std::uint32_t, N>& words, T value) {
        static_assert(Msb < 32 * N);
        const std::uint32_t bits = static_cast<std::uint32_t>(value) & ones;
        words[word<N>] = (words[word<N>] & ~(ones << shift)) | bits << shift;
        if constexpr (spans_two) {
            constexpr unsigned above = 32 - shift;
            words[word<N> - 1] = (words[word<N> - 1] & ~(ones >> above)) | bits >> above;
        }
    }

private:
    static constexpr std::uint32_t ones = 0xffffffffu >> (31 - (Msb - Lsb));
    static constexpr unsigned shift = Lsb % 32;
    static constexpr bool spans_two = Msb / 32 != Lsb / 32;
    template <std::size_t N>
    static constexpr std::size_t word = N - 1 - Lsb / 32; ///< holds the field's lowest bit
};

} // namespace mmcpipe::base
