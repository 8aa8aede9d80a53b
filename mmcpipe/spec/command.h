#pragma once
// Commands as values: index, argument, and the kind of response that the card sends. The names are the specifications',
// without their capitals; what MMC and SD do differently is in the namespaces mmc and sd. JESD84-B51 6.10, SD Physical
// Layer 4.7.

#include "mmcpipe/base/bits.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::spec {

/// JESD84-B51 6.12, SD Physical Layer 4.9. R1b is R1 with an optional busy on DAT0.
enum class Response : std::uint8_t { none, r1, r1b, r2, r3, r6, r7 };

struct Command {
    std::uint8_t index = 0;
    Response response = Response::none;
    std::uint32_t argument = 0;

    constexpr bool operator==(const Command&) const = default;
};

/// The 48 bits on the CMD line: start and transmission bit, index, argument, CRC7, end bit.
std::array<std::byte, 6> frame(const Command& command);

/// Relative card address: the host's name for a card on the bus. 0 addresses no card.
struct Rca {
    std::uint16_t value = 0;

    constexpr bool operator==(const Rca&) const = default;
    constexpr std::uint32_t argument() const { return static_cast<std::uint32_t>(value) << 16; }
    /// Whom a command is for.
    static constexpr Rca in(std::uint32_t argument) { return {static_cast<std::uint16_t>(argument >> 16)}; }
};

/// How a card counts in the arguments of data and erase commands; OCR says which.
enum class Addressing : std::uint8_t {
    byte,   ///< cards of up to 2 GB
    sector, ///< of 512 bytes
};

/// A place on the card as it goes over the wire.
struct DataAddress {
    std::uint32_t argument = 0;

    constexpr bool operator==(const DataAddress&) const = default;
};

/// The address of a 512-byte sector; the number of a byte must fit 32 bits where the card counts in bytes.
constexpr DataAddress address_of(std::uint32_t sector, Addressing addressing) {
    return {addressing == Addressing::byte ? sector << 9 : sector};
}

/// The sector that an address lies in.
constexpr std::uint32_t sector_of(DataAddress address, Addressing addressing) {
    return addressing == Addressing::byte ? address.argument >> 9 : address.argument;
}

// --- the same for MMC and SD ---

constexpr Command go_idle_state() { return {0, Response::none, 0}; }
constexpr Command all_send_cid() { return {2, Response::r2, 0}; }
constexpr Command select_card(Rca rca) { return {7, Response::r1b, rca.argument()}; }
constexpr Command deselect_card() { return {7, Response::none, 0}; }
constexpr Command send_csd(Rca rca) { return {9, Response::r2, rca.argument()}; }
constexpr Command send_cid(Rca rca) { return {10, Response::r2, rca.argument()}; }
/// What CMD12 ends. After a read the card is not busy; after a write it programs what it has.
enum class Transfer : std::uint8_t { read, write };
constexpr Command stop_transmission(Transfer ended) {
    return {12, ended == Transfer::read ? Response::r1 : Response::r1b, 0};
}
constexpr Command send_status(Rca rca) { return {13, Response::r1, rca.argument()}; }
constexpr Command go_inactive_state(Rca rca) { return {15, Response::none, rca.argument()}; }
constexpr Command set_blocklen(std::uint32_t bytes) { return {16, Response::r1, bytes}; }
constexpr Command read_single_block(DataAddress from) { return {17, Response::r1, from.argument}; }
constexpr Command read_multiple_block(DataAddress from) { return {18, Response::r1, from.argument}; }
constexpr Command write_block(DataAddress to) { return {24, Response::r1, to.argument}; }
constexpr Command write_multiple_block(DataAddress to) { return {25, Response::r1, to.argument}; }
/// The next command is an application command.
constexpr Command app_cmd(Rca rca) { return {55, Response::r1, rca.argument()}; }

/// What CMD38 does with the range that was set. SD before 5.0 has erase only; MMC what SEC_FEATURE_SUPPORT says.
enum class Erase : std::uint32_t {
    erase = 0,
    trim = 0x00000001,    ///< write blocks, not erase groups
    discard = 0x00000003, ///< MMC since 4.5
    secure_erase = 0x80000000,
    secure_trim_step_1 = 0x80000001,
    secure_trim_step_2 = 0x80008000,
};
constexpr Command erase(Erase kind = Erase::erase) { return {38, Response::r1b, static_cast<std::uint32_t>(kind)}; }

/// Argument of CMD23 SET_BLOCK_COUNT. SD has the whole word for the number of blocks; MMC has 16 bits, and flags above
/// them, those below `reliable_write` since 4.5 (JESD84-B45 6.10.4).
struct BlockCount {
    using BlocksField = base::Field<std::uint16_t, 15, 0>;
    using ForcedProgrammingField = base::Field<bool, 24>;
    using ContextField = base::Field<std::uint8_t, 28, 25>;
    using TagField = base::Field<bool, 29>;
    using PackedField = base::Field<bool, 30>;
    using ReliableWriteField = base::Field<bool, 31>;

    std::uint16_t blocks = 0;
    bool forced_programming = false; ///< past the cache
    std::uint8_t context = 0;        ///< 1 to 15; 0: none
    bool tag = false;                ///< data that is often changed, such as a file system's own
    bool packed = false;             ///< a packed command follows; no other flag goes with it
    bool reliable_write = false;     ///< all of the old data or all of the new, block by block

    constexpr bool operator==(const BlockCount&) const = default;
    constexpr std::uint32_t argument() const {
        return BlocksField::of(blocks) | ForcedProgrammingField::of(forced_programming) | ContextField::of(context) |
               TagField::of(tag) | PackedField::of(packed) | ReliableWriteField::of(reliable_write);
    }
    static constexpr BlockCount in(std::uint32_t argument) {
        return {BlocksField::get(argument),  ForcedProgrammingField::get(argument),
                ContextField::get(argument), TagField::get(argument),
                PackedField::get(argument),  ReliableWriteField::get(argument)};
    }
};
enum class Reliability : std::uint8_t { normal, reliable };
constexpr Command set_block_count(BlockCount count) { return {23, Response::r1, count.argument()}; }
constexpr Command set_block_count(std::uint16_t blocks, Reliability reliability = Reliability::normal) {
    BlockCount count;
    count.blocks = blocks;
    count.reliable_write = reliability == Reliability::reliable;
    return set_block_count(count);
}

namespace mmc {

/// `ocr`: voltages that the host gives, and access mode; 0 only asks. See ocr.h.
constexpr Command send_op_cond(std::uint32_t ocr) { return {1, Response::r3, ocr}; }
/// The host chooses the address.
constexpr Command set_relative_addr(Rca rca) { return {3, Response::r1, rca.argument()}; }
/// stby to slp and back. The card must be deselected.
constexpr Command sleep(Rca rca) { return {5, Response::r1b, rca.argument() | 1u << 15}; }
constexpr Command awake(Rca rca) { return {5, Response::r1b, rca.argument()}; }
/// Reads EXT_CSD: 512 bytes.
constexpr Command send_ext_csd() { return {8, Response::r1, 0}; }
constexpr Command bustest_r() { return {14, Response::r1, 0}; }
constexpr Command bustest_w() { return {19, Response::r1, 0}; }
constexpr Command erase_group_start(DataAddress first) { return {35, Response::r1, first.argument}; }
/// The group that `last` lies in is erased too.
constexpr Command erase_group_end(DataAddress last) { return {36, Response::r1, last.argument}; }

/// Argument of CMD6 SWITCH: what to do with one byte of EXT_CSD (JESD84-B51 6.6.1).
struct Switch {
    enum class Access : std::uint8_t { command_set = 0, set_bits = 1, clear_bits = 2, write_byte = 3 };
    using AccessField = base::Field<Access, 25, 24>;
    using IndexField = base::Field<std::uint8_t, 23, 16>;
    using ValueField = base::Field<std::uint8_t, 15, 8>;
    using CommandSetField = base::Field<std::uint8_t, 2, 0>;

    Access access = Access::write_byte;
    std::uint8_t index = 0; ///< 0..191: the bytes of the modes segment
    std::uint8_t value = 0;
    std::uint8_t command_set = 0;

    constexpr bool operator==(const Switch&) const = default;
    constexpr std::uint32_t argument() const {
        return AccessField::of(access) | IndexField::of(index) | ValueField::of(value) |
               CommandSetField::of(command_set);
    }
    static constexpr Switch in(std::uint32_t argument) {
        return {AccessField::get(argument), IndexField::get(argument), ValueField::get(argument),
                CommandSetField::get(argument)};
    }
};
/// Blocks of a packed command, its header included where it has one in front.
constexpr Command set_packed_count(std::uint16_t blocks) {
    BlockCount count;
    count.blocks = blocks;
    count.packed = true;
    return set_block_count(count);
}

/// "switch" is a keyword of C++. R1 of a later SEND_STATUS tells by SWITCH_ERROR if it was refused.
constexpr Command switch_mode(Switch what) { return {6, Response::r1b, what.argument()}; }

} // namespace mmc

namespace sd {

/// The card proposes an address: R6. Repeated, it proposes another.
constexpr Command send_relative_addr() { return {3, Response::r6, 0}; }
constexpr Command erase_wr_blk_start(DataAddress first) { return {32, Response::r1, first.argument}; }
constexpr Command erase_wr_blk_end(DataAddress last) { return {33, Response::r1, last.argument}; }

/// Argument of CMD8 and its echo in R7 (SD 4.3.13, 4.9.6).
struct InterfaceCondition {
    using VoltageField = base::Field<std::uint8_t, 11, 8>;
    using PatternField = base::Field<std::uint8_t, 7, 0>;
    static constexpr std::uint8_t v2_7_to_3_6 = 1;
    static constexpr std::uint8_t usual_pattern = 0xaa;

    std::uint8_t voltage = v2_7_to_3_6; ///< 0 in R7: the card does not take the voltage
    std::uint8_t pattern = usual_pattern;

    constexpr bool operator==(const InterfaceCondition&) const = default;
    constexpr std::uint32_t argument() const { return VoltageField::of(voltage) | PatternField::of(pattern); }
    static constexpr InterfaceCondition in(std::uint32_t argument) {
        return {VoltageField::get(argument), PatternField::get(argument)};
    }
};
/// No answer: a card before 2.00, or one that does not take the voltage.
constexpr Command send_if_cond(InterfaceCondition condition = {}) { return {8, Response::r7, condition.argument()}; }

/// Argument of CMD6 SWITCH_FUNC (SD 4.3.10): one function of each group, `keep` for the one that is set.
struct Functions {
    static constexpr std::uint8_t keep = 0xf;
    using SetField = base::Field<bool, 31>;

    bool set = false;                    ///< false only asks what would be
    std::uint8_t access_mode = keep;     ///< group 1; 1 is High Speed
    std::uint8_t command_system = keep;  ///< group 2
    std::uint8_t driver_strength = keep; ///< group 3
    std::uint8_t power_limit = keep;     ///< group 4

    constexpr bool operator==(const Functions&) const = default;
    constexpr std::uint32_t argument() const {
        return SetField::of(set) | 0x00ff0000u | (power_limit & 0xfu) << 12 | (driver_strength & 0xfu) << 8 |
               (command_system & 0xfu) << 4 | (access_mode & 0xfu);
    }
    static constexpr Functions in(std::uint32_t argument) {
        const auto group = [argument](unsigned shift) { return static_cast<std::uint8_t>(argument >> shift & 0xfu); };
        return {SetField::get(argument), group(0), group(4), group(8), group(12)};
    }
};
/// Reads the switch function status: 64 bytes.
constexpr Command switch_func(Functions functions) { return {6, Response::r1, functions.argument()}; }

// --- application commands: each after app_cmd() ---

enum class BusWidth : std::uint8_t { x1 = 0, x4 = 2 };
constexpr Command set_bus_width(BusWidth width) { return {6, Response::r1, static_cast<std::uint32_t>(width)}; }
/// Reads the SD Status: 64 bytes.
constexpr Command send_sd_status() { return {13, Response::r1, 0}; }
/// Reads the number of blocks written without error by the last write: 4 bytes, highest first.
constexpr Command send_num_wr_blocks() { return {22, Response::r1, 0}; }
/// Blocks to erase ahead of the next multiple block write.
constexpr Command set_wr_blk_erase_count(std::uint32_t blocks) { return {23, Response::r1, blocks & 0x7fffffu}; }
/// `ocr`: voltages that the host gives, and HCS; 0 only asks. See ocr.h.
constexpr Command app_send_op_cond(std::uint32_t ocr) { return {41, Response::r3, ocr}; }
/// Reads SCR: 8 bytes.
constexpr Command send_scr() { return {51, Response::r1, 0}; }

} // namespace sd

} // namespace mmcpipe::spec
