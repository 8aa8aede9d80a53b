#pragma once
// Arbitrary registers, each field within its width.

#include <cstdint>
#include <rapidcheck.h>

namespace mmcpipe::test {

/// Any number of so many bits.
template <class T>
T bits(unsigned width) {
    return static_cast<T>(*rc::gen::arbitrary<std::uint32_t>() & (width == 32 ? 0xffffffffu : (1u << width) - 1u));
}

inline bool flag() { return *rc::gen::arbitrary<bool>(); }

} // namespace mmcpipe::test
