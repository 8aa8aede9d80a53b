#include "mmcpipe/card/mmc.h"

#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/packed.h"
#include "mmcpipe/spec/timeouts.h"

#include <algorithm>
#include <array>

namespace mmcpipe::card::mmc {

namespace ext_csd = spec::mmc::ext_csd;
using base::Code;
using base::Result;
using base::Task;

namespace {

constexpr base::Hertz clock_before_4_0 = base::megahertz(20);
constexpr base::Hertz fastest_legacy_clock = base::megahertz(26);

/// What stays the same for a card's life, and is spread over the register: a damaged or shifted copy differs in it.
constexpr std::array fixed_fields{
    ext_csd::partitioning_support, ext_csd::rpmb_size_mult, ext_csd::ext_csd_rev,    ext_csd::csd_structure,
    ext_csd::device_type,          ext_csd::sec_count,      ext_csd::hc_wp_grp_size, ext_csd::hc_erase_grp_size,
    ext_csd::erase_timeout_mult,   ext_csd::boot_size_mult, ext_csd::s_cmd_set};

/// BUS_WIDTH says on how many edges data goes, too.
ext_csd::BusWidth width_code(BusMode mode) {
    const bool both_edges = mode.timing == host::Timing::ddr52;
    switch (mode.width) {
    case host::BusWidth::x8: return both_edges ? ext_csd::BusWidth::ddr_x8 : ext_csd::BusWidth::x8;
    case host::BusWidth::x4: return both_edges ? ext_csd::BusWidth::ddr_x4 : ext_csd::BusWidth::x4;
    case host::BusWidth::x1: break;
    }
    return ext_csd::BusWidth::x1;
}

/// HS_TIMING: dual data rate is a kind of high speed.
ext_csd::Timing code_of(host::Timing timing) {
    return timing == host::Timing::legacy ? ext_csd::Timing::backwards_compatible : ext_csd::Timing::high_speed;
}

/// The clock for a timing, and what follows from it.
void set_clock_and_times(host::Timing timing, Properties& card, const Registers& registers) {
    const spec::mmc::Csd csd = spec::mmc::Csd::decode(card.csd);
    card.clock = csd.fastest_clock().value != 0 ? csd.fastest_clock() : clock_before_4_0;
    card.clock = std::min(card.clock, fastest_legacy_clock);
    if (registers.has_ext_csd) {
        const spec::mmc::ExtCsd ext(registers.ext_csd);
        card.times.mode_switch = spec::mmc::switch_timeout(ext);
        if (timing != host::Timing::legacy) {
            card.clock = base::megahertz(ext_csd::HighSpeed52::get(ext[ext_csd::device_type]) ? 52 : 26);
        }
    }
    card.times.read = std::max(spec::mmc::read_timeout(csd, card.clock), shortest_read_limit);
    card.times.write = std::max(spec::mmc::write_timeout(csd, card.clock), shortest_write_limit);
}

/// The host follows the card.
Task<Result<void>> set_host(Link& link, const Properties& card) {
    host::Settings settings = link.settings();
    settings.timing = card.mode.timing;
    settings.width = card.mode.width;
    settings.clock = card.clock;
    co_await link.apply(settings);
    co_return {};
}

/// CMD6 HS_TIMING. A higher clock comes after the card's consent, a lower one before, so that the card hears of it.
Task<Result<void>> switch_timing(Link& link, host::Timing timing, Properties& card, const Registers& registers) {
    const std::uint8_t code = static_cast<std::uint8_t>(code_of(timing));
    card.mode.timing = timing;
    set_clock_and_times(timing, card, registers);
    if (timing == host::Timing::legacy) co_await set_host(link, card);
    co_await write_ext_csd(link, ext_csd::hs_timing, code, card.times.mode_switch);
    co_await set_host(link, card);
    co_return {};
}

/// CMD6 BUS_WIDTH: lines, and edges.
Task<Result<void>> switch_width(Link& link, BusMode mode, Properties& card) {
    const std::uint8_t code = static_cast<std::uint8_t>(width_code(mode));
    card.mode = mode;
    co_await write_ext_csd(link, ext_csd::bus_width, code, card.times.mode_switch);
    co_await set_host(link, card);
    co_return {};
}

/// Reads EXT_CSD again: what is fixed must not have changed, and the card must be in the timing that was asked for.
Task<Result<void>> verify(Link& link, const Properties& card, Registers& registers) {
    co_await link.read(spec::mmc::send_ext_csd(), registers.scratch, card.times.read);
    const spec::mmc::ExtCsd before(registers.ext_csd);
    const spec::mmc::ExtCsd now(registers.scratch);
    for (const ext_csd::Field& field : fixed_fields) {
        if (now[field] != before[field]) co_return base::fail(Code::bad_register, field.index);
    }
    const std::uint32_t timing = static_cast<std::uint32_t>(code_of(card.mode.timing));
    if ((now[ext_csd::hs_timing] & 0xfu) != timing) co_return base::fail(Code::bad_register, ext_csd::hs_timing.index);
    registers.ext_csd = registers.scratch;
    co_return {};
}

/// EXT_CSD, as far as the card has one. A card whose size is in it is of no use without it.
Task<Result<void>> read_ext_csd(Link& link, const spec::mmc::Csd& csd, Properties& card, Registers& registers) {
    registers.has_ext_csd = false;
    Result<void> read = base::fail(Code::not_supported);
    if (csd.has_ext_csd())
        read = co_await outcome(link.read(spec::mmc::send_ext_csd(), registers.ext_csd, card.times.read));
    const spec::mmc::ExtCsd ext(registers.ext_csd);
    registers.has_ext_csd = read.has_value();
    if (!read && (csd.refers_to_ext_csd() || card.addressing == spec::Addressing::sector)) co_return read;

    card.capacity = co_await spec::mmc::capacity(csd, registers.has_ext_csd ? &ext : nullptr);
    const bool size_missing = read && ext.sec_count() == 0;
    if (size_missing && card.addressing == spec::Addressing::sector) {
        co_return base::fail(Code::bad_register, ext_csd::sec_count.index);
    }
    co_return {};
}

/// ERASE_GROUP_DEF, so that groups and their time-outs are those of EXT_CSD. A card that refuses keeps those of its
/// CSD.
Task<Result<void>> choose_erase_groups(Link& link, const spec::mmc::Csd& csd, Properties& card, Registers& registers) {
    const spec::mmc::ExtCsd ext(registers.ext_csd);
    const bool offered = registers.has_ext_csd && ext.hc_erase_group_sectors() != 0;
    if (offered) {
        const Result<void> set =
            co_await outcome(write_ext_csd(link, ext_csd::erase_group_def, 1, card.times.mode_switch));
        spec::mmc::put(registers.ext_csd, ext_csd::erase_group_def, set ? 1 : 0);
    }
    card.erase_unit = std::max(spec::mmc::erase_group_sectors(csd, registers.has_ext_csd ? &ext : nullptr), 1u);
    co_return {};
}

/// EXCEPTION_EVENTS_CTRL, so that a packed command that failed shows in R1: without that nothing is packed.
Task<Result<void>> allow_packing(Link& link, Properties& card, const Registers& registers) {
    if (!registers.has_ext_csd) co_return {};
    const spec::mmc::ExtCsd ext(registers.ext_csd);
    if (ext.max_packed_writes() == 0 && ext.max_packed_reads() == 0) co_return {};
    const Result<void> set = co_await outcome(
        write_ext_csd(link, ext_csd::exception_events_ctrl, ext_csd::PackedEvent::mask, card.times.mode_switch));
    if (!set) co_return {};
    card.max_packed_writes = ext.max_packed_writes();
    card.max_packed_reads = ext.max_packed_reads();
    card.packed_header_blocks = ext.large_sectors() ? spec::mmc::large_packed_header_size / 512 : 1;
    co_return {};
}

void lower_to_card(Ceilings& ceilings, const Registers& registers) {
    const spec::mmc::ExtCsd ext(registers.ext_csd);
    const std::uint32_t type = registers.has_ext_csd ? ext[ext_csd::device_type] : 0;
    if (!ext_csd::HighSpeed26::get(type) && !ext_csd::HighSpeed52::get(type))
        ceilings.timing.lower(host::Timing::legacy, Limit::card);
    if (!ext_csd::Ddr52At1V8Or3V::get(type)) ceilings.timing.lower(host::Timing::high_speed, Limit::card);
    if (!registers.has_ext_csd) ceilings.width.lower(host::BusWidth::x1, Limit::card);
}

/// Data on both edges, if host and card have it, once the bus is as wide as it goes. One line is not enough for it.
Task<Result<void>> double_rate(Link& link, Ceilings ceilings, Properties& card, Registers& registers) {
    const BusMode single = card.mode;
    if (single.timing != host::Timing::high_speed || ceilings.timing.value != host::Timing::ddr52) co_return {};
    if (single.width == host::BusWidth::x1) {
        card.timing_limit = card.width_limit;
        co_return {};
    }
    const BusMode twice{host::Timing::ddr52, single.width};
    const Result<void> reached = co_await outcome(set_mode(link, twice, card, registers));
    if (reached) co_return {};
    card.timing_limit = limit_of(reached.error());
    co_await set_mode(link, single, card, registers);
    co_return {};
}

/// First the timing, then the width, each as high as it goes; then both edges.
Task<Result<void>> raise_bus(Link& link, Ceilings ceilings, Properties& card, Registers& registers) {
    lower_to_card(ceilings, registers);
    const bool raised = ceilings.timing.value != host::Timing::legacy;
    if (raised) {
        const BusMode fast{host::Timing::high_speed, host::BusWidth::x1};
        const Result<void> reached = co_await outcome(set_mode(link, fast, card, registers));
        if (!reached) ceilings.timing.lower(host::Timing::legacy, limit_of(reached.error()));
    }
    for (;;) {
        const BusMode wanted{std::min(ceilings.timing.value, host::Timing::high_speed), ceilings.width.value};
        const Result<void> reached = co_await outcome(set_mode(link, wanted, card, registers));
        card.timing_limit = ceilings.timing.by;
        card.width_limit = ceilings.width.by;
        if (reached) break;
        if (wanted.width == host::BusWidth::x1) co_return reached;
        ceilings.width.lower(narrower(wanted.width), limit_of(reached.error()));
    }
    co_await double_rate(link, ceilings, card, registers);
    co_return {};
}

} // namespace

Task<Result<void>> write_ext_csd(Link& link, ext_csd::Field field, std::uint8_t value, base::Duration timeout) {
    const spec::mmc::Switch what{spec::mmc::Switch::Access::write_byte, static_cast<std::uint8_t>(field.index), value,
                                 0};
    co_await link.command(spec::mmc::switch_mode(what), timeout);
    co_return {};
}

Task<Result<void>> set_mode(Link& link, BusMode mode, Properties& card, Registers& registers) {
    // HS_TIMING first, for both edges need it; it keeps the edges as they are only while it stays.
    const host::Timing by_rate = std::min(mode.timing, host::Timing::high_speed);
    const BusMode single{host::Timing::high_speed, mode.width};
    if (card.mode.timing == host::Timing::ddr52 && mode != card.mode) co_await switch_width(link, single, card);
    if (mode.timing != card.mode.timing && by_rate != card.mode.timing)
        co_await switch_timing(link, by_rate, card, registers);
    if (mode != card.mode) co_await switch_width(link, mode, card);
    if (registers.has_ext_csd) co_await verify(link, card, registers);
    co_return {};
}

Task<Result<void>> set_up(Link& link, Ceilings ceilings, Properties& card, Registers& registers) {
    // Read CSD: only in stby, before the card is selected.
    card.csd = co_await link.long_command(spec::send_csd(card.peer.rca));
    const spec::mmc::Csd csd = spec::mmc::Csd::decode(card.csd);
    card.ccc = csd.ccc;
    card.read_lengths = {1u << csd.read_bl_len, csd.read_bl_partial};
    card.write_lengths = {1u << csd.write_bl_len, csd.write_bl_partial};
    card.set_block_count = csd.spec_vers >= 3; // CMD23 came with 3.1

    // Select the card.
    const Link::Status selected = co_await link.command(spec::select_card(card.peer.rca), card.times.mode_switch);
    card.locked = spec::r1::CardIsLocked::get(selected);

    // Leave the identification clock.
    set_clock_and_times(host::Timing::legacy, card, registers);
    co_await set_host(link, card);

    // Read EXT_CSD; a locked card gives it too.
    co_await read_ext_csd(link, csd, card, registers);
    set_clock_and_times(host::Timing::legacy, card, registers);

    // Blocks of 512 bytes, whatever READ_BL_LEN says.
    if (card.addressing == spec::Addressing::byte) co_await link.command(spec::set_blocklen(512));

    co_await choose_erase_groups(link, csd, card, registers);
    co_await allow_packing(link, card, registers);
    co_await raise_bus(link, ceilings, card, registers);
    co_return {};
}

} // namespace mmcpipe::card::mmc
