#pragma once
// CSD: how large a card is, how fast, and what it can do (JESD84-B51 7.3, SD Physical Layer 5.3). MMC and SD share a
// part of it.

#include "mmcpipe/base/units.h"
#include "mmcpipe/spec/r2.h"

#include <cstdint>

namespace mmcpipe::spec {

/// The size of a card. One unit; the other is asked for by name.
struct Capacity {
    std::uint64_t bytes = 0;

    constexpr auto operator<=>(const Capacity&) const = default;
    /// In sectors of 512 bytes, whatever the block lengths in the CSD say.
    constexpr std::uint64_t sectors() const { return bytes >> 9; }
    static constexpr Capacity of_sectors(std::uint64_t count) { return {count << 9}; }
};

/// TAAC as a time, rounded up to nanoseconds; 0 for a reserved code.
base::Duration access_time(std::uint8_t taac);

namespace mmc {

/// CSD_STRUCTURE 3 says that EXT_CSD[194] has the number; the fields lie the same in all of them. In cards before 3.1
/// the two erase fields had other names, their product is the same.
/// READ_BL_LEN is the longest read block and the unit of C_SIZE; it is not the block length to use.
struct Csd {
    std::uint8_t csd_structure = 0;
    std::uint8_t spec_vers = 0; ///< 0..4: system specification 1.x, 1.4, 2.x, 3.x, 4.x and later
    std::uint8_t taac = 0;
    std::uint8_t nsac = 0; ///< unit: 100 clock cycles
    std::uint8_t tran_speed = 0;
    std::uint16_t ccc = 0;        ///< see CommandClass
    std::uint8_t read_bl_len = 0; ///< log2 of bytes
    bool read_bl_partial = false;
    bool write_blk_misalign = false;
    bool read_blk_misalign = false;
    bool dsr_imp = false;
    std::uint16_t c_size = 0;
    std::uint8_t vdd_r_curr_min = 0;
    std::uint8_t vdd_r_curr_max = 0;
    std::uint8_t vdd_w_curr_min = 0;
    std::uint8_t vdd_w_curr_max = 0;
    std::uint8_t c_size_mult = 0;
    std::uint8_t erase_grp_size = 0;
    std::uint8_t erase_grp_mult = 0;
    std::uint8_t wp_grp_size = 0;
    bool wp_grp_enable = false;
    std::uint8_t default_ecc = 0;
    std::uint8_t r2w_factor = 0; ///< log2: writing takes so many times longer than reading
    std::uint8_t write_bl_len = 0;
    bool write_bl_partial = false;
    bool content_prot_app = false;
    bool file_format_grp = false;
    bool copy = false;
    bool perm_write_protect = false;
    bool tmp_write_protect = false;
    std::uint8_t file_format = 0;
    std::uint8_t ecc = 0;

    constexpr bool operator==(const Csd&) const = default;

    /// What the formula of CSD gives. For a card above 2 GB it is wrong: see `refers_to_ext_csd` and `capacity` in
    /// ext_csd.h.
    constexpr Capacity capacity_by_csd() const {
        return {static_cast<std::uint64_t>(c_size + 1u) << (c_size_mult + 2u + read_bl_len)};
    }
    /// C_SIZE is at its end: the size is SEC_COUNT of EXT_CSD.
    constexpr bool refers_to_ext_csd() const { return spec_vers >= 4 && c_size == 0xfff; }
    /// A card of system specification 4.0 or later has one.
    constexpr bool has_ext_csd() const { return spec_vers >= 4; }

    /// 512-byte sectors of an erase group while ERASE_GROUP_DEF is 0.
    constexpr std::uint32_t erase_group_sectors() const {
        return (erase_grp_size + 1u) * (erase_grp_mult + 1u) << write_bl_len >> 9;
    }
    /// TRAN_SPEED: the highest clock without a faster bus mode; 0 for a reserved code.
    base::Hertz fastest_clock() const;

    static Csd decode(const R2& words);
    R2 encode() const;
};

} // namespace mmc

namespace sd {

/// The layouts of SDSC (CSD_STRUCTURE 0), SDHC and SDXC (1) and SDUC (2). A later number is read like the last known
/// one. READ_BL_LEN is the longest read block and, in structure 0, the unit of C_SIZE; it is not the block length to
/// use.
struct Csd {
    std::uint8_t csd_structure = 0;
    std::uint8_t taac = 0; ///< fixed from structure 1 on, and then says nothing
    std::uint8_t nsac = 0; ///< unit: 100 clock cycles
    std::uint8_t tran_speed = 0;
    std::uint16_t ccc = 0;        ///< see CommandClass
    std::uint8_t read_bl_len = 0; ///< log2 of bytes
    bool read_bl_partial = false;
    bool write_blk_misalign = false;
    bool read_blk_misalign = false;
    bool dsr_imp = false;
    std::uint32_t c_size = 0;        ///< 12, 22 or 28 bits
    std::uint8_t vdd_r_curr_min = 0; ///< this and the next four: structure 0
    std::uint8_t vdd_r_curr_max = 0;
    std::uint8_t vdd_w_curr_min = 0;
    std::uint8_t vdd_w_curr_max = 0;
    std::uint8_t c_size_mult = 0;
    bool erase_blk_en = false;    ///< single blocks can be erased
    std::uint8_t sector_size = 0; ///< write blocks of an erasable sector, less one
    std::uint8_t wp_grp_size = 0;
    bool wp_grp_enable = false;
    std::uint8_t r2w_factor = 0; ///< log2: writing takes so many times longer than reading
    std::uint8_t write_bl_len = 0;
    bool write_bl_partial = false;
    bool file_format_grp = false;
    bool copy = false;
    bool perm_write_protect = false;
    bool tmp_write_protect = false;
    std::uint8_t file_format = 0;

    constexpr bool operator==(const Csd&) const = default;

    constexpr Capacity capacity() const {
        if (csd_structure == 0) return {static_cast<std::uint64_t>(c_size + 1u) << (c_size_mult + 2u + read_bl_len)};
        return {static_cast<std::uint64_t>(c_size + 1u) << 19}; // 512 KiB each, SDUC too
    }

    /// The smallest piece that can be erased, in 512-byte sectors. What is fast to erase is the allocation unit: see
    /// sd_status.h.
    constexpr std::uint32_t erase_sectors() const {
        return erase_blk_en ? 1u : (sector_size + 1u) << write_bl_len >> 9;
    }
    /// TRAN_SPEED: the highest clock in the bus mode that the card is in; 0 for a reserved code.
    base::Hertz fastest_clock() const;

    static Csd decode(const R2& words);
    R2 encode() const;
};

} // namespace sd

} // namespace mmcpipe::spec
