#pragma once
// An eMMC without a bus, and how to get it into each of its states.

#include "tests/sim/direct_card.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <vector>

namespace mmcpipe::sim {

struct DirectEmmc : DirectCard<card::Emmc> {
    explicit DirectEmmc(const card::EmmcProfile& profile = emmc_profile()) : DirectCard(profile) { rca = {emmc_rca}; }

    void to_ready() {
        send(spec::mmc::send_op_cond(0x40ff8080));
        wait(milliseconds(100));
        send(spec::mmc::send_op_cond(0x40ff8080));
    }
    void to_stby() {
        to_ready();
        send(spec::all_send_cid());
        send(spec::mmc::set_relative_addr(rca));
    }
    void to_tran() {
        to_stby();
        send(spec::select_card(rca));
    }
    void to(spec::State wanted) {
        switch (wanted) {
        case spec::State::idle: break;
        case spec::State::ready: to_ready(); break;
        case spec::State::ident:
            to_ready();
            send(spec::all_send_cid());
            break;
        case spec::State::stby: to_stby(); break;
        case spec::State::tran: to_tran(); break;
        case spec::State::data:
            to_tran();
            send(spec::read_multiple_block({0}));
            break;
        case spec::State::rcv:
            to_tran();
            send(spec::write_multiple_block({0}));
            break;
        case spec::State::prg:
            to_tran();
            send(spec::mmc::switch_mode({.index = 187, .value = 1}));
            break;
        case spec::State::dis:
            to(spec::State::prg);
            send(spec::deselect_card());
            break;
        case spec::State::slp:
            to_stby();
            send(spec::mmc::sleep(rca));
            wait_while_busy();
            break;
        case spec::State::ina:
            to_stby();
            send(spec::go_inactive_state(rca));
            break;
        case spec::State::btst: FAIL();
        }
    }
    /// CMD6, its busy, and the errors that CMD13 tells then.
    std::uint32_t switch_to(std::uint8_t index, std::uint8_t value,
                            spec::mmc::Switch::Access access = spec::mmc::Switch::Access::write_byte) {
        EXPECT_EQ(errors_in(r1(spec::mmc::switch_mode({.access = access, .index = index, .value = value}))), 0u);
        wait_while_busy();
        return errors_in(status());
    }
    std::vector<std::byte> ext_csd() {
        send(spec::mmc::send_ext_csd());
        return take(1);
    }
};

/// A card of 32 MB that counts in bytes, with partial and misaligned blocks allowed for reading as given.
inline card::EmmcProfile small_profile(bool partial, bool misalign, unsigned block_length_log = 9) {
    spec::mmc::Csd csd;
    csd.csd_structure = 2;
    csd.spec_vers = 4;
    csd.taac = 0x26;
    csd.tran_speed = 0x2a;
    csd.ccc = 0x0f5;
    csd.read_bl_len = static_cast<std::uint8_t>(block_length_log);
    csd.write_bl_len = static_cast<std::uint8_t>(block_length_log);
    csd.c_size = 0x3ff;
    csd.c_size_mult = 4;
    csd.read_bl_partial = partial;
    csd.read_blk_misalign = misalign;
    csd.erase_grp_size = 15;
    csd.erase_grp_mult = 0;
    card::EmmcProfile profile = emmc_profile();
    profile.csd = csd.encode();
    spec::mmc::put(profile.ext_csd, spec::mmc::ext_csd::sec_count, 0);
    return profile;
}

} // namespace mmcpipe::sim
