#include "mmcpipe/spec/csd.h"

#include "mmcpipe/spec/layout.h"

#include <array>

namespace mmcpipe::spec {

using layout::bits;

namespace {

/// The time values of TAAC and TRAN_SPEED, in tenths. Code 0 is reserved.
constexpr std::array<std::uint8_t, 16> tenths{0, 10, 12, 13, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80};
/// MMC has rates that are divisors of 26 and 52 MHz in two places.
constexpr std::array<std::uint8_t, 16> mmc_rate_tenths{0, 10, 12, 13, 15, 20, 26, 30, 35, 40, 45, 52, 55, 60, 70, 80};

base::Hertz transfer_rate(std::uint8_t tran_speed, const std::array<std::uint8_t, 16>& tenths_of) {
    constexpr std::array<std::uint32_t, 4> tenth_of_unit{10'000, 100'000, 1'000'000, 10'000'000};
    const unsigned unit = tran_speed & 7u;
    if (unit >= tenth_of_unit.size()) return {};
    return {tenth_of_unit[unit] * tenths_of[tran_speed >> 3 & 0xfu]};
}

/// What lies the same in MMC and SD. CSD_STRUCTURE comes first: in SD it decides where C_SIZE lies.
constexpr auto each_shared_field = [](auto& csd, const auto& visit) {
    visit(bits<127, 126>, csd.csd_structure);
    visit(bits<119, 112>, csd.taac);
    visit(bits<111, 104>, csd.nsac);
    visit(bits<103, 96>, csd.tran_speed);
    visit(bits<95, 84>, csd.ccc);
    visit(bits<83, 80>, csd.read_bl_len);
    visit(bits<79>, csd.read_bl_partial);
    visit(bits<78>, csd.write_blk_misalign);
    visit(bits<77>, csd.read_blk_misalign);
    visit(bits<76>, csd.dsr_imp);
    visit(bits<31>, csd.wp_grp_enable);
    visit(bits<28, 26>, csd.r2w_factor);
    visit(bits<25, 22>, csd.write_bl_len);
    visit(bits<21>, csd.write_bl_partial);
    visit(bits<15>, csd.file_format_grp);
    visit(bits<14>, csd.copy);
    visit(bits<13>, csd.perm_write_protect);
    visit(bits<12>, csd.tmp_write_protect);
    visit(bits<11, 10>, csd.file_format);
};

/// What MMC has between, and SD in structure 0.
constexpr auto each_size_and_current = [](auto& csd, const auto& visit) {
    visit(bits<73, 62>, csd.c_size);
    visit(bits<61, 59>, csd.vdd_r_curr_min);
    visit(bits<58, 56>, csd.vdd_r_curr_max);
    visit(bits<55, 53>, csd.vdd_w_curr_min);
    visit(bits<52, 50>, csd.vdd_w_curr_max);
    visit(bits<49, 47>, csd.c_size_mult);
};

} // namespace

base::Duration access_time(std::uint8_t taac) {
    constexpr std::array<std::uint32_t, 8> unit_ns{1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
    return {(unit_ns[taac & 7u] * tenths[taac >> 3 & 0xfu] + 9u) / 10u};
}

namespace mmc {

namespace {

constexpr auto each_field = [](auto& csd, const auto& visit) {
    each_shared_field(csd, visit);
    each_size_and_current(csd, visit);
    visit(bits<125, 122>, csd.spec_vers);
    visit(bits<46, 42>, csd.erase_grp_size);
    visit(bits<41, 37>, csd.erase_grp_mult);
    visit(bits<36, 32>, csd.wp_grp_size);
    visit(bits<30, 29>, csd.default_ecc);
    visit(bits<16>, csd.content_prot_app);
    visit(bits<9, 8>, csd.ecc);
};

} // namespace

base::Hertz Csd::fastest_clock() const { return transfer_rate(tran_speed, mmc_rate_tenths); }

Csd Csd::decode(const R2& words) { return layout::decoded<Csd>(words, each_field); }

R2 Csd::encode() const { return closed(layout::encoded<4>(*this, each_field)); }

} // namespace mmc

namespace sd {

namespace {

constexpr auto each_field = [](auto& csd, const auto& visit) {
    each_shared_field(csd, visit);
    switch (csd.csd_structure) {
    case 0: each_size_and_current(csd, visit); break;
    case 1: visit(bits<69, 48>, csd.c_size); break;
    default: visit(bits<75, 48>, csd.c_size); break;
    }
    visit(bits<46>, csd.erase_blk_en);
    visit(bits<45, 39>, csd.sector_size);
    visit(bits<38, 32>, csd.wp_grp_size);
};

} // namespace

base::Hertz Csd::fastest_clock() const { return transfer_rate(tran_speed, tenths); }

Csd Csd::decode(const R2& words) { return layout::decoded<Csd>(words, each_field); }

R2 Csd::encode() const { return closed(layout::encoded<4>(*this, each_field)); }

} // namespace sd

} // namespace mmcpipe::spec
