#pragma once
// One list of a register's fields serves to decode and to encode it. A register's source has
//     constexpr auto each_field = [](auto& fields, const auto& visit) { visit(bits<127, 120>, fields.mid); ... };

#include "mmcpipe/base/bits.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::spec::layout {

template <unsigned Msb, unsigned Lsb>
struct Bits {};

template <unsigned Msb, unsigned Lsb = Msb>
inline constexpr Bits<Msb, Lsb> bits{};

template <std::size_t Words>
struct Reader {
    const std::array<std::uint32_t, Words>& words;

    template <unsigned Msb, unsigned Lsb, class T>
    void operator()(Bits<Msb, Lsb>, T& field) const {
        field = base::WideField<T, Msb, Lsb>::get(words);
    }
};

template <std::size_t Words>
struct Writer {
    std::array<std::uint32_t, Words>& words;

    template <unsigned Msb, unsigned Lsb, class T>
    void operator()(Bits<Msb, Lsb>, const T& field) const {
        base::WideField<T, Msb, Lsb>::set(words, field);
    }
};

/// The register that lies in `words`.
template <class Register, std::size_t Words, class EachField>
Register decoded(const std::array<std::uint32_t, Words>& words, const EachField& each_field) {
    Register fields;
    each_field(fields, Reader<Words>{words});
    return fields;
}

/// The words of a register; bits that belong to no field are 0.
template <std::size_t Words, class Register, class EachField>
std::array<std::uint32_t, Words> encoded(const Register& fields, const EachField& each_field) {
    std::array<std::uint32_t, Words> words{};
    each_field(fields, Writer<Words>{words});
    return words;
}

/// Big-endian bytes as words, highest first.
template <std::size_t Size>
std::array<std::uint32_t, Size / 4> words_of(std::span<const std::byte, Size> bytes) {
    static_assert(Size % 4 == 0);
    std::array<std::uint32_t, Size / 4> words{};
    for (std::size_t i = 0; i < Size; ++i) words[i / 4] = words[i / 4] << 8 | std::to_integer<std::uint32_t>(bytes[i]);
    return words;
}

template <std::size_t Words>
std::array<std::byte, Words * 4> bytes_of(const std::array<std::uint32_t, Words>& words) {
    std::array<std::byte, Words * 4> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(words[i / 4] >> (24 - i % 4 * 8) & 0xffu);
    return bytes;
}

} // namespace mmcpipe::spec::layout
