#include "mmcpipe/sim/card/sd_card.h"

#include <algorithm>

namespace mmcpipe::sim::card {

namespace {

using spec::Response;
using spec::State;
namespace r1_bits = spec::r1;

constexpr base::Hertz high_speed_clock = base::megahertz(50);
constexpr std::size_t switch_status_size = 64;

} // namespace

Core::Geometry SdCard::geometry_of(const spec::sd::Csd& csd) {
    const bool sectors = csd.csd_structure != 0;
    return {.capacity = csd.capacity().bytes,
            .addressing = sectors ? spec::Addressing::sector : spec::Addressing::byte,
            .ccc = csd.ccc,
            .default_block = 512, // whatever READ_BL_LEN says (4.3.2, CMD16)
            .read_block = sectors ? 512 : 1u << csd.read_bl_len,
            .write_block = sectors ? 512 : 1u << csd.write_bl_len,
            .read_partial = csd.read_bl_partial,
            .write_partial = csd.write_bl_partial,
            .read_misalign = csd.read_blk_misalign,
            .write_misalign = csd.write_blk_misalign};
}

SdCard::SdCard(const SdProfile& profile)
    : SdCard(profile, spec::sd::Csd::decode(profile.csd), spec::sd::Scr::decode(profile.scr)) {}

SdCard::SdCard(const SdProfile& profile, const spec::sd::Csd& csd, const spec::sd::Scr& scr)
    : Core(spec::Family::sd, geometry_of(csd), profile.cid, profile.csd,
           scr.data_stat_after_erase ? std::byte{0xff} : std::byte{0}, profile.timing),
      fields_(csd),
      scr_(scr),
      raw_scr_(profile.scr),
      sd_status_(profile.sd_status),
      ocr_(profile.ocr & ~(spec::sd::ocr::HighCapacity::mask | spec::ocr::PoweredUp::mask)) {
    implement({3, 32, 33});
    if (scr.sd_spec >= 1) implement({6});
    if (scr.sd_spec >= 2) implement({8});
    if (scr.set_block_count()) implement({23});
    implement({6, 13, 22, 23, 41, 42, 51}, true);
    reset(Reset::power);
}

void SdCard::reset(Reset) {
    knows_host_ = false;
    high_speed_ = false;
    fastest_ = period_of(fields_.fastest_clock());
    sd_status_[0] &= std::byte{0x3f};
}

std::optional<wire::Answer> SdCard::execute(std::uint8_t index, bool application, std::uint32_t argument, Time now) {
    if (application) return execute_application(index, argument, now);
    switch (index) {
    case 3: return send_relative_addr();
    case 6: return switch_func(argument, now);
    case 8: return send_if_cond(argument);
    case 23: block_count_ = argument; return r1();
    case 32: return set_erase_begin(argument);
    case 33: return set_erase_end(argument);
    default: return {};
    }
}

std::optional<wire::Answer> SdCard::execute_application(std::uint8_t index, std::uint32_t argument, Time now) {
    switch (index) {
    case 6: return set_bus_width(argument);
    case 13: return send_register(sd_status_, now);
    case 22: {
        std::array<std::byte, 4> count;
        for (std::size_t i = 0; i < count.size(); ++i)
            count[i] = static_cast<std::byte>(well_written_ >> (24 - 8 * i) & 0xffu);
        return send_register(count, now);
    }
    case 41: {
        const bool high_capacity = geometry_.addressing == spec::Addressing::sector;
        const bool may_end = !high_capacity || (knows_host_ && spec::sd::ocr::HighCapacity::get(argument));
        return operation_conditions(argument, ocr_, high_capacity ? spec::sd::ocr::HighCapacity::mask : 0, may_end,
                                    now);
    }
    case 51: return send_register(raw_scr_, now);
    case 23: // blocks that may be erased ahead: nothing is gained by it here
    case 42: // pull-up on DAT3
    default: return r1();
    }
}

/// CMD8 (4.3.13). No answer: the card cannot work at the voltage.
std::optional<wire::Answer> SdCard::send_if_cond(std::uint32_t argument) {
    const auto condition = spec::sd::InterfaceCondition::in(argument);
    if (condition.voltage != spec::sd::InterfaceCondition::v2_7_to_3_6) return {};
    knows_host_ = true;
    return wire::Answer{Response::r7, {condition.argument(), 0, 0, 0}, n_cr};
}

wire::Answer SdCard::send_relative_addr() {
    rca_ = {next_rca_};
    next_rca_ =
        static_cast<std::uint16_t>(next_rca_ + 0x1003) == 0 ? 1 : static_cast<std::uint16_t>(next_rca_ + 0x1003);
    const wire::Answer answer{Response::r6, {spec::sd::R6{rca_, tell_status()}.word(), 0, 0, 0}, n_cr};
    go(State::stby);
    return answer;
}

/// CMD6 (4.3.10): the functions of the six groups, High Speed in the first of them. Bits are numbered from the end of
/// the block.
wire::Answer SdCard::switch_func(std::uint32_t argument, Time now) {
    const auto wanted = spec::sd::Functions::in(argument);
    const std::uint8_t groups[4] = {wanted.access_mode, wanted.command_system, wanted.driver_strength,
                                    wanted.power_limit};
    std::array<std::byte, switch_status_size> status{};
    status[1] = std::byte{100}; // bits 511:496: most current, mA
    for (std::size_t group = 0; group < 6; ++group) {
        // bits 415:400 for group 1 and up: the functions that there are
        status[12 - 2 * group] = std::byte{0x80};
        status[13 - 2 * group] = group == 0 ? std::byte{0x03} : std::byte{0x01};
    }
    bool all_there = true;
    std::uint8_t results[6] = {high_speed_ ? std::uint8_t{1} : std::uint8_t{0}, 0, 0, 0, 0, 0};
    for (std::size_t group = 0; group < 4; ++group) {
        if (groups[group] == spec::sd::Functions::keep) continue;
        const bool there = groups[group] <= (group == 0 ? 1 : 0);
        results[group] = there ? groups[group] : std::uint8_t{0xf};
        all_there = all_there && there;
    }
    // bits 399:376: what each group is, or would be, set to
    for (std::size_t pair = 0; pair < 3; ++pair) {
        status[16 - pair] = static_cast<std::byte>(results[2 * pair + 1] << 4 | results[2 * pair]);
    }
    if (!all_there) status[1] = std::byte{0}; // the card would not do it
    if (wanted.set && all_there) {
        high_speed_ = results[0] == 1;
        fastest_ = period_of(high_speed_ ? high_speed_clock : fields_.fastest_clock());
    }
    return send_register(status, now);
}

wire::Answer SdCard::set_bus_width(std::uint32_t argument) {
    const std::uint32_t code = argument & 3u;
    if (code == static_cast<std::uint32_t>(spec::sd::BusWidth::x1)) {
        width_ = 1;
    } else if (code == static_cast<std::uint32_t>(spec::sd::BusWidth::x4) && scr_.four_lines()) {
        width_ = 4;
    } else {
        set_error(r1_bits::AddressOutOfRange::mask);
        return r1();
    }
    sd_status_[0] = (sd_status_[0] & std::byte{0x3f}) | static_cast<std::byte>(code << 6);
    return r1();
}

/// CMD38: single blocks (4.3.5). What it costs depends on how many of the card's own groups it touches.
std::optional<Time> SdCard::erase(std::uint32_t, const Range& range) {
    const std::uint64_t group = std::uint64_t{fields_.sector_size + 1u} << fields_.write_bl_len;
    const std::uint64_t groups = (range.end - 1) / group - range.begin / group + 1;
    flash_.erase(range.begin, range.end - range.begin);
    return flash_.timing().erase_group_time * static_cast<std::int64_t>(groups);
}

} // namespace mmcpipe::sim::card
