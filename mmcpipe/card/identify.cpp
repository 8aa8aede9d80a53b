#include "mmcpipe/card/identify.h"

#include "mmcpipe/card/backoff.h"
#include "mmcpipe/spec/ocr.h"

#include <array>
#include <optional>

namespace mmcpipe::card {

using base::Code;
using base::Result;
using base::Sleep;
using base::Task;

namespace {

constexpr std::array<base::Hertz, 4> identification_clocks{base::kilohertz(400), base::kilohertz(300),
                                                           base::kilohertz(200), base::kilohertz(100)};

// Some cards never get ready when they are asked each millisecond.
constexpr Backoff power_up_patience(0, base::milliseconds(1), base::milliseconds(10));

std::uint32_t window_of(port::Supply supply) {
    return supply == port::Supply::v1_8 ? spec::ocr::DualVoltage::mask : spec::ocr::v2_7_to_3_6;
}

/// The command that asks for OCR was not taken: this is a card of the other family, or none.
bool not_taken(base::Error error) { return error.code == Code::command_timeout || error.code == Code::not_supported; }

/// ACMD41 until the card has powered up; its OCR. Nothing: it is not an SD card.
Task<Result<std::optional<std::uint32_t>>> power_up_sd(Link& link, bool version_2) {
    const std::uint32_t window = window_of(port::Supply::v3_3);
    const spec::Command ask = spec::sd::app_send_op_cond(window | spec::sd::ocr::HighCapacity::of(version_2));
    Backoff backoff = power_up_patience;
    const base::Instant limit = link.executor().now() + power_up_limit;
    for (bool answered = false;; answered = true) {
        const bool last = link.executor().now() >= limit;
        const Result<std::uint32_t> ocr = co_await outcome(link.app_command(ask));
        if (!ocr) {
            const bool other = !answered && !version_2 && not_taken(ocr.error());
            if (other) co_return std::nullopt;
            co_return base::fail(ocr.error());
        }
        if (spec::ocr::PoweredUp::get(*ocr)) {
            if (!spec::ocr::voltages_agree(*ocr, window)) co_return base::fail(Code::not_supported, *ocr);
            co_return *ocr;
        }
        if (last) co_return base::fail(Code::busy_timeout, *ocr);
        co_await Sleep(link.executor(), backoff.next());
    }
}

/// CMD1 until the card has powered up; its OCR. The argument has to be the same each time.
Task<Result<std::uint32_t>> power_up_mmc(Link& link, port::Supply supply) {
    const std::uint32_t window = window_of(supply);
    const spec::Command ask =
        spec::mmc::send_op_cond(window | spec::mmc::ocr::AccessMode::of(spec::mmc::ocr::sector_mode));
    Backoff backoff = power_up_patience;
    const base::Instant limit = link.executor().now() + power_up_limit;
    for (;;) {
        const bool last = link.executor().now() >= limit;
        const std::uint32_t ocr = co_await link.command(ask);
        if (spec::ocr::PoweredUp::get(ocr)) {
            if (!spec::ocr::voltages_agree(ocr, window)) co_return base::fail(Code::not_supported, ocr);
            co_return ocr;
        }
        if (last) co_return base::fail(Code::busy_timeout, ocr);
        co_await Sleep(link.executor(), backoff.next());
    }
}

/// Nothing: it is not an SD card.
Task<Result<std::optional<Identity>>> identify_sd(Link& link) {
    link.peer = {spec::Rca{}, spec::Family::sd};

    // Reset the card, and ask for the echo that cards of version 2.00 and later give. No answer is an answer, if it is
    // given twice.
    const spec::sd::InterfaceCondition condition;
    Result<std::uint32_t> echo = base::fail(Code::command_timeout);
    for (unsigned tries = 2; tries > 0 && !echo; --tries) {
        co_await link.command(spec::go_idle_state());
        echo = co_await outcome(link.command(spec::sd::send_if_cond(condition)));
        if (!echo && echo.error().code != Code::command_timeout) co_return base::fail(echo.error());
    }
    if (echo && spec::sd::InterfaceCondition::in(*echo) != condition) co_return base::fail(Code::bad_register, *echo);

    // Start the power-up, and wait for its end.
    const std::optional<std::uint32_t> ocr = co_await power_up_sd(link, echo.has_value());
    if (!ocr) co_return std::nullopt;
    Identity identity;
    identity.addressing = spec::sd::ocr::addressing(*ocr);

    // Ask who it is.
    identity.cid = co_await link.long_command(spec::all_send_cid());

    // Ask for an address; 0 would be none.
    for (unsigned tries = 2; link.peer.rca == spec::Rca{}; --tries) {
        if (tries == 0) co_return base::fail(Code::bad_register);
        const std::uint32_t r6 = co_await link.command(spec::sd::send_relative_addr());
        link.peer.rca = spec::sd::R6::in(r6).rca;
    }
    identity.peer = link.peer;
    co_return identity;
}

Task<Result<Identity>> identify_mmc(Link& link, port::Supply supply) {
    link.peer = {spec::Rca{}, spec::Family::mmc};

    // Several cards may answer at once: the CMD line is open drain until each has its address.
    host::Settings settings = link.settings();
    settings.open_drain = true;
    co_await link.apply(settings);

    // Reset the card.
    co_await link.command(spec::go_idle_state());

    // Start the power-up, and wait for its end.
    const std::uint32_t ocr = co_await power_up_mmc(link, supply);
    Identity identity;
    identity.addressing = spec::mmc::ocr::addressing(ocr);

    // Ask who it is.
    identity.cid = co_await link.long_command(spec::all_send_cid());

    // Give it an address.
    link.peer.rca = spec::Rca{1};
    co_await link.command(spec::mmc::set_relative_addr(link.peer.rca));
    identity.peer = link.peer;

    settings.open_drain = false;
    co_await link.apply(settings);
    co_return identity;
}

/// The next clock may help.
bool worth_another_clock(base::Error error) {
    return error.domain() == base::Domain::bus || error.domain() == base::Domain::host ||
           error.code == Code::bad_register;
}

} // namespace

Task<Result<void>> power_cycle(Link& link, port::Board& board, base::Hertz clock) {
    // Take the supply away, so that the card forgets its state and its signal voltage.
    host::Settings settings;
    const Result<void> off = co_await outcome(link.apply(settings));
    if (!off && off.error().code != Code::not_possible) co_return off;
    const bool reset_held = board.hold_reset(true).has_value();
    co_await Sleep(link.executor(), power_off_time);

    // Give it back, and wait until it has risen.
    settings.supply = board.has(port::Supply::v3_3) ? port::Supply::v3_3 : port::Supply::v1_8;
    co_await link.apply(settings);
    if (reset_held) co_await board.hold_reset(false);
    co_await Sleep(link.executor(), ramp_time);

    // Give the card the clock cycles that it needs before the first command.
    settings.clock = clock;
    co_await link.apply(settings);
    co_await Sleep(link.executor(), first_command_delay);
    co_return {};
}

Task<Result<Identity>> identify(Link& link, port::Supply supply) {
    // SD first: MMC cards keep silent at its commands. There is no SD card for a supply of 1.8 V.
    if (supply == port::Supply::v3_3) {
        const std::optional<Identity> sd = co_await identify_sd(link);
        if (sd) co_return *sd;
    }
    const Identity mmc = co_await identify_mmc(link, supply);
    co_return mmc;
}

Task<Result<Identity>> find_card(Link& link, port::Board& board) {
    base::Error last(Code::no_card);
    for (const base::Hertz clock : identification_clocks) {
        if (clock < link.host().capabilities().slowest) break;
        co_await power_cycle(link, board, clock);
        const Result<Identity> found = co_await outcome(identify(link, link.settings().supply));
        if (found) co_return found;
        if (!worth_another_clock(found.error())) co_return found;
        // Of all that went wrong, silence says least.
        if (found.error().code != Code::command_timeout) last = found.error();
    }
    co_return base::fail(last);
}

} // namespace mmcpipe::card
