#include "mmcpipe/spec/sd_status.h"

#include "mmcpipe/spec/layout.h"

namespace mmcpipe::spec::sd {

namespace {

using layout::bits;

constexpr auto each_field = [](auto& status, const auto& visit) {
    visit(bits<511, 510>, status.dat_bus_width);
    visit(bits<509>, status.secured_mode);
    visit(bits<495, 480>, status.sd_card_type);
    visit(bits<479, 448>, status.size_of_protected_area);
    visit(bits<447, 440>, status.speed_class);
    visit(bits<439, 432>, status.performance_move);
    visit(bits<431, 428>, status.au_size);
    visit(bits<423, 408>, status.erase_size);
    visit(bits<407, 402>, status.erase_timeout);
    visit(bits<401, 400>, status.erase_offset);
    visit(bits<399, 396>, status.uhs_speed_grade);
    visit(bits<395, 392>, status.uhs_au_size);
    visit(bits<391, 384>, status.video_speed_class);
    visit(bits<377, 368>, status.vsc_au_size);
    visit(bits<367, 346>, status.sus_addr);
    visit(bits<339, 336>, status.app_perf_class);
    visit(bits<335, 328>, status.performance_enhance);
    visit(bits<313>, status.discard_support);
    visit(bits<312>, status.fule_support);
};

} // namespace

unsigned SdStatus::speed_class_mb_s() const {
    constexpr std::array<std::uint8_t, 5> classes{0, 2, 4, 6, 10};
    return speed_class < classes.size() ? classes[speed_class] : 0;
}

std::uint32_t SdStatus::au_sectors() const {
    // Powers of two from 16 KiB to 8 MiB, and then 12, 16, 24, 32 and 64 MiB.
    if (au_size == 0) return 0;
    if (au_size <= 10) return 32u << (au_size - 1);
    constexpr std::array<std::uint8_t, 5> mib{12, 16, 24, 32, 64};
    return au_size <= 15 ? mib[au_size - 11u] * 2048u : 0;
}

SdStatus SdStatus::decode(std::span<const std::byte, 64> bytes) {
    return layout::decoded<SdStatus>(layout::words_of(bytes), each_field);
}

std::array<std::byte, 64> SdStatus::encode() const { return layout::bytes_of(layout::encoded<16>(*this, each_field)); }

} // namespace mmcpipe::spec::sd
