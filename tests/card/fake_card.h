#pragma once
// The least card that tells right from wrong order: states, registers, busy times, and a width and a timing of its own.
// It takes what spec/state.h says is legal, and keeps silent otherwise.

#include "mmcpipe/base/units.h"
#include "mmcpipe/host/settings.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/ext_csd.h"
#include "mmcpipe/spec/ocr.h"
#include "mmcpipe/spec/r1.h"
#include "mmcpipe/spec/scr.h"
#include "mmcpipe/spec/sd_status.h"
#include "mmcpipe/spec/state.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

namespace mmcpipe::card {

struct FakeCard {
    using Words = std::array<std::uint32_t, 4>;

    // --- what kind of card it is ---
    spec::Family family = spec::Family::mmc;
    bool answers_cmd8 = true;          ///< SD
    std::optional<std::uint32_t> echo; ///< SD: instead of the right one
    std::uint32_t ocr = spec::ocr::v2_7_to_3_6 | 1u << 30;
    base::Duration power_up = base::milliseconds(20);
    base::Hertz fastest_identification = base::kilohertz(400); ///< silent above it while it has no address
    std::uint16_t proposed_rca = 0x1234;
    spec::R2 cid{0x150100, 0x12345678, 0x9abcdef0, 0x11223300};
    spec::R2 csd{};
    std::array<std::byte, 512> ext_csd{};
    bool gives_ext_csd = true;
    spec::sd::Scr scr{};
    spec::sd::SdStatus sd_status{};
    bool gives_sd_status = true;
    bool locked = false;
    bool takes_high_speed = true; ///< CMD6
    unsigned widest_taken = 8;    ///< CMD6 and ACMD6 to more are refused
    bool takes_erase_group_def = true;
    bool takes_exception_events = true;
    bool scr_altered_when_wide = false;
    std::optional<std::size_t> altered_when_fast; ///< a byte of EXT_CSD that reads differently at high speed
    unsigned lines_intact = 8;
    bool both_edges_intact = true;
    bool takes_both_edges = true;          ///< CMD6
    base::Hertz fastest_clean{60'000'000}; ///< data is damaged above
    base::Duration switch_busy = base::microseconds(300);
    base::Duration erase_busy = base::milliseconds(30);

    // --- how it is now ---
    spec::State state = spec::State::idle;
    bool powered = false;
    bool app = false;
    bool dead = false;            ///< does not answer any more, whatever is done
    bool forgets_app_cmd = false; ///< R1 to CMD55 without APP_CMD
    bool mute = false;            ///< does not answer until the supply was off
    std::uint32_t errors = 0;     ///< R1 bits that the next answer shows
    std::uint16_t rca = 0;
    unsigned lines = 1;
    bool both_edges = false;
    bool high_speed = false;
    std::uint32_t block_length = 0; ///< as set by CMD16
    base::Instant busy_until{};
    std::optional<base::Instant> ready_at{};
    unsigned power_ups = 0;

    FakeCard() = default;

    static FakeCard emmc();
    static FakeCard sdhc();
    static FakeCard sdsc();
    static FakeCard old_mmc();

    void power(bool on) {
        if (on && !powered) ++power_ups;
        if (!on) mute = false;
        powered = on;
        reset();
    }

    void reset() {
        state = spec::State::idle;
        app = high_speed = both_edges = false;
        lines = 1;
        rca = 0;
        errors = 0;
        ready_at.reset();
        busy_until = {};
        spec::mmc::put(ext_csd, spec::mmc::ext_csd::hs_timing, 0);
        spec::mmc::put(ext_csd, spec::mmc::ext_csd::erase_group_def, 0);
        spec::mmc::put(ext_csd, spec::mmc::ext_csd::exception_events_ctrl, 0);
    }

    /// The answer; nothing if it keeps silent.
    std::optional<Words> command(const spec::Command& command, base::Instant now, base::Hertz clock) {
        using spec::State;
        if (!powered || dead || mute || clock.value == 0) return std::nullopt;
        if (rca == 0 && state != State::stby && clock > fastest_identification) return std::nullopt;
        if (state == State::prg && now >= busy_until) state = State::tran;
        const bool application = std::exchange(app, false);
        if (command.index == 0) {
            reset();
            return Words{};
        }
        if (!takes(command, application)) {
            errors |= spec::r1::IllegalCommand::mask;
            return std::nullopt;
        }
        return answer(command, application, now);
    }

    std::uint32_t r1() {
        std::uint32_t word =
            spec::r1::status(state, state != spec::State::prg && state != spec::State::rcv) | std::exchange(errors, 0);
        word |= spec::r1::CardIsLocked::of(locked);
        const spec::mmc::ExtCsd ext(ext_csd);
        using namespace spec::mmc::ext_csd;
        const bool event =
            family == spec::Family::mmc && (ext[exception_events_status] & ext[exception_events_ctrl]) != 0;
        word |= spec::r1::ExceptionEvent::of(event);
        return word | spec::r1::AppCmd::of(app);
    }

    /// Bytes of the register that the last command sends.
    std::vector<std::byte> outgoing;

    /// All blocks of a transfer that the card knows the end of went over the bus.
    void data_ended(base::Instant now) {
        if (state == spec::State::rcv) busy(base::microseconds(200), now);
        if (state == spec::State::data) state = spec::State::tran;
    }

    bool data_is_clean(const host::Settings& host) const {
        const unsigned width = static_cast<unsigned>(host.width);
        const bool timing_agrees = high_speed || host.clock <= base::megahertz(26);
        const bool edges_agree = both_edges == (host.timing == host::Timing::ddr52);
        return edges_agree && (!both_edges || both_edges_intact) && width == lines && width <= lines_intact &&
               timing_agrees && host.clock <= fastest_clean;
    }

private:
    bool takes(const spec::Command& command, bool application) const {
        if (!spec::legal(family, command.index, application, state)) return false;
        if (family == spec::Family::sd && command.index == 8) return answers_cmd8;
        constexpr std::array<std::uint8_t, 5> addressed{7, 9, 10, 13, 55};
        const bool with_rca =
            !application && std::find(addressed.begin(), addressed.end(), command.index) != addressed.end();
        if (with_rca && spec::Rca::in(command.argument).value != rca) return false;
        return true;
    }

    Words answer(const spec::Command& command, bool application, base::Instant now);
    Words mmc_answer(const spec::Command& command, std::uint32_t word, base::Instant now);
    Words sd_answer(const spec::Command& command, bool application, std::uint32_t word, base::Instant now);

    std::uint32_t ocr_now(std::uint32_t argument, base::Instant now) {
        if ((argument & (spec::ocr::v2_7_to_3_6 | spec::ocr::DualVoltage::mask)) == 0) return ocr & ~(1u << 31);
        if (!ready_at) ready_at = now + power_up;
        if (now < *ready_at) return ocr & ~(3u << 30);
        state = spec::State::ready;
        return ocr | 1u << 31;
    }

    void busy(base::Duration length, base::Instant now) {
        state = spec::State::prg;
        busy_until = now + length;
    }
};

inline FakeCard::Words FakeCard::answer(const spec::Command& command, bool application, base::Instant now) {
    using spec::State;
    outgoing.clear();
    const std::uint32_t word = r1();
    switch (command.index) {
    case 2: state = State::ident; return cid;
    case 7: state = State::tran; return {word};
    case 9: return csd;
    case 12:
        if (state == State::rcv) {
            busy(base::microseconds(200), now);
        } else {
            state = State::tran;
        }
        return {word};
    case 16: block_length = command.argument; return {word};
    case 17:
    case 24:
        if (locked) return {word};
        state = command.index == 17 ? State::data : State::rcv;
        return {word};
    case 18: state = State::data; return {word};
    case 23: return {word};
    case 25: state = State::rcv; return {word};
    case 32:
    case 33:
    case 35:
    case 36: return {word};
    case 38: busy(erase_busy, now); return {word};
    case 10: return cid;
    case 55: app = !forgets_app_cmd; return {word | spec::r1::AppCmd::of(app)};
    default:
        return family == spec::Family::mmc ? mmc_answer(command, word, now)
                                           : sd_answer(command, application, word, now);
    }
}

inline FakeCard::Words FakeCard::mmc_answer(const spec::Command& command, std::uint32_t word, base::Instant now) {
    namespace ext = spec::mmc::ext_csd;
    switch (command.index) {
    case 1: return {ocr_now(command.argument, now)};
    case 3:
        rca = spec::Rca::in(command.argument).value;
        state = spec::State::stby;
        return {word};
    case 6: {
        const spec::mmc::Switch what = spec::mmc::Switch::in(command.argument);
        bool taken = true;
        if (what.index == ext::hs_timing.index) {
            taken = takes_high_speed || what.value == 0;
            if (taken) high_speed = what.value == 1;
            EXPECT_FALSE(both_edges) << "HS_TIMING under dual data rate";
        } else if (what.index == ext::bus_width.index) {
            const unsigned wanted = what.value % 4 == 2 ? 8 : what.value % 4 == 1 ? 4 : 1;
            const bool twice = what.value >= 5;
            taken = wanted <= widest_taken && (!twice || (takes_both_edges && high_speed));
            if (taken) lines = wanted;
            if (taken) both_edges = twice;
        } else if (what.index == ext::erase_group_def.index) {
            taken = takes_erase_group_def;
        } else if (what.index == ext::exception_events_ctrl.index) {
            taken = takes_exception_events;
        }
        const bool write_only = what.index == ext::bus_width.index;
        if (taken) ext_csd[what.index] = static_cast<std::byte>(write_only ? 0 : what.value);
        busy(switch_busy, now);
        if (!taken) errors |= spec::r1::SwitchError::mask;
        return {word};
    }
    case 8:
        if (gives_ext_csd) outgoing.assign(ext_csd.begin(), ext_csd.end());
        if (gives_ext_csd && high_speed && altered_when_fast) outgoing[*altered_when_fast] ^= std::byte{1};
        return {word};
    default: return {word};
    }
}

inline FakeCard::Words FakeCard::sd_answer(const spec::Command& command, bool application, std::uint32_t word,
                                           base::Instant now) {
    if (application) {
        switch (command.index) {
        case 6: {
            const unsigned wanted = command.argument == 2 ? 4 : 1;
            if (wanted <= widest_taken) lines = wanted;
            return {word};
        }
        case 13: {
            const std::array<std::byte, 64> bytes = sd_status.encode();
            if (gives_sd_status) outgoing.assign(bytes.begin(), bytes.end());
            return {word};
        }
        case 22: outgoing.assign(4, std::byte{}); return {word};
        case 41: return {ocr_now(command.argument, now)};
        case 51: {
            const std::array<std::byte, 8> bytes = scr.encode();
            outgoing.assign(bytes.begin(), bytes.end());
            if (scr_altered_when_wide && lines > 1) outgoing[7] ^= std::byte{1};
            return {word};
        }
        default: break;
        }
    }
    switch (command.index) {
    case 3:
        rca = std::exchange(proposed_rca, 0x4321);
        state = spec::State::stby;
        return {spec::sd::R6{spec::Rca{rca}, word}.word()};
    case 8: return {echo.value_or(command.argument)};
    default: return {word};
    }
}

inline FakeCard FakeCard::emmc() {
    namespace ext = spec::mmc::ext_csd;
    FakeCard card;
    spec::mmc::Csd csd;
    csd.csd_structure = 3;
    csd.spec_vers = 4;
    csd.taac = 0x26;
    csd.nsac = 1;
    csd.tran_speed = 0x32;
    csd.ccc = 0x8f5;
    csd.read_bl_len = csd.write_bl_len = 9;
    csd.c_size = 0xfff;
    csd.c_size_mult = 7;
    csd.erase_grp_size = csd.erase_grp_mult = 31;
    csd.r2w_factor = 2;
    card.csd = csd.encode();
    spec::mmc::put(card.ext_csd, ext::ext_csd_rev, 7);
    spec::mmc::put(card.ext_csd, ext::csd_structure, 2);
    spec::mmc::put(card.ext_csd, ext::device_type, 7);
    spec::mmc::put(card.ext_csd, ext::sec_count, 0x01d5a000);
    spec::mmc::put(card.ext_csd, ext::hc_erase_grp_size, 1);
    spec::mmc::put(card.ext_csd, ext::hc_wp_grp_size, 16);
    spec::mmc::put(card.ext_csd, ext::erase_timeout_mult, 1);
    spec::mmc::put(card.ext_csd, ext::trim_mult, 1);
    spec::mmc::put(card.ext_csd, ext::sec_erase_mult, 10);
    spec::mmc::put(card.ext_csd, ext::sec_feature_support, 0x55);
    spec::mmc::put(card.ext_csd, ext::generic_cmd6_time, 5);
    return card;
}

inline FakeCard FakeCard::old_mmc() {
    FakeCard card = emmc();
    spec::mmc::Csd csd = spec::mmc::Csd::decode(card.csd);
    csd.csd_structure = 2;
    csd.spec_vers = 3;
    csd.tran_speed = 0x2a;
    csd.ccc = 0x0ff;
    csd.c_size = 1959;
    csd.c_size_mult = 3;
    csd.read_bl_partial = true;
    csd.erase_grp_size = 7;
    csd.erase_grp_mult = 3;
    card.csd = csd.encode();
    card.ocr = spec::ocr::v2_7_to_3_6;
    card.gives_ext_csd = false;
    return card;
}

inline FakeCard FakeCard::sdhc() {
    FakeCard card;
    card.family = spec::Family::sd;
    spec::sd::Csd csd;
    csd.csd_structure = 1;
    csd.taac = 0x0e;
    csd.tran_speed = 0x32;
    csd.ccc = 0x5b5;
    csd.read_bl_len = csd.write_bl_len = 9;
    csd.c_size = 15'159;
    csd.erase_blk_en = true;
    csd.sector_size = 127;
    card.csd = csd.encode();
    card.scr.sd_spec = 2;
    card.scr.sd_spec3 = true;
    card.scr.sd_bus_widths = 5;
    card.scr.cmd_support = 2;
    card.sd_status.au_size = 9;
    card.sd_status.erase_size = 8;
    card.sd_status.erase_timeout = 2;
    return card;
}

/// 2 GB, version 1.10, READ_BL_LEN 10.
inline FakeCard FakeCard::sdsc() {
    FakeCard card = sdhc();
    spec::sd::Csd csd = spec::sd::Csd::decode(card.csd);
    csd.csd_structure = 0;
    csd.taac = 0x2f;
    csd.read_bl_len = csd.write_bl_len = 10;
    csd.read_bl_partial = true;
    csd.c_size = 0xeaf;
    csd.c_size_mult = 7;
    csd.erase_blk_en = false;
    csd.sector_size = 31;
    card.csd = csd.encode();
    card.ocr = spec::ocr::v2_7_to_3_6;
    card.answers_cmd8 = false;
    card.scr.sd_spec = 1;
    card.scr.sd_spec3 = false;
    card.scr.cmd_support = 0;
    return card;
}

} // namespace mmcpipe::card
