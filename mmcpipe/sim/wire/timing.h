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
/// CRC16; each line has its own, so that the width does not matter (JESD84-B51 8.2.2, SD 4.5).
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

/// A block on `lines` data lines, from its start bit to its end bit.
constexpr std::int64_t block_cycles(std::uint32_t bytes, unsigned lines) {
    return start_cycles + std::int64_t{bytes} * 8 / lines + crc_cycles + end_cycles;
}

} // namespace mmcpipe::sim::wire
