#pragma once
// EXT_CSD: the 512 bytes that CMD8 reads (JESD84-B51 7.4). Bytes 0..191 are modes, which CMD6 writes; the rest are
// properties.

#include "mmcpipe/base/bits.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/spec/csd.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mmcpipe::spec::mmc {

inline constexpr std::size_t ext_csd_size = 512;
/// CMD6 reaches the bytes below.
inline constexpr std::size_t ext_csd_modes = 192;

namespace ext_csd {

/// Who may write a field, and how long the value stays. Where the bits of one byte differ, the row has what holds for
/// most of them, and a comment.
enum class Access : std::uint8_t {
    read_only,       ///< R
    once,            ///< R/W
    kept,            ///< R/W/E
    until_power_off, ///< R/W/C_P: once, until power-off or RST_n
    until_reset,     ///< R/W/E_P: until power-off, RST_n or CMD0
    write_only,      ///< W/E_P: as until_reset, and reads as 0
};

/// A field of one to four bytes; the byte with the lowest number is the least significant.
struct Field {
    const char* name;
    std::uint16_t index; ///< of its first byte
    std::uint8_t size;
    Access access;
};

// Modes segment.
inline constexpr Field flush_cache{"FLUSH_CACHE", 32, 1, Access::write_only};
inline constexpr Field cache_ctrl{"CACHE_CTRL", 33, 1, Access::until_reset};
inline constexpr Field power_off_notification{"POWER_OFF_NOTIFICATION", 34, 1, Access::until_reset};
inline constexpr Field packed_failure_index{"PACKED_FAILURE_INDEX", 35, 1, Access::read_only}; // from 1
inline constexpr Field packed_command_status{"PACKED_COMMAND_STATUS", 36, 1, Access::read_only};
inline constexpr Field ext_partitions_attribute{"EXT_PARTITIONS_ATTRIBUTE", 52, 2, Access::once};
inline constexpr Field exception_events_status{"EXCEPTION_EVENTS_STATUS", 54, 2, Access::read_only};
inline constexpr Field exception_events_ctrl{"EXCEPTION_EVENTS_CTRL", 56, 2, Access::until_reset};
inline constexpr Field dyncap_needed{"DYNCAP_NEEDED", 58, 1, Access::read_only};
inline constexpr Field class_6_ctrl{"CLASS_6_CTRL", 59, 1, Access::until_reset};
inline constexpr Field ini_timeout_emu{"INI_TIMEOUT_EMU", 60, 1, Access::read_only};   // 100 ms
inline constexpr Field data_sector_size{"DATA_SECTOR_SIZE", 61, 1, Access::read_only}; // 0: 512 bytes, 1: 4 KiB
inline constexpr Field use_native_sector{"USE_NATIVE_SECTOR", 62, 1, Access::once};
inline constexpr Field native_sector_size{"NATIVE_SECTOR_SIZE", 63, 1, Access::read_only};
inline constexpr Field sec_bad_blk_mgmnt{"SEC_BAD_BLK_MGMNT", 134, 1, Access::once};
inline constexpr Field enh_start_addr{"ENH_START_ADDR", 136, 4, Access::once};
inline constexpr Field enh_size_mult{"ENH_SIZE_MULT", 140, 3, Access::once};
inline constexpr Field gp_size_mult_1{"GP_SIZE_MULT_1", 143, 3, Access::once};
inline constexpr Field gp_size_mult_2{"GP_SIZE_MULT_2", 146, 3, Access::once};
inline constexpr Field gp_size_mult_3{"GP_SIZE_MULT_3", 149, 3, Access::once};
inline constexpr Field gp_size_mult_4{"GP_SIZE_MULT_4", 152, 3, Access::once};
inline constexpr Field partition_setting_completed{"PARTITION_SETTING_COMPLETED", 155, 1, Access::once};
inline constexpr Field partitions_attribute{"PARTITIONS_ATTRIBUTE", 156, 1, Access::once};
inline constexpr Field max_enh_size_mult{"MAX_ENH_SIZE_MULT", 157, 3, Access::read_only};
inline constexpr Field partitioning_support{"PARTITIONING_SUPPORT", 160, 1, Access::read_only};
inline constexpr Field hpi_mgmt{"HPI_MGMT", 161, 1, Access::until_reset};
inline constexpr Field rst_n_function{"RST_n_FUNCTION", 162, 1, Access::once};
inline constexpr Field bkops_en{"BKOPS_EN", 163, 1, Access::once};
inline constexpr Field bkops_start{"BKOPS_START", 164, 1, Access::write_only};
inline constexpr Field sanitize_start{"SANITIZE_START", 165, 1, Access::write_only};
inline constexpr Field wr_rel_param{"WR_REL_PARAM", 166, 1, Access::read_only};
inline constexpr Field wr_rel_set{"WR_REL_SET", 167, 1, Access::once};
inline constexpr Field rpmb_size_mult{"RPMB_SIZE_MULT", 168, 1, Access::read_only};
inline constexpr Field fw_config{"FW_CONFIG", 169, 1, Access::once};
inline constexpr Field user_wp{"USER_WP", 171, 1, Access::until_reset};     // bits 7:6 and 3 once, 2 until power-off
inline constexpr Field boot_wp{"BOOT_WP", 173, 1, Access::until_power_off}; // bits 4 and 2 once
inline constexpr Field erase_group_def{"ERASE_GROUP_DEF", 175, 1, Access::until_reset};
inline constexpr Field boot_bus_width{"BOOT_BUS_WIDTH", 177, 1, Access::kept};
inline constexpr Field boot_config_prot{"BOOT_CONFIG_PROT", 178, 1, Access::until_power_off}; // bit 4 once
inline constexpr Field partition_config{"PARTITION_CONFIG", 179, 1, Access::kept};            // bits 2:0 until reset
inline constexpr Field erased_mem_cont{"ERASED_MEM_CONT", 181, 1, Access::read_only};
inline constexpr Field bus_width{"BUS_WIDTH", 183, 1, Access::write_only};
inline constexpr Field hs_timing{"HS_TIMING", 185, 1, Access::until_reset};
inline constexpr Field power_class{"POWER_CLASS", 187, 1, Access::until_reset};
inline constexpr Field cmd_set_rev{"CMD_SET_REV", 189, 1, Access::read_only};
inline constexpr Field cmd_set{"CMD_SET", 191, 1, Access::until_reset};

// Properties segment.
inline constexpr Field ext_csd_rev{"EXT_CSD_REV", 192, 1, Access::read_only};
inline constexpr Field csd_structure{"CSD_STRUCTURE", 194, 1, Access::read_only};
inline constexpr Field device_type{"DEVICE_TYPE", 196, 1, Access::read_only};
inline constexpr Field out_of_interrupt_time{"OUT_OF_INTERRUPT_TIME", 198, 1, Access::read_only}; // 10 ms
inline constexpr Field partition_switch_time{"PARTITION_SWITCH_TIME", 199, 1, Access::read_only}; // 10 ms
inline constexpr Field pwr_cl_52_195{"PWR_CL_52_195", 200, 1, Access::read_only};
inline constexpr Field pwr_cl_26_195{"PWR_CL_26_195", 201, 1, Access::read_only};
inline constexpr Field pwr_cl_52_360{"PWR_CL_52_360", 202, 1, Access::read_only};
inline constexpr Field pwr_cl_26_360{"PWR_CL_26_360", 203, 1, Access::read_only};
inline constexpr Field min_perf_r_4_26{"MIN_PERF_R_4_26", 205, 1, Access::read_only};
inline constexpr Field min_perf_w_4_26{"MIN_PERF_W_4_26", 206, 1, Access::read_only};
inline constexpr Field min_perf_r_8_26_4_52{"MIN_PERF_R_8_26_4_52", 207, 1, Access::read_only};
inline constexpr Field min_perf_w_8_26_4_52{"MIN_PERF_W_8_26_4_52", 208, 1, Access::read_only};
inline constexpr Field min_perf_r_8_52{"MIN_PERF_R_8_52", 209, 1, Access::read_only};
inline constexpr Field min_perf_w_8_52{"MIN_PERF_W_8_52", 210, 1, Access::read_only};
inline constexpr Field sec_count{"SEC_COUNT", 212, 4, Access::read_only};
inline constexpr Field s_a_timeout{"S_A_TIMEOUT", 217, 1, Access::read_only}; // 100 ns x 2^value
inline constexpr Field s_c_vccq{"S_C_VCCQ", 219, 1, Access::read_only};
inline constexpr Field s_c_vcc{"S_C_VCC", 220, 1, Access::read_only};
inline constexpr Field hc_wp_grp_size{"HC_WP_GRP_SIZE", 221, 1, Access::read_only}; // erase groups
inline constexpr Field rel_wr_sec_c{"REL_WR_SEC_C", 222, 1, Access::read_only};
inline constexpr Field erase_timeout_mult{"ERASE_TIMEOUT_MULT", 223, 1, Access::read_only}; // 300 ms
inline constexpr Field hc_erase_grp_size{"HC_ERASE_GRP_SIZE", 224, 1, Access::read_only};   // 512 KiB
inline constexpr Field acc_size{"ACC_SIZE", 225, 1, Access::read_only};
inline constexpr Field boot_size_mult{"BOOT_SIZE_MULT", 226, 1, Access::read_only}; // 128 KiB
inline constexpr Field boot_info{"BOOT_INFO", 228, 1, Access::read_only};
inline constexpr Field sec_trim_mult{"SEC_TRIM_MULT", 229, 1, Access::read_only};
inline constexpr Field sec_erase_mult{"SEC_ERASE_MULT", 230, 1, Access::read_only};
inline constexpr Field sec_feature_support{"SEC_FEATURE_SUPPORT", 231, 1, Access::read_only};
inline constexpr Field trim_mult{"TRIM_MULT", 232, 1, Access::read_only}; // 300 ms
inline constexpr Field min_perf_ddr_r_8_52{"MIN_PERF_DDR_R_8_52", 234, 1, Access::read_only};
inline constexpr Field min_perf_ddr_w_8_52{"MIN_PERF_DDR_W_8_52", 235, 1, Access::read_only};
inline constexpr Field pwr_cl_ddr_52_195{"PWR_CL_DDR_52_195", 238, 1, Access::read_only};
inline constexpr Field pwr_cl_ddr_52_360{"PWR_CL_DDR_52_360", 239, 1, Access::read_only};
inline constexpr Field ini_timeout_pa{"INI_TIMEOUT_PA", 241, 1, Access::read_only}; // 100 ms
inline constexpr Field correctly_prg_sectors_num{"CORRECTLY_PRG_SECTORS_NUM", 242, 4, Access::read_only};
inline constexpr Field bkops_status{"BKOPS_STATUS", 246, 1, Access::read_only};
inline constexpr Field power_off_long_time{"POWER_OFF_LONG_TIME", 247, 1, Access::read_only}; // 10 ms
inline constexpr Field generic_cmd6_time{"GENERIC_CMD6_TIME", 248, 1, Access::read_only};     // 10 ms
inline constexpr Field cache_size{"CACHE_SIZE", 249, 4, Access::read_only};                   // 1 Kbit
inline constexpr Field ext_support{"EXT_SUPPORT", 494, 1, Access::read_only};
inline constexpr Field large_unit_size_m1{"LARGE_UNIT_SIZE_M1", 495, 1, Access::read_only}; // 1 MiB
inline constexpr Field context_capabilities{"CONTEXT_CAPABILITIES", 496, 1, Access::read_only};
inline constexpr Field tag_res_size{"TAG_RES_SIZE", 497, 1, Access::read_only};
inline constexpr Field tag_unit_size{"TAG_UNIT_SIZE", 498, 1, Access::read_only};
inline constexpr Field data_tag_support{"DATA_TAG_SUPPORT", 499, 1, Access::read_only};
inline constexpr Field max_packed_writes{"MAX_PACKED_WRITES", 500, 1, Access::read_only};
inline constexpr Field max_packed_reads{"MAX_PACKED_READS", 501, 1, Access::read_only};
inline constexpr Field bkops_support{"BKOPS_SUPPORT", 502, 1, Access::read_only};
inline constexpr Field hpi_features{"HPI_FEATURES", 503, 1, Access::read_only};
inline constexpr Field s_cmd_set{"S_CMD_SET", 504, 1, Access::read_only};

/// Every field, in the order of the bytes.
// clang-format off
inline constexpr Field fields[] = {
    flush_cache, cache_ctrl, power_off_notification, packed_failure_index, packed_command_status,
    ext_partitions_attribute, exception_events_status, exception_events_ctrl, dyncap_needed, class_6_ctrl,
    ini_timeout_emu, data_sector_size, use_native_sector, native_sector_size, sec_bad_blk_mgmnt, enh_start_addr,
    enh_size_mult,
    gp_size_mult_1, gp_size_mult_2, gp_size_mult_3, gp_size_mult_4, partition_setting_completed,
    partitions_attribute, max_enh_size_mult, partitioning_support, hpi_mgmt, rst_n_function, bkops_en, bkops_start,
    sanitize_start, wr_rel_param, wr_rel_set, rpmb_size_mult, fw_config, user_wp, boot_wp, erase_group_def,
    boot_bus_width, boot_config_prot, partition_config, erased_mem_cont, bus_width, hs_timing, power_class,
    cmd_set_rev, cmd_set, ext_csd_rev, csd_structure, device_type, out_of_interrupt_time, partition_switch_time,
    pwr_cl_52_195, pwr_cl_26_195, pwr_cl_52_360, pwr_cl_26_360, min_perf_r_4_26, min_perf_w_4_26,
    min_perf_r_8_26_4_52, min_perf_w_8_26_4_52, min_perf_r_8_52, min_perf_w_8_52, sec_count, s_a_timeout, s_c_vccq,
    s_c_vcc, hc_wp_grp_size, rel_wr_sec_c, erase_timeout_mult, hc_erase_grp_size, acc_size, boot_size_mult,
    boot_info, sec_trim_mult, sec_erase_mult, sec_feature_support, trim_mult, min_perf_ddr_r_8_52,
    min_perf_ddr_w_8_52, pwr_cl_ddr_52_195, pwr_cl_ddr_52_360, ini_timeout_pa, correctly_prg_sectors_num,
    bkops_status, power_off_long_time, generic_cmd6_time, cache_size, ext_support, large_unit_size_m1,
    context_capabilities, tag_res_size, tag_unit_size, data_tag_support, max_packed_writes, max_packed_reads,
    bkops_support, hpi_features, s_cmd_set,
};
// clang-format on

/// The field that a byte belongs to; nullptr for a byte that has none here.
const Field* field_of(std::size_t index);
/// True if CMD6 may write the byte at all.
bool writable(std::size_t index);

/// Values of BUS_WIDTH.
enum class BusWidth : std::uint8_t { x1 = 0, x4 = 1, x8 = 2, ddr_x4 = 5, ddr_x8 = 6 };
/// Values of HS_TIMING.
enum class Timing : std::uint8_t { backwards_compatible = 0, high_speed = 1 };
/// EXT_CSD_REV of the system specification 4.5: packed commands, exception events, data tag, contexts, 4 KiB sectors.
inline constexpr std::uint8_t revision_4_5 = 6;

/// Values of RST_n_FUNCTION: the two that are not 0 are for ever.
enum class ResetPin : std::uint8_t { disabled = 0, enabled = 1, disabled_for_ever = 2 };

/// Bits of DEVICE_TYPE.
using HighSpeed26 = base::Field<bool, 0>;
using HighSpeed52 = base::Field<bool, 1>;
using Ddr52At1V8Or3V = base::Field<bool, 2>;
using Ddr52At1V2 = base::Field<bool, 3>;
/// Bits of PACKED_COMMAND_STATUS: about the last packed command.
using PackedError = base::Field<bool, 0>;
using PackedIndexedError = base::Field<bool, 1>; ///< PACKED_FAILURE_INDEX says which entry
/// Bits of EXCEPTION_EVENTS_STATUS; each shows as EXCEPTION_EVENT in R1 if its bit of EXCEPTION_EVENTS_CTRL is set.
/// UrgentBkops always does.
using UrgentBkopsEvent = base::Field<bool, 0>;
using DyncapEvent = base::Field<bool, 1>;
using SyspoolEvent = base::Field<bool, 2>;
using PackedEvent = base::Field<bool, 3>;
/// Bits of PARTITION_CONFIG. Partition 0 is the user area, 1 and 2 boot, 3 RPMB, 4..7 general purpose.
using PartitionAccess = base::Field<std::uint8_t, 2, 0>;
using BootPartitionEnable = base::Field<std::uint8_t, 5, 3>;
using BootAck = base::Field<bool, 6>;
/// Bits of SEC_FEATURE_SUPPORT.
using SecureErase = base::Field<bool, 0>;
using SecureBadBlocks = base::Field<bool, 2>;
using Trim = base::Field<bool, 4>;     ///< TRIM, and secure trim where there is secure erase
using Sanitize = base::Field<bool, 6>; ///< since 4.5
/// Bits of WR_REL_PARAM.
using HostControlsReliability = base::Field<bool, 0>;
using EnhancedReliableWrite = base::Field<bool, 2>; ///< blocks without limit to their number
/// Bits of HPI_FEATURES.
using HpiSupported = base::Field<bool, 0>;
using HpiByStop = base::Field<bool, 1>; ///< CMD12 interrupts, otherwise CMD13

} // namespace ext_csd

/// A look at the 512 bytes, which somebody else keeps. A later revision only adds fields; those known here stay where
/// they are.
class ExtCsd {
public:
    explicit constexpr ExtCsd(std::span<const std::byte, ext_csd_size> bytes) : bytes_(bytes) {}

    constexpr std::uint32_t operator[](ext_csd::Field field) const {
        std::uint32_t value = 0;
        for (std::size_t i = field.size; i-- > 0;)
            value = value << 8 | std::to_integer<std::uint32_t>(bytes_[field.index + i]);
        return value;
    }

    constexpr std::uint8_t revision() const { return static_cast<std::uint8_t>((*this)[ext_csd::ext_csd_rev]); }
    constexpr std::uint32_t sec_count() const { return (*this)[ext_csd::sec_count]; }

    /// Most entries of a packed command; 0: the card, or its revision, has none.
    constexpr std::uint8_t max_packed_writes() const { return since_4_5(ext_csd::max_packed_writes); }
    constexpr std::uint8_t max_packed_reads() const { return since_4_5(ext_csd::max_packed_reads); }
    /// It has sectors of 4 KiB, and does not hide it: transfers are whole ones.
    constexpr bool large_sectors() const { return since_4_5(ext_csd::data_sector_size) == 1; }

    /// 512-byte sectors of an erase group, and of a write protect group, while ERASE_GROUP_DEF is 1.
    constexpr std::uint32_t hc_erase_group_sectors() const { return (*this)[ext_csd::hc_erase_grp_size] << 10; }
    constexpr std::uint32_t hc_wp_group_sectors() const {
        return hc_erase_group_sectors() * (*this)[ext_csd::hc_wp_grp_size];
    }
    constexpr bool high_capacity_groups() const { return ((*this)[ext_csd::erase_group_def] & 1u) != 0; }

    constexpr Capacity boot_partition() const {
        return {static_cast<std::uint64_t>((*this)[ext_csd::boot_size_mult]) << 17};
    }
    constexpr Capacity rpmb() const { return {static_cast<std::uint64_t>((*this)[ext_csd::rpmb_size_mult]) << 17}; }
    constexpr Capacity cache() const { return {static_cast<std::uint64_t>((*this)[ext_csd::cache_size]) << 7}; }

private:
    constexpr std::uint8_t since_4_5(ext_csd::Field field) const {
        return revision() >= ext_csd::revision_4_5 ? static_cast<std::uint8_t>((*this)[field]) : std::uint8_t{0};
    }

    std::span<const std::byte, ext_csd_size> bytes_;
};

/// Puts a value into the bytes; for what builds an EXT_CSD.
constexpr void put(std::span<std::byte, ext_csd_size> bytes, ext_csd::Field field, std::uint32_t value) {
    for (std::size_t i = 0; i < field.size; ++i)
        bytes[field.index + i] = static_cast<std::byte>(value >> 8 * i & 0xffu);
}

/// The size of the user area. `ext_csd` is nullptr if there is none or it could not be read: bad_register if it is
/// needed, for the formula of CSD would then give 1 GiB to a card of any size.
base::Result<Capacity> capacity(const Csd& csd, const ExtCsd* ext_csd);

/// 512-byte sectors of an erase group as the card is set.
std::uint32_t erase_group_sectors(const Csd& csd, const ExtCsd* ext_csd);

} // namespace mmcpipe::spec::mmc
