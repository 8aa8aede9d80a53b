#include "mmcpipe/card/sd.h"

#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/timeouts.h"

#include <algorithm>
#include <span>

namespace mmcpipe::card::sd {

using base::Code;
using base::Result;
using base::Task;

namespace {

constexpr base::Hertz default_speed = base::megahertz(25);

void set_clock_and_times(Properties& card) {
    const spec::sd::Csd csd = spec::sd::Csd::decode(card.csd);
    card.clock = csd.fastest_clock().value != 0 ? std::min(csd.fastest_clock(), default_speed) : default_speed;
    card.times.read = std::max(spec::sd::read_timeout(csd, card.clock), shortest_read_limit);
    card.times.write = std::max(spec::sd::write_timeout(csd, card.clock), spec::sd::advised_write_timeout);
}

Task<Result<void>> set_host(Link& link, const Properties& card) {
    host::Settings settings = link.settings();
    settings.width = card.mode.width;
    settings.clock = card.clock;
    co_await link.apply(settings);
    co_return {};
}

Task<Result<spec::sd::Scr>> read_scr(Link& link, const Properties& card, Registers& registers) {
    const std::span<std::byte, 8> bytes = std::span(registers.scratch).first<8>();
    co_await link.app_read(spec::sd::send_scr(), bytes, card.times.read);
    co_return spec::sd::Scr::decode(bytes);
}

/// SD Status is of use, but not needed: cards are known that do not give it.
Task<Result<void>> read_sd_status(Link& link, Properties& card, Registers& registers) {
    const std::span<std::byte, 64> bytes = std::span(registers.scratch).first<64>();
    const Result<void> read = co_await outcome(link.app_read(spec::sd::send_sd_status(), bytes, card.times.read));
    if (read) card.sd_status = spec::sd::SdStatus::decode(bytes);
    co_return {};
}

Task<Result<void>> raise_bus(Link& link, Ceilings ceilings, Properties& card, Registers& registers) {
    ceilings.timing.lower(host::Timing::legacy, Limit::not_offered);
    ceilings.width.lower(card.scr->four_lines() ? host::BusWidth::x4 : host::BusWidth::x1, Limit::card);
    for (;;) {
        const host::BusWidth wanted = ceilings.width.value;
        Result<void> reached{};
        if (wanted != card.mode.width) reached = co_await outcome(set_width(link, wanted, card, registers));
        card.timing_limit = ceilings.timing.by;
        card.width_limit = ceilings.width.by;
        if (reached || wanted == host::BusWidth::x1) co_return reached;
        ceilings.width.lower(narrower(wanted), limit_of(reached.error()));
    }
}

} // namespace

Task<Result<void>> set_width(Link& link, host::BusWidth width, Properties& card, Registers& registers) {
    const spec::sd::BusWidth code = width == host::BusWidth::x1 ? spec::sd::BusWidth::x1 : spec::sd::BusWidth::x4;
    card.mode.width = width;
    co_await link.app_command(spec::sd::set_bus_width(code));
    co_await set_host(link, card);
    const spec::sd::Scr scr = co_await read_scr(link, card, registers);
    if (scr != card.scr) co_return base::fail(Code::bad_register);
    co_return {};
}

Task<Result<void>> set_up(Link& link, Ceilings ceilings, Properties& card, Registers& registers) {
    // Read CSD: only in stby, before the card is selected.
    card.csd = co_await link.long_command(spec::send_csd(card.peer.rca));
    const spec::sd::Csd csd = spec::sd::Csd::decode(card.csd);
    card.capacity = csd.capacity();
    card.ccc = csd.ccc;
    card.read_lengths = {1u << csd.read_bl_len, csd.read_bl_partial};
    card.write_lengths = {1u << csd.write_bl_len, csd.write_bl_partial};
    card.erase_unit = std::max(csd.erase_sectors(), 1u);

    // Select the card.
    const Link::Status selected = co_await link.command(spec::select_card(card.peer.rca), card.times.mode_switch);
    card.locked = spec::r1::CardIsLocked::get(selected);

    // Leave the identification clock.
    set_clock_and_times(card);
    co_await set_host(link, card);

    // Until it is unlocked the card refuses what follows.
    if (card.locked) {
        card.timing_limit = card.width_limit = Limit::locked;
        co_return {};
    }

    // Blocks of 512 bytes, whatever READ_BL_LEN says.
    if (card.addressing == spec::Addressing::byte) co_await link.command(spec::set_blocklen(512));

    // Read SCR: bus widths, CMD23.
    card.scr = co_await read_scr(link, card, registers);
    card.set_block_count = card.scr->set_block_count();

    co_await raise_bus(link, ceilings, card, registers);
    co_await read_sd_status(link, card, registers);
    co_return {};
}

} // namespace mmcpipe::card::sd
