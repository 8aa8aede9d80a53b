#pragma once
// What the controllers of the PXA25x and the PXA27x differ in, as data.

#include "mmcpipe/host/settings.h"

#include <cstdint>

namespace mmcpipe::host::pxamci {

struct Variant {
    BusWidth widest;
    std::uint16_t longest_block; ///< what MMC_BLKLEN holds, bytes
    std::uint16_t interrupts;    ///< the bits of MMC_I_MASK
    /// Erratum 91 (PXA27x specification update): the DMA of a write must not begin before its command is over.
    bool late_write_dma;
    /// Erratum 42 (the same; up to stepping C0): a sound R2 whose first bit is 1 is said to have a wrong CRC.
    bool false_r2_crc;
};

constexpr Variant pxa25x{BusWidth::x1, 1023, 0x7f, false, false};
constexpr Variant pxa27x{BusWidth::x4, 2048, 0x1fff, true, true};

} // namespace mmcpipe::host::pxamci
