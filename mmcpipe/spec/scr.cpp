#include "mmcpipe/spec/scr.h"

#include "mmcpipe/spec/layout.h"

namespace mmcpipe::spec::sd {

namespace {

using layout::bits;

constexpr auto each_field = [](auto& scr, const auto& visit) {
    visit(bits<63, 60>, scr.scr_structure);
    visit(bits<59, 56>, scr.sd_spec);
    visit(bits<55>, scr.data_stat_after_erase);
    visit(bits<54, 52>, scr.sd_security);
    visit(bits<51, 48>, scr.sd_bus_widths);
    visit(bits<47>, scr.sd_spec3);
    visit(bits<46, 43>, scr.ex_security);
    visit(bits<42>, scr.sd_spec4);
    visit(bits<41, 38>, scr.sd_specx);
    visit(bits<35, 32>, scr.cmd_support);
    visit(bits<31, 0>, scr.manufacturer);
};

} // namespace

SpecVersion Scr::version() const {
    // Each generation added a field because the ones before were used up; a later one counts only on top of all before.
    if (sd_spec == 0) return SpecVersion::v1_0;
    if (sd_spec == 1) return SpecVersion::v1_10;
    if (!sd_spec3) return SpecVersion::v2_00;
    if (sd_specx >= 5) return SpecVersion::v9_xx_or_later;
    if (sd_specx > 0) return static_cast<SpecVersion>(static_cast<unsigned>(SpecVersion::v4_xx) + sd_specx);
    return sd_spec4 ? SpecVersion::v4_xx : SpecVersion::v3_0x;
}

Scr Scr::decode(std::span<const std::byte, 8> bytes) {
    return layout::decoded<Scr>(layout::words_of(bytes), each_field);
}

std::array<std::byte, 8> Scr::encode() const { return layout::bytes_of(layout::encoded<2>(*this, each_field)); }

} // namespace mmcpipe::spec::sd
