#pragma once
// Register dumps of real cards (data/registers, seen from the root of the repository): the raw bytes, and what an
// independent decoder made of them.

#include "mmcpipe/spec/r2.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mmcpipe::test {

struct Dump {
    std::string name;
    std::map<std::string, std::vector<std::byte>> raw; ///< "cid", "csd", "scr", "ssr", "ext_csd"
    std::map<std::string, std::string> says;           ///< the cross-check: "csd.C_SIZE" -> "3819"
    bool mmc() const { return says.contains("csd.SPEC_VERS") || says.contains("cid.CBX") || raw.contains("ext_csd"); }
};

const std::vector<Dump>& dumps();
const Dump& dump(std::string_view name);

std::vector<std::byte> bytes_from_hex(std::string_view hex);

/// A register of N bytes out of its hexadecimal digits.
template <std::size_t N>
std::array<std::byte, N> array_from_hex(std::string_view hex) {
    const std::vector<std::byte> bytes = bytes_from_hex(hex);
    std::array<std::byte, N> result{};
    for (std::size_t i = 0; i < N && i < bytes.size(); ++i) result[i] = bytes[i];
    return result;
}

inline spec::R2 r2_from_hex(std::string_view hex) { return spec::r2_from_bytes(array_from_hex<16>(hex)); }

/// Exactly N bytes of a register of a dump.
template <std::size_t N>
std::span<const std::byte, N> register_of(const Dump& dump, const std::string& name) {
    return std::span<const std::byte>(dump.raw.at(name)).first<N>();
}

} // namespace mmcpipe::test
