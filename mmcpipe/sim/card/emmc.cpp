#include "mmcpipe/sim/card/emmc.h"

#include <algorithm>
#include <utility>

namespace mmcpipe::sim::card {

namespace {

using spec::Response;
using spec::State;
using spec::mmc::ExtCsd;
using spec::mmc::Switch;
namespace fields = spec::mmc::ext_csd;
namespace r1_bits = spec::r1;

constexpr std::uint32_t sector_mode = spec::mmc::ocr::AccessMode::of(spec::mmc::ocr::sector_mode);

std::byte erased_content(const EmmcProfile& profile) {
    return ExtCsd(profile.ext_csd)[fields::erased_mem_cont] != 0 ? std::byte{0xff} : std::byte{0};
}

} // namespace

Core::Geometry Emmc::geometry_of(const EmmcProfile& profile, const spec::mmc::Csd& csd) {
    const ExtCsd ext_csd(profile.ext_csd);
    const spec::Capacity capacity = spec::mmc::capacity(csd, &ext_csd).value_or(csd.capacity_by_csd());
    // A card above 2 GB counts in sectors (JESD84-A441 7.4.3).
    const bool sectors = csd.has_ext_csd() && csd.refers_to_ext_csd() && ext_csd.sec_count() != 0;
    return {.capacity = capacity.bytes,
            .addressing = sectors ? spec::Addressing::sector : spec::Addressing::byte,
            .ccc = csd.ccc,
            .default_block = sectors ? 512 : 1u << csd.read_bl_len,
            .read_block = sectors ? 512 : 1u << csd.read_bl_len,
            .write_block = sectors ? 512 : 1u << csd.write_bl_len,
            .read_partial = csd.read_bl_partial,
            .write_partial = csd.write_bl_partial,
            .read_misalign = csd.read_blk_misalign,
            .write_misalign = csd.write_blk_misalign};
}

Emmc::Emmc(const EmmcProfile& profile) : Emmc(profile, spec::mmc::Csd::decode(profile.csd)) {}

Emmc::Emmc(const EmmcProfile& profile, const spec::mmc::Csd& csd)
    : Core(spec::Family::mmc, geometry_of(profile, csd), profile.cid, profile.csd, erased_content(profile),
           profile.timing),
      fields_(csd),
      ocr_(profile.ocr & ~(sector_mode | spec::ocr::PoweredUp::mask)),
      ext_csd_(profile.ext_csd) {
    implement({1, 3, 23, 35, 36});
    if (csd.has_ext_csd()) implement({5, 6, 8});
    reset(Reset::power);
}

std::uint32_t Emmc::byte(fields::Field field) const { return ExtCsd(ext_csd_)[field]; }

std::optional<wire::Answer> Emmc::execute(std::uint8_t index, bool, std::uint32_t argument, Time now) {
    switch (index) {
    case 1: return send_op_cond(argument, now);
    case 3: {
        const wire::Answer answer = r1();
        rca_ = spec::Rca::in(argument);
        go(State::stby);
        return answer;
    }
    case 5: return sleep_awake(argument, now);
    case 6: return switch_mode(argument, now);
    case 8: return send_ext_csd(now);
    case 23: return set_block_count(spec::BlockCount::in(argument));
    case 35: return set_erase_begin(argument);
    case 36: return set_erase_end(argument);
    default: return {};
    }
}

/// The packed flag means nothing to a card that has no packed commands.
wire::Answer Emmc::set_block_count(const spec::BlockCount& count) {
    const ExtCsd ext_csd(ext_csd_);
    block_count_ = count.blocks;
    packed_ = count.packed && (ext_csd.max_packed_writes() != 0 || ext_csd.max_packed_reads() != 0);
    return r1();
}

/// JESD84-A441 7.4.2 and 7.4.3. A host that cannot count in sectors has no use for a card that does.
std::optional<wire::Answer> Emmc::send_op_cond(std::uint32_t argument, Time now) {
    const bool sectors = geometry_.addressing == spec::Addressing::sector;
    const bool only_asks = (argument & (spec::ocr::v2_7_to_3_6 | spec::ocr::DualVoltage::mask)) == 0;
    if (sectors && !only_asks && spec::mmc::ocr::addressing(argument) != spec::Addressing::sector) {
        go(State::ina);
        return {};
    }
    return operation_conditions(argument, ocr_, sectors ? sector_mode : 0, true, now);
}

/// JESD84-A441 7.6.1.
wire::Answer Emmc::switch_mode(std::uint32_t argument, Time now) {
    const wire::Answer answer = r1(Response::r1b);
    if (write_mode(Switch::in(argument))) {
        take_effect();
    } else {
        set_error(r1_bits::SwitchError::mask);
    }
    program_until(now + flash_.timing().switch_time);
    return answer;
}

/// CMD8. What can only be written reads as 0.
wire::Answer Emmc::send_ext_csd(Time now) {
    std::array<std::byte, spec::mmc::ext_csd_size> content = ext_csd_;
    for (const fields::Field& field : fields::fields) {
        if (field.access == fields::Access::write_only) spec::mmc::put(content, field, 0);
    }
    return send_register(content, now);
}

bool Emmc::write_mode(const Switch& what) {
    if (what.access == Switch::Access::command_set) return what.command_set == 0;
    const fields::Field* const field = fields::field_of(what.index);
    if (field == nullptr || !fields::writable(what.index)) return false;
    const auto old = std::to_integer<std::uint8_t>(ext_csd_[what.index]);
    const auto value = static_cast<std::uint8_t>(what.access == Switch::Access::set_bits     ? old | what.value
                                                 : what.access == Switch::Access::clear_bits ? old & ~what.value
                                                                                             : what.value);
    if (!allowed(what.index, value)) return false;
    if (field->access == fields::Access::once || field->access == fields::Access::until_power_off) {
        if (written_[what.index] || (field->access == fields::Access::once && old != 0)) return value == old;
        written_[what.index] = true;
    }
    ext_csd_[what.index] = std::byte{value};
    return true;
}

/// Values that this card has no use for.
bool Emmc::allowed(std::uint8_t index, std::uint8_t value) const {
    if (index == fields::bus_width.index) {
        const auto width = fields::BusWidth{value};
        if (width == fields::BusWidth::ddr_x4 || width == fields::BusWidth::ddr_x8) {
            return byte(fields::hs_timing) == static_cast<std::uint32_t>(fields::Timing::high_speed) &&
                   fields::Ddr52At1V8Or3V::get(byte(fields::device_type));
        }
        return width <= fields::BusWidth::x8;
    }
    if (index == fields::hs_timing.index) {
        const bool high_speed =
            (byte(fields::device_type) & (fields::HighSpeed26::mask | fields::HighSpeed52::mask)) != 0;
        return value == static_cast<std::uint8_t>(fields::Timing::backwards_compatible) ||
               (value == static_cast<std::uint8_t>(fields::Timing::high_speed) && high_speed);
    }
    if (index == fields::erase_group_def.index) return value <= 1;
    if (index == fields::partition_config.index) return fields::PartitionAccess::get(value) == 0;
    if (index == fields::exception_events_ctrl.index) {
        constexpr std::uint32_t events =
            fields::DyncapEvent::mask | fields::SyspoolEvent::mask | fields::PackedEvent::mask;
        return byte(fields::ext_csd_rev) >= fields::revision_4_5 && (value & ~events) == 0;
    }
    const bool not_modelled = index == fields::exception_events_ctrl.index + 1 || index == fields::class_6_ctrl.index ||
                              index == fields::use_native_sector.index ||
                              fields::field_of(index)->index == fields::ext_partitions_attribute.index;
    return !not_modelled;
}

/// What EXT_CSD says about the bus. BUS_WIDTH cannot be read back, nor can what was started by writing to it.
void Emmc::take_effect() {
    using Width = fields::BusWidth;
    const auto width = Width{static_cast<std::uint8_t>(byte(fields::bus_width))};
    width_ = width == Width::x8 || width == Width::ddr_x8 ? 8 : width == Width::x4 || width == Width::ddr_x4 ? 4 : 1;
    both_edges_ = width == Width::ddr_x4 || width == Width::ddr_x8;
    const bool high_speed = std::to_integer<unsigned>(ext_csd_[fields::hs_timing.index]) == 1;
    const bool to_52 = fields::HighSpeed52::get(byte(fields::device_type));
    fastest_ = period_of(!high_speed ? fields_.fastest_clock() : base::megahertz(to_52 ? 52 : 26));
}

void Emmc::reset(Reset kind) {
    for (const fields::Field& field : fields::fields) {
        const bool ends = field.access == fields::Access::until_reset || field.access == fields::Access::write_only ||
                          (field.access == fields::Access::until_power_off && kind != Reset::command);
        if (!ends) continue;
        for (std::size_t i = field.index; i < std::size_t{field.index} + field.size; ++i) {
            ext_csd_[i] = {};
            if (i < written_.size()) written_[i] = false;
        }
    }
    pack_ = {};
    forget_outcome();
    take_effect();
}

bool Emmc::reset_pin_enabled() const {
    return fields_.has_ext_csd() &&
           (byte(fields::rst_n_function) & 3u) == static_cast<std::uint32_t>(fields::ResetPin::enabled);
}

/// CMD38. Erase takes whole groups, trim takes blocks (JESD84-A441 7.6.8 and 7.6.9). The secure kinds are the same
/// here: the first step of a secure trim erases what it should only mark.
std::optional<Time> Emmc::erase(std::uint32_t argument, const Range& range) {
    const ExtCsd ext_csd(ext_csd_);
    const std::uint32_t features = fields_.has_ext_csd() ? byte(fields::sec_feature_support) : 0;
    const auto kind = spec::Erase{argument};
    const bool secure = kind == spec::Erase::secure_erase || kind == spec::Erase::secure_trim_step_1 ||
                        kind == spec::Erase::secure_trim_step_2;
    const bool trims = kind == spec::Erase::trim || (secure && kind != spec::Erase::secure_erase);
    if (!secure && !trims && kind != spec::Erase::erase) return {};
    if (secure && !fields::SecureErase::get(features)) return {};
    if (trims && !fields::Trim::get(features)) return {};

    const std::uint32_t sectors = spec::mmc::erase_group_sectors(fields_, fields_.has_ext_csd() ? &ext_csd : nullptr);
    const std::uint64_t group = std::max<std::uint64_t>(1, sectors) * 512;
    const std::uint64_t first = range.begin / group;
    const std::uint64_t groups = (range.end - 1) / group - first + 1;
    const FlashTiming& timing = flash_.timing();
    if (trims) {
        flash_.erase(range.begin, range.end - range.begin);
        return timing.trim_time * static_cast<std::int64_t>(groups);
    }
    flash_.erase(first * group, std::min(groups * group, capacity() - first * group));
    return timing.erase_group_time * static_cast<std::int64_t>(groups);
}

/// CMD5 (JESD84-A441 7.6.15). The argument says whether the card is to sleep.
wire::Answer Emmc::sleep_awake(std::uint32_t argument, Time now) {
    const wire::Answer answer = r1(Response::r1b);
    go((argument >> 15 & 1u) != 0 ? State::slp : State::stby);
    set_busy(now + flash_.timing().switch_time);
    return answer;
}

} // namespace mmcpipe::sim::card
