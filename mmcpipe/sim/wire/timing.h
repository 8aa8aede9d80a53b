#pragma once
// How long things take on CMD and DAT, in clock cycles. JESD84-B51 6.15 "Timings", SD Physical Layer 4.12 "Timings".

#include <cstdint>

namespace mmcpipe::sim::wire {

// --- CMD ---
/// Start bit, transmission bit, index, argument, CRC7, end bit (JESD84-B51 6.10.1, SD 4.7.1).
constexpr std::int64_t command_cycles = 48;
/// R1, R3, R4, R5, R6, R7 (JESD84-B51 6.12, SD 4.9).
constexpr std::int64_t short_response_cycles = 48;
/// R2 brings a whole register.
constexpr std::int64_t long_response_cycles = 136;
/// N_ID: end bit of the command to start bit of the response where all cards may answer at once (CMD2, and CMD1 or
/// ACMD41).
constexpr std::uint8_t n_id = 5;
/// N_CR: the same for every other command; the card has from 2 to 64.
constexpr std::uint8_t n_cr_max = 64;
/// N_RC: end bit of a response to start bit of the next command, at least.
constexpr std::int64_t n_rc = 8;
/// N_CC: end bit of a command that is not answered to start bit of the next command, at least.
constexpr std::int64_t n_cc = 8;

// --- DAT ---
constexpr std::int64_t start_cycles = 1;
/// CRC16; each line has its own, so that the width does not matter (JESD84-B51 8.2.2, SD 4.5). With data on both edges
/// each line has two, one for what came with the rising edges and one for the falling ones, bit by bit in turns.
constexpr std::int64_t crc_cycles = 16;
constexpr std::int64_t end_cycles = 1;
/// N_AC: end bit of a read command, or of the block before, to start bit of the next block, at least.
constexpr std::int64_t n_ac_min = 2;
/// N_WR: end bit of the response, of a CRC status or of busy to start bit of the next block, at least.
constexpr std::int64_t n_wr = 2;
/// N_CRC: end bit of a block to start bit of its CRC status.
constexpr std::int64_t n_crc = 2;
/// Start bit, three bits of status, end bit.
constexpr std::int64_t crc_status_cycles = 5;

/// Where bits of data go.
struct Lanes {
    unsigned lines = 1; ///< DAT lines
    /// Data and CRC16 change with every edge of the clock. Start and end bit, CRC status, and everything on CMD last a
    /// cycle all the same (JESD84-A441 7.6.3, 7.15).
    bool both_edges = false;

    constexpr bool operator==(const Lanes&) const = default;
    /// Begun cycles count.
    constexpr std::int64_t cycles(std::uint32_t bytes) const {
        const std::int64_t bits = both_edges ? lines * 2 : lines;
        return (std::int64_t{bytes} * 8 + bits - 1) / bits;
    }
};

/// A block, from its start bit to its end bit.
constexpr std::int64_t block_cycles(std::uint32_t bytes, Lanes lanes) {
    return start_cycles + lanes.cycles(bytes) + crc_cycles + end_cycles;
}

} // namespace mmcpipe::sim::wire
