#include "mmcpipe/spec/timeouts.h"

#include <algorithm>

namespace mmcpipe::spec {

namespace {

/// Length x count, no longer than `longest`.
base::Duration times(base::Duration length, std::uint32_t count) {
    const auto ns = static_cast<std::uint64_t>(length.ns);
    const std::uint64_t low = (ns & 0xffffffffu) * count;
    const std::uint64_t high = (ns >> 32) * count + (low >> 32);
    if (high >= static_cast<std::uint64_t>(longest.ns) >> 32) return longest;
    return {static_cast<std::int64_t>(high << 32 | (low & 0xffffffffu))};
}

/// TAAC + NSAC: how long a card typically looks for a block. The cycles are rounded up to microseconds.
template <class Csd>
base::Duration typical_access(const Csd& csd, base::Hertz clock) {
    const std::uint32_t khz = std::max(clock.value / 1'000u, 1u);
    const std::uint32_t cycles = csd.nsac * 100u;
    return access_time(csd.taac) + base::microseconds((cycles * 1'000u + khz - 1u) / khz);
}

/// `limit`, or `otherwise` where the registers give none.
base::Duration limit_or(base::Duration limit, base::Duration otherwise) { return limit.ns != 0 ? limit : otherwise; }

} // namespace

namespace mmc {

base::Duration read_timeout(const Csd& csd, base::Hertz clock) {
    return limit_or(typical_access(csd, clock) * 10, base::milliseconds(100));
}

base::Duration write_timeout(const Csd& csd, base::Hertz clock) {
    return times(read_timeout(csd, clock), 1u << csd.r2w_factor);
}

base::Duration erase_timeout(std::uint32_t groups, const Csd& csd, base::Hertz clock) {
    return times(write_timeout(csd, clock), std::max(groups, 1u));
}

base::Duration erase_timeout(Erase kind, std::uint32_t groups, const Csd& csd, const ExtCsd& ext_csd,
                             base::Hertz clock) {
    const bool plain = kind == Erase::erase;
    if (plain && !ext_csd.high_capacity_groups()) return erase_timeout(groups, csd, clock);

    const bool secure =
        kind == Erase::secure_erase || kind == Erase::secure_trim_step_1 || kind == Erase::secure_trim_step_2;
    const auto factor = [&ext_csd](ext_csd::Field field) { return std::max(ext_csd[field], 1u); };
    std::uint32_t units = factor(plain || secure ? ext_csd::erase_timeout_mult : ext_csd::trim_mult);
    if (secure) units *= factor(kind == Erase::secure_erase ? ext_csd::sec_erase_mult : ext_csd::sec_trim_mult);
    return times(base::milliseconds(300) * units, std::max(groups, 1u));
}

base::Duration switch_timeout(const ExtCsd& ext_csd) {
    return limit_or(base::milliseconds(10) * ext_csd[ext_csd::generic_cmd6_time], base::milliseconds(500));
}

base::Duration partition_switch_timeout(const ExtCsd& ext_csd) {
    return limit_or(base::milliseconds(10) * ext_csd[ext_csd::partition_switch_time], switch_timeout(ext_csd));
}

base::Duration sleep_awake_timeout(const ExtCsd& ext_csd) {
    constexpr std::uint32_t highest_code = 23;
    const std::uint32_t code = ext_csd[ext_csd::s_a_timeout];
    return base::nanoseconds(100) * (1 << (code == 0 || code > highest_code ? highest_code : code));
}

} // namespace mmc

namespace sd {

base::Duration read_timeout(const Csd& csd, base::Hertz clock) {
    constexpr base::Duration cap = base::milliseconds(100);
    if (csd.csd_structure != 0) return cap;
    return limit_or(std::min(typical_access(csd, clock) * 100, cap), cap);
}

base::Duration write_timeout(const Csd& csd, base::Hertz clock) {
    constexpr base::Duration cap = base::milliseconds(250);
    constexpr Capacity largest_sdhc{std::uint64_t{32} << 30};
    if (csd.csd_structure != 0) return csd.capacity() > largest_sdhc ? base::milliseconds(500) : cap;
    return limit_or(std::min(times(typical_access(csd, clock) * 100, 1u << csd.r2w_factor), cap), cap);
}

base::Duration erase_timeout(std::uint32_t sectors, const SdStatus& status) {
    const std::uint32_t au = status.au_sectors();
    if (status.erase_size == 0 || status.erase_timeout == 0 || au == 0) {
        return times(base::milliseconds(250), std::max(sectors, 1u));
    }
    // A range that begins and ends inside of a unit touches up to two more than it is long.
    const std::uint32_t units = sectors / au + 2;
    const std::uint32_t unit_ms = (status.erase_timeout * 1'000u + status.erase_size - 1u) / status.erase_size;
    const base::Duration whole = times(base::milliseconds(unit_ms), units) + base::seconds(status.erase_offset);
    return std::max(whole, base::seconds(1));
}

} // namespace sd

} // namespace mmcpipe::spec
