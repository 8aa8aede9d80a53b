// Core: commands and states.

#include "mmcpipe/sim/card/core.h"

#include "mmcpipe/sim/wire/timing.h"

#include <algorithm>
#include <utility>

namespace mmcpipe::sim::card {

namespace {

using spec::Response;
using spec::State;
namespace r1_bits = spec::r1;

/// The clock of a card that has no address yet (JESD84-A441 7.4, SD 4.4: f_OD).
constexpr base::Hertz identification_clock = base::kilohertz(400);

/// JESD84-A441 7.4.1. Of an SD card it is 0.
constexpr spec::Rca mmc_default_rca{1};

constexpr std::uint16_t bit(State state) { return static_cast<std::uint16_t>(1u << static_cast<unsigned>(state)); }

/// The first 16 bits of the argument say which card is meant; the others ignore it (JESD84-A441 7.9.4, SD 4.7.4: "ac"
/// commands).
constexpr bool is_addressed(std::uint8_t index) {
    return index == 7 || index == 9 || index == 10 || index == 13 || index == 15 || index == 55;
}

constexpr bool keeps_erase_sequence(std::uint8_t index) {
    return index == 13 || index == 32 || index == 33 || index == 35 || index == 36 || index == 38;
}

} // namespace

Core::Core(spec::Family family, const Geometry& geometry, const spec::R2& cid, const spec::R2& csd, std::byte erased,
           const FlashTiming& timing)
    : family_(family),
      geometry_(geometry),
      cid_(spec::closed(cid)),
      csd_(spec::closed(csd)),
      flash_(geometry.capacity, erased, timing),
      block_length_(geometry.default_block) {
    implement({0, 2, 4, 7, 9, 10, 12, 13, 15, 16, 17, 18, 24, 25, 38, 55});
}

void Core::implement(std::initializer_list<std::uint8_t> indices, bool application) {
    for (const std::uint8_t index : indices) {
        if ((spec::classes_of(family_, index, application) & geometry_.ccc) == 0) continue;
        std::uint16_t states = 0;
        for (unsigned state = 0; state <= static_cast<unsigned>(State::slp); ++state) {
            if (spec::legal(family_, index, application, State{static_cast<std::uint8_t>(state)})) {
                states = static_cast<std::uint16_t>(states | 1u << state);
            }
        }
        (application ? takes_application_ : takes_)[index] = states;
    }
}

Time Core::period_of(base::Hertz clock) { return Time{990'000'000'000 / std::max<std::int64_t>(clock.value, 1)}; }

Time Core::shortest_period() const {
    return state_ == State::idle || state_ == State::ready || state_ == State::ident ? period_of(identification_clock)
                                                                                     : fastest_;
}

Time Core::ready_at() const { return std::max(busy_until_, hang_until_); }

State Core::state(Time now) const {
    if (state_ == State::prg && now >= ready_at()) return State::tran;
    if (state_ == State::dis && now >= ready_at()) return State::stby;
    return state_;
}

/// A card that is not selected leaves the DAT lines alone.
Time Core::busy_until() const { return state_ == State::dis || !powered_ ? Time{} : ready_at(); }

void Core::hang(Time until) {
    hang_until_ = until;
    if (state_ == State::tran) state_ = State::prg;
}

void Core::power(bool on, Time now) {
    if (powered_ == on) return;
    powered_ = on;
    if (!on) flash_.lose_power(now);
    hang_until_ = {};
    start_over(Reset::power);
}

void Core::reset_pin(bool held, Time) {
    if (!powered_ || !reset_pin_enabled() || held_in_reset_ == held) return;
    held_in_reset_ = held;
    hang_until_ = {};
    start_over(Reset::pin);
}

void Core::start_over(Reset kind) {
    state_ = State::idle;
    rca_ = family_ == spec::Family::mmc ? mmc_default_rca : spec::Rca{};
    width_ = 1;
    both_edges_ = false;
    block_count_ = 0;
    packed_ = false;
    app_cmd_ = false;
    latched_ = 0;
    block_length_ = geometry_.default_block;
    transfer_ = {};
    busy_until_ = {};
    powered_up_at_.reset();
    erase_begin_.reset();
    erase_end_.reset();
    if (kind == Reset::power) held_in_reset_ = false;
    reset(kind);
}

bool Core::for_another(std::uint8_t index, std::uint32_t argument) const {
    return is_addressed(index) && spec::Rca::in(argument) != rca_;
}

std::optional<wire::Answer> Core::command(const wire::Frame& frame, Time now) {
    if (!powered_ || held_in_reset_ || state_ == State::ina) return {};
    if (!frame.crc_ok) {
        set_error(r1_bits::ComCrcError::mask);
        return {};
    }
    settle(now);
    const std::uint8_t index = frame.index & 63u;
    const bool application = std::exchange(app_cmd_, false) && spec::is_application_command(family_, index);
    const std::uint16_t takes = (application ? takes_application_ : takes_)[index];
    if (takes != 0 && !application && for_another(index, frame.argument)) {
        if (index == 7) deselect();
        return {};
    }
    // With data on both edges a block has 512 bytes, and there is no length to be set (JESD84-A441 7.6.3).
    if ((takes & bit(state_)) == 0 || (both_edges_ && index == 16)) {
        set_error(r1_bits::IllegalCommand::mask);
        return {};
    }
    if (erase_begin_ && !keeps_erase_sequence(index)) {
        erase_begin_.reset();
        erase_end_.reset();
        set_error(r1_bits::EraseReset::mask);
    }
    told_ = r1_bits::status(state_, now >= ready_at()) | r1_bits::AppCmd::of(application) | conditions();
    const std::uint32_t about_previous = latched_ & r1_bits::about_previous;
    const std::optional<wire::Answer> answer =
        application ? execute(index, true, frame.argument, now) : execute_basic(index, frame.argument, now);
    // An answer without a status leaves them untold: they are gone all the same.
    latched_ &= ~about_previous;
    return answer;
}

std::optional<wire::Answer> Core::execute_basic(std::uint8_t index, std::uint32_t argument, Time now) {
    const std::uint32_t count = std::exchange(block_count_, 0);
    const bool packed = std::exchange(packed_, false);
    switch (index) {
    case 0: start_over(Reset::command); return {};
    case 2: go(State::ident); return wire::Answer{Response::r2, cid_, wire::n_id};
    case 4: return {}; // there is no driver stage to set
    case 7: return select();
    case 9: return wire::Answer{Response::r2, csd_, n_cr};
    case 10: return wire::Answer{Response::r2, cid_, n_cr};
    case 12: return stop(now);
    case 13: return r1();
    case 15: go(State::ina); return {};
    case 16: return set_block_length(argument);
    case 18:
    case 25:
        if (packed) return begin_packed(index, argument, count, now);
        return begin_transfer(index, argument, count, now);
    case 17:
    case 24: return begin_transfer(index, argument, count, now);
    case 38: return do_erase(argument, now);
    case 55:
        app_cmd_ = true;
        told_ |= r1_bits::AppCmd::mask;
        return r1();
    default: return execute(index, false, argument, now);
    }
}

std::uint32_t Core::tell_status() { return told_ | std::exchange(latched_, 0); }

wire::Answer Core::r1(Response kind) { return {kind, {tell_status(), 0, 0, 0}, n_cr}; }

std::optional<wire::Answer> Core::operation_conditions(std::uint32_t host, std::uint32_t ocr, std::uint32_t mode,
                                                       bool may_end, Time now) {
    constexpr std::uint32_t voltages = spec::ocr::v2_7_to_3_6 | spec::ocr::DualVoltage::mask;
    std::uint32_t word = ocr;
    if ((host & voltages) != 0) {
        if (!spec::ocr::voltages_agree(ocr, host)) {
            go(State::ina);
            return {};
        }
        if (!powered_up_at_) powered_up_at_ = now + flash_.timing().power_up_time;
        if (may_end && now >= std::max(*powered_up_at_, hang_until_)) {
            word |= mode | spec::ocr::PoweredUp::mask;
            go(State::ready);
        }
    }
    return wire::Answer{Response::r3, {word, 0, 0, 0}, wire::n_id};
}

wire::Answer Core::select() {
    const wire::Answer answer = r1(Response::r1b);
    state_ = state_ == State::dis ? State::prg : State::tran;
    return answer;
}

/// CMD7 with another address.
void Core::deselect() {
    if (!spec::deselectable.contains(state_)) return;
    state_ = state_ == State::prg ? State::dis : State::stby;
    transfer_ = {};
}

void Core::program_until(Time when) {
    state_ = State::prg;
    busy_until_ = std::max(busy_until_, when);
}

std::uint64_t Core::address_in(std::uint32_t argument) const {
    return geometry_.addressing == spec::Addressing::byte ? argument : std::uint64_t{argument} * 512;
}

// --- erase (JESD84-A441 7.6.8, SD 4.3.5) ---

wire::Answer Core::set_erase_begin(std::uint32_t argument) {
    erase_end_.reset();
    erase_begin_ = address_in(argument);
    if (*erase_begin_ >= capacity()) {
        erase_begin_.reset();
        set_error(r1_bits::AddressOutOfRange::mask);
    }
    return r1();
}

wire::Answer Core::set_erase_end(std::uint32_t argument) {
    const std::uint64_t last = address_in(argument);
    if (!erase_begin_) {
        set_error(r1_bits::EraseSeqError::mask);
    } else if (last >= capacity()) {
        erase_begin_.reset();
        set_error(r1_bits::AddressOutOfRange::mask);
    } else {
        erase_end_ = last - last % 512 + 512;
    }
    return r1();
}

wire::Answer Core::do_erase(std::uint32_t argument, Time now) {
    const std::optional<std::uint64_t> begin = std::exchange(erase_begin_, {});
    const std::optional<std::uint64_t> end = std::exchange(erase_end_, {});
    if (!begin || !end) {
        set_error(r1_bits::EraseSeqError::mask);
        return r1(Response::r1b);
    }
    std::optional<Time> busy;
    if (*begin < *end) busy = erase(argument, {*begin - *begin % 512, *end});
    if (!busy) set_error(r1_bits::EraseParam::mask);
    const wire::Answer answer = r1(Response::r1b);
    if (busy) program_until(now + *busy);
    return answer;
}

} // namespace mmcpipe::sim::card
