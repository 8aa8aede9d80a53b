#pragma once
// Properties: what is known of a card that was brought up, as far as transfers, erase and recovery need it.

#include "mmcpipe/base/units.h"
#include "mmcpipe/card/bus_mode.h"
#include "mmcpipe/card/peer.h"
#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/ext_csd.h"
#include "mmcpipe/spec/r2.h"
#include "mmcpipe/spec/scr.h"
#include "mmcpipe/spec/sd_status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace mmcpipe::card {

/// How long the card may take, in the bus mode that it is in.
struct Times {
    base::Duration read{};        ///< from the command, or a block, to the next block
    base::Duration write{};       ///< busy after a block, and after the last of a transfer
    base::Duration mode_switch{}; ///< busy after CMD6 (MMC), CMD7
};

/// The shortest limits in force. Cards are known to need longer than their CSD says; a longer limit costs nothing until
/// something is broken anyway.
inline constexpr base::Duration shortest_read_limit = base::milliseconds(100);
inline constexpr base::Duration shortest_write_limit = base::milliseconds(500);
/// Before the card has said anything.
inline constexpr Times times_of_unknown{base::milliseconds(100), base::milliseconds(500), base::milliseconds(500)};

/// Block lengths that the CSD allows beside 512 bytes.
struct BlockLengths {
    std::uint32_t longest = 512; ///< bytes
    bool partial = false;        ///< any length up to it

    constexpr bool allow(std::uint32_t bytes) const {
        return bytes == 512 || (partial && bytes > 0 && bytes <= longest);
    }
};

/// EXT_CSD and a place to read registers to. Whether DMA reaches them, and which cache lines they share with what lies
/// around them, depends on where the card stands: the host's mapping looks at both, and bounces what it must.
struct Registers {
    alignas(64) std::array<std::byte, spec::mmc::ext_csd_size> ext_csd{};
    alignas(64) std::array<std::byte, spec::mmc::ext_csd_size> scratch{};
    bool has_ext_csd = false; ///< `ext_csd` was read
};

struct Properties {
    Peer peer{};
    spec::R2 cid{};
    spec::R2 csd{};
    std::optional<spec::sd::Scr> scr{};
    spec::sd::SdStatus sd_status{}; ///< SD: as it was read, or default-constructed where the card gives none

    spec::Capacity capacity{}; ///< of the user area
    spec::Addressing addressing = spec::Addressing::byte;
    std::uint16_t ccc = 0; ///< command classes
    BlockLengths read_lengths{};
    BlockLengths write_lengths{};
    bool set_block_count = false; ///< CMD23
    /// Entries of a packed command at most; 0: the card has none, or does not tell which entry failed.
    std::uint8_t max_packed_writes = 0;
    std::uint8_t max_packed_reads = 0;
    std::uint32_t packed_header_blocks = 1; ///< of 512 bytes
    bool locked = false;                    ///< by a password (CMD42): data commands are refused

    std::uint32_t erase_unit = 1; ///< 512-byte sectors; erase takes whole units only
    Times times = times_of_unknown;

    BusMode mode{};
    base::Hertz clock{};              ///< at most this
    Limit timing_limit = Limit::host; ///< why `mode` is not faster
    Limit width_limit = Limit::host;  ///< why `mode` is not wider
};

} // namespace mmcpipe::card
