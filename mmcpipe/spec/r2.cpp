#include "mmcpipe/spec/r2.h"

#include "mmcpipe/spec/crc.h"
#include "mmcpipe/spec/layout.h"

namespace mmcpipe::spec {

R2 r2_from_bytes(std::span<const std::byte, 16> bytes) { return layout::words_of(bytes); }

std::array<std::byte, 16> bytes_of(const R2& words) { return layout::bytes_of(words); }

Crc crc_of(const R2& words) {
    const auto bytes = bytes_of(words);
    const unsigned stored = std::to_integer<unsigned>(bytes[15]);
    if (stored >> 1 == crc7(std::span(bytes).first<15>())) return Crc::valid;
    if (stored <= 0x01 || stored == 0xff) return Crc::absent;
    return Crc::wrong;
}

R2 closed(R2 words) {
    const auto bytes = bytes_of(words);
    words[3] = (words[3] & ~0xffu) | std::to_integer<std::uint32_t>(closing_byte(std::span(bytes).first<15>()));
    return words;
}

} // namespace mmcpipe::spec
