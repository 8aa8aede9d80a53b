#include "mmcpipe/spec/command.h"

#include "mmcpipe/spec/crc.h"

#include <span>

namespace mmcpipe::spec {

std::array<std::byte, 6> frame(const Command& command) {
    std::array<std::byte, 6> bytes{static_cast<std::byte>(0x40u | command.index)}; // start bit 0, transmission bit 1
    for (unsigned i = 0; i < 4; ++i) bytes[1 + i] = static_cast<std::byte>(command.argument >> (24 - 8 * i) & 0xffu);
    bytes[5] = closing_byte(std::span(bytes).first<5>());
    return bytes;
}

} // namespace mmcpipe::spec
