// Random commands, legal or not, against the card models: they never crash, their state is one of the specification's,
// every wait ends, and what they confirmed is what they hold.

#include "tests/sim/direct_card.h"
#include "tests/sim/scripted_controller.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace mmcpipe::sim {
namespace {

using spec::State;

struct Step {
    std::uint8_t index;
    std::uint32_t argument;
    bool application;
    bool damaged;
    std::uint32_t blocks; ///< to move if data moves
};

constexpr std::uint16_t rca = 2;

rc::Gen<Step> arbitrary_step(bool sd) {
    // Mostly what leads somewhere: the right address, sectors near the beginning and the end.
    return rc::gen::exec([sd] {
        Step step;
        step.index = *rc::gen::oneOf(rc::gen::inRange<std::uint8_t>(0, 64),
                                     rc::gen::element<std::uint8_t>(0, 1, 2, 3, 6, 7, 8, 12, 13, 16, 17, 18, 23, 24, 25,
                                                                    32, 33, 35, 36, 38, 41, 51, 55));
        step.argument =
            *rc::gen::oneOf(rc::gen::arbitrary<std::uint32_t>(),
                            rc::gen::element<std::uint32_t>(0, 512, 0x40ff8080, 0x40ff8000, 0x1aa, rca << 16,
                                                            0x03b70200, 0x03b90100, 0x03af0100, 0x80fffff1),
                            rc::gen::inRange<std::uint32_t>(0, 64), rc::gen::inRange<std::uint32_t>(131060, 131080));
        step.application = sd && *rc::gen::arbitrary<bool>();
        step.damaged = *rc::gen::inRange(0, 20) == 0;
        step.blocks = *rc::gen::inRange<std::uint32_t>(0, 20);
        return step;
    });
}

bool in_the_set(State state) {
    const auto number = static_cast<unsigned>(state);
    return number <= static_cast<unsigned>(State::slp) || state == State::ina;
}

template <class Card>
class Drive {
public:
    template <class Profile>
    explicit Drive(const Profile& profile, spec::Family family) : on_(profile), family_(family) {}

    /// To where most commands are legal.
    void bring_up() {
        const bool sd = family_ == spec::Family::sd;
        if (sd) on_.send(spec::sd::send_if_cond());
        for (int i = 0; i < 2; ++i) {
            if (sd) on_.send(spec::app_cmd({0}));
            on_.send(sd ? spec::sd::app_send_op_cond(0x40ff8000) : spec::mmc::send_op_cond(0x40ff8080));
            on_.wait(milliseconds(100));
        }
        on_.send(spec::all_send_cid());
        const auto answer = on_.send(sd ? spec::sd::send_relative_addr() : spec::mmc::set_relative_addr({rca}));
        on_.rca = sd ? spec::Rca::in(answer->words[0]) : spec::Rca{rca};
        on_.send(spec::select_card(on_.rca));
        RC_ASSERT(on_.state() == State::tran);
    }

    void step(const Step& step) {
        if (step.application && on_.state() != State::ina) on_.send(spec::app_cmd(on_.rca));
        on_.now += microseconds(10);
        const State before = on_.state(); // it may just have ended to be busy
        const auto answer = on_.card.command({step.index, step.argument, !step.damaged}, on_.now);
        RC_ASSERT(in_the_set(on_.state()));
        if (step.damaged || before == State::ina) RC_ASSERT(!answer);
        if (answer && answer->kind == spec::Response::r1 && step.index != 55)
            RC_ASSERT(state_in(answer->words[0]) == before);
        if (answer && answer->kind == spec::Response::r6) on_.rca = spec::Rca::in(answer->words[0]);
        if (on_.card.flow() == wire::Flow::sends) read(step.blocks);
        if (on_.card.flow() == wire::Flow::takes) write(step);
        RC_ASSERT(in_the_set(on_.state()));
        RC_ASSERT(on_.card.busy_until() < on_.now + milliseconds(10'000));
    }

private:
    void read(std::uint32_t blocks) {
        const std::uint32_t length = on_.card.block_length();
        const std::vector<std::byte> data = on_.take(blocks);
        RC_ASSERT(data.size() % length == 0);
    }
    void write(const Step& step) {
        const std::uint32_t length = on_.card.block_length();
        on_.give(pattern(step.argument, std::size_t{step.blocks} * length), length);
        if (step.blocks % 7 == 3 && on_.card.flow() == wire::Flow::takes) on_.card.damaged(on_.now);
    }

    DirectCard<Card> on_;
    spec::Family family_;
};

template <class Card, class Profile>
void random_commands(const Profile& profile, spec::Family family) {
    Drive<Card> drive(profile, family);
    if (*rc::gen::inRange(0, 4) != 0) drive.bring_up();
    for (const Step& step : *rc::gen::container<std::vector<Step>>(arbitrary_step(family == spec::Family::sd)))
        drive.step(step);
}

RC_GTEST_PROP(CardProperty, RandomCommandsKeepAnEmmcInItsStates, ()) {
    random_commands<card::Emmc>(emmc_profile(), spec::Family::mmc);
}

RC_GTEST_PROP(CardProperty, RandomCommandsKeepAnSdCardInItsStates, ()) {
    random_commands<card::SdCard>(*rc::gen::arbitrary<bool>() ? sdhc_profile() : sdsc_profile(), spec::Family::sd);
}

/// From the transfer state, random reads, writes, erases, resets; a model of the contents beside it.
RC_GTEST_PROP(CardProperty, WhatWasConfirmedIsWhatTheCardHolds, ()) {
    card::EmmcProfile profile = emmc_profile();
    profile.timing.page = 8192;
    profile.timing.partial_program = microseconds(300);
    profile.timing.program_page = microseconds(*rc::gen::inRange(0, 1000));
    EmmcOnBus on(profile);
    ScriptedController& c = on.controller;
    constexpr std::uint32_t sectors = 256;
    std::vector<std::byte> expected(sectors * 512);
    const auto steps = *rc::gen::inRange(1, 25);
    for (int i = 0; i < steps; ++i) {
        const std::uint32_t at = *rc::gen::inRange<std::uint32_t>(0, sectors);
        const std::uint32_t blocks = *rc::gen::inRange<std::uint32_t>(1, sectors - at + 1);
        const bool counted = *rc::gen::arbitrary<bool>();
        c.slice_limit = *rc::gen::element<std::uint32_t>(32, 100, 512, 1024, 3000, 4096);
        switch (*rc::gen::inRange(0, 4)) {
        case 0:
        case 1: {
            const std::vector<std::byte> content =
                pattern(*rc::gen::arbitrary<std::uint16_t>(), std::size_t{blocks} * 512);
            if (counted) c.send(spec::set_block_count(static_cast<std::uint16_t>(blocks)));
            c.send(spec::write_multiple_block({at}));
            c.transmit(content);
            RC_ASSERT(c.finish_data() == ScriptedController::End::complete);
            if (!counted) c.send(spec::stop_transmission(spec::Transfer::write));
            c.wait_while_busy();
            std::ranges::copy(content, expected.begin() + at * 512);
            break;
        }
        case 2:
            if (counted) c.send(spec::set_block_count(static_cast<std::uint16_t>(blocks)));
            c.receive(blocks);
            c.send(spec::read_multiple_block({at}));
            RC_ASSERT(c.finish_data() == ScriptedController::End::complete);
            if (!counted) c.send(spec::stop_transmission(spec::Transfer::read));
            RC_ASSERT(std::equal(c.data.begin(), c.data.end(), expected.begin() + at * 512));
            RC_ASSERT(c.data.size() == blocks * 512);
            break;
        default:
            c.send(spec::mmc::erase_group_start({at}));
            c.send(spec::mmc::erase_group_end({at + blocks - 1}));
            c.send(spec::erase(spec::Erase::trim));
            c.wait_while_busy();
            std::fill_n(expected.begin() + at * 512, blocks * 512, std::byte{0});
            break;
        }
        RC_ASSERT(on.status() == 0x900u);
    }
    std::vector<std::byte> held(expected.size());
    on.emmc.content().read(0, held);
    RC_ASSERT(held == expected);
}

} // namespace
} // namespace mmcpipe::sim
