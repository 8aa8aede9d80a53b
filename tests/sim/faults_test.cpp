#include "mmcpipe/sim/wire/faults.h"

#include "tests/sim/scripted_controller.h"

#include <functional>
#include <gtest/gtest.h>

namespace mmcpipe::sim {
namespace {

using wire::Fault;
using wire::Faults;
using Kind = Fault::Kind;
using End = ScriptedController::End;
using Outcome = ScriptedController::Outcome;
namespace bits = spec::r1;

/// A card in the transfer state, and a plan that begins there.
struct FaultsOnBus {
    explicit FaultsOnBus(std::initializer_list<Fault> plan = {}, const card::EmmcProfile& profile = emmc_profile())
        : on(profile, &faults), controller(on.controller) {
        faults.clear();
        controller.timeout = milliseconds(5);
        for (const Fault& fault : plan) faults.plan(fault);
    }

    End read(std::uint32_t blocks) {
        controller.receive(blocks);
        controller.send(spec::read_multiple_block({0}));
        return controller.finish_data();
    }
    End write(std::uint32_t blocks) {
        controller.send(spec::write_multiple_block({0}));
        controller.transmit(pattern(0, std::size_t{blocks} * 512));
        return controller.finish_data();
    }
    std::vector<std::byte> held(std::size_t size) {
        std::vector<std::byte> content(size);
        on.emmc.content().read(0, content);
        return content;
    }

    Faults faults;
    EmmcOnBus on;
    ScriptedController& controller;
};

// --- where ---

TEST(Faults, CountWhatPasses) {
    FaultsOnBus f;
    f.read(10);
    f.controller.send(spec::stop_transmission(spec::Transfer::read));
    f.write(3);
    f.controller.send(spec::stop_transmission(spec::Transfer::write));
    f.on.status();
    EXPECT_EQ(f.faults.commands(), 5u);
    EXPECT_EQ(f.faults.commands(12), 2u);
    EXPECT_EQ(f.faults.commands(13), 1u);
    EXPECT_EQ(f.faults.blocks(), 13u) << "not those that the card went on to send";
    EXPECT_EQ(f.faults.happened(), 0u);
    f.faults.clear();
    EXPECT_EQ(f.faults.commands(), 0u);
}

TEST(Faults, StrikeTheNthCommandOrTheNthOfAnIndexSoManyTimes) {
    const auto outcomes = [](const Fault& fault) {
        FaultsOnBus f({fault});
        std::string text;
        for (const std::uint8_t index : {13, 16, 13, 16, 13, 16, 13}) {
            const std::uint32_t argument = index == 13 ? emmc_rca << 16 : 512;
            text += f.controller.send(index, argument).outcome == Outcome::response ? '.' : 'x';
        }
        EXPECT_EQ(f.faults.happened(), static_cast<unsigned>(std::ranges::count(text, 'x')));
        return text;
    };
    EXPECT_EQ(outcomes({.kind = Kind::response_lost}), "x......");
    EXPECT_EQ(outcomes({.kind = Kind::response_lost, .occurrence = 4}), "...x...");
    EXPECT_EQ(outcomes({.kind = Kind::response_lost, .command = 16, .occurrence = 2}), "...x...");
    EXPECT_EQ(outcomes({.kind = Kind::response_lost, .command = 13, .occurrence = 2, .times = 2}), "..x.x..");
    EXPECT_EQ(outcomes({.kind = Kind::response_lost, .occurrence = 5, .times = Fault::always}), "....xxx");
    EXPECT_EQ(outcomes({.kind = Kind::response_lost, .command = 12}), ".......");
}

TEST(Faults, CountFromTheMomentTheyArePlanned) {
    FaultsOnBus f;
    f.on.status();
    f.faults.plan({.kind = Kind::response_lost, .command = 13});
    EXPECT_EQ(f.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::no_response);
    EXPECT_EQ(f.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::response);
}

// --- commands ---

TEST(Faults, ALostResponseHasItsEffectAllTheSame) {
    FaultsOnBus f({{.kind = Kind::response_lost, .command = 7}});
    const Time start = f.on.engine.now();
    EXPECT_EQ(f.controller.send(spec::deselect_card()).outcome, Outcome::sent);
    f.faults.clear();
    f.faults.plan({.kind = Kind::response_lost, .command = 7});
    EXPECT_EQ(f.controller.send(spec::select_card({emmc_rca})).outcome, Outcome::no_response);
    EXPECT_GT(f.on.engine.now(), start);
    EXPECT_EQ(f.on.state(), spec::State::tran);
}

TEST(Faults, ADamagedResponseComesInItsTime) {
    FaultsOnBus f({{.kind = Kind::response_damaged}});
    const Time start = f.on.engine.now();
    const auto reply = f.controller.send(spec::send_status({emmc_rca}));
    EXPECT_EQ(reply.outcome, Outcome::bad_crc);
    EXPECT_EQ(reply.at, start + fast_period * 104);
}

TEST(Faults, AMisheardCommandHasNoEffectAndIsToldInTheNextStatus) {
    FaultsOnBus f({{.kind = Kind::command_damaged}});
    EXPECT_EQ(f.controller.send(spec::read_single_block({0})).outcome, Outcome::no_response);
    EXPECT_EQ(f.on.status(), 0x900u | bits::ComCrcError::mask);
}

TEST(Faults, ABusyCardStaysInPrg) {
    FaultsOnBus f({{.kind = Kind::busy_after_command, .command = 13, .length = milliseconds(30)}});
    const Time start = f.on.engine.now();
    f.on.status();
    EXPECT_TRUE(f.on.bus.busy());
    EXPECT_EQ(f.on.status(), 0xe00u);
    f.controller.wait_while_busy();
    EXPECT_EQ(f.on.engine.now(), start + fast_period * 48 + milliseconds(30));
    EXPECT_EQ(f.on.status(), 0x900u);
}

TEST(Faults, ACardBusyForEverIsFreedByItsPowerOnly) {
    FaultsOnBus f({{.kind = Kind::busy_after_command, .command = 6}});
    f.controller.send(spec::mmc::switch_mode({.index = 187, .value = 1}));
    f.on.engine.run_until(f.on.engine.now() + milliseconds(100'000));
    EXPECT_TRUE(f.on.bus.busy());
    EXPECT_EQ(f.on.status(), 0xe00u);
    f.on.bus.set_period(identification_period);
    f.controller.send(spec::go_idle_state());
    for (int i = 0; i < 100; ++i) {
        f.controller.send(spec::mmc::send_op_cond(0x40ff8080));
        EXPECT_FALSE(spec::ocr::PoweredUp::get(f.controller.reply.r1()));
        f.on.engine.run_until(f.on.engine.now() + milliseconds(10));
    }
    f.on.bus.power(false);
    EXPECT_FALSE(f.on.bus.busy());
    f.on.bus.power(true);
    f.on.bring_up();
    EXPECT_EQ(f.on.state(), spec::State::tran);
}

TEST(Faults, ACardIsRemovedWithACommandAndPutBack) {
    FaultsOnBus f({{.kind = Kind::card_removed, .command = 16}});
    EXPECT_EQ(f.controller.send(spec::set_blocklen(512)).outcome, Outcome::no_response);
    EXPECT_EQ(f.on.bus.card(), nullptr);
    EXPECT_EQ(f.controller.send(spec::send_status({emmc_rca})).outcome, Outcome::no_response);
    f.on.bus.insert(&f.on.emmc);
    f.on.bring_up();
    EXPECT_EQ(f.on.state(), spec::State::tran);
}

// --- data ---

TEST(Faults, ADamagedBlockEndsARead) {
    for (const std::uint32_t slice : {4096u, 512u, 64u}) {
        FaultsOnBus f({{.kind = Kind::block_damaged, .command = 18, .block = 11}});
        f.on.emmc.content().write(0, pattern(0, 8192));
        f.controller.slice_limit = slice;
        EXPECT_EQ(f.read(16), End::bad_crc);
        EXPECT_EQ(f.controller.blocks_done, 11u);
        std::vector<std::byte> got = f.controller.data;
        ASSERT_EQ(got.size(), 12u * 512);
        EXPECT_NE(std::vector<std::byte>(got.begin() + 11 * 512, got.end()), pattern(11 * 512, 512))
            << "damage can be seen";
        got.resize(11 * 512);
        EXPECT_EQ(got, pattern(0, 11 * 512));
        EXPECT_EQ(f.held(8192), pattern(0, 8192)) << "on the wire, not on the card";
        f.controller.send(spec::stop_transmission(spec::Transfer::read));
        EXPECT_EQ(f.read(16), End::complete) << "once only";
    }
}

TEST(Faults, AFaultBeyondTheTransferDoesNotStrikeTheNextOne) {
    FaultsOnBus f({{.kind = Kind::block_damaged, .command = 18, .block = 5}});
    EXPECT_EQ(f.read(4), End::complete);
    f.controller.send(spec::stop_transmission(spec::Transfer::read));
    EXPECT_EQ(f.read(16), End::complete);
    EXPECT_EQ(f.faults.happened(), 0u);
}

TEST(Faults, BlocksCountAnewWithEachTransfer) {
    FaultsOnBus f({{.kind = Kind::block_damaged, .command = 18, .occurrence = 2, .block = 2}});
    EXPECT_EQ(f.read(7), End::complete);
    f.controller.send(spec::stop_transmission(spec::Transfer::read));
    EXPECT_EQ(f.read(7), End::bad_crc);
    EXPECT_EQ(f.controller.blocks_done, 2u);
}

TEST(Faults, ALostBlockIsTheLastOfARead) {
    for (const std::uint32_t slice : {4096u, 64u}) {
        FaultsOnBus f({{.kind = Kind::block_lost, .block = 3}});
        f.controller.slice_limit = slice;
        f.controller.receive(8);
        f.controller.send(spec::read_multiple_block({0}));
        EXPECT_EQ(f.controller.finish_data(), End::timeout);
        EXPECT_EQ(f.controller.blocks_done, 3u);
        EXPECT_EQ(f.on.state(), spec::State::data);
        f.controller.send(spec::stop_transmission(spec::Transfer::read));
        EXPECT_EQ(f.on.state(), spec::State::tran);
    }
}

TEST(Faults, DataThatNeverStartsTimesOut) {
    FaultsOnBus f({{.kind = Kind::block_lost, .command = 17, .block = 0}});
    const Time start = f.on.engine.now();
    f.controller.receive(1);
    f.controller.send(spec::read_single_block({0}));
    EXPECT_EQ(f.controller.finish_data(), End::timeout);
    EXPECT_EQ(f.controller.ended_at, start + milliseconds(5));
}

TEST(Faults, ADamagedBlockOfAWriteGetsANegativeStatusAndIsNotWritten) {
    for (const std::uint32_t slice : {4096u, 64u}) {
        FaultsOnBus f({{.kind = Kind::block_damaged, .command = 25, .block = 11}});
        f.controller.slice_limit = slice;
        EXPECT_EQ(f.write(16), End::bad_crc);
        EXPECT_EQ(f.controller.blocks_done, 11u);
        f.controller.send(spec::stop_transmission(spec::Transfer::write));
        EXPECT_EQ(f.on.state(), spec::State::tran);
        std::vector<std::byte> expected = pattern(0, 8192);
        std::fill(expected.begin() + 11 * 512, expected.end(), std::byte{0});
        EXPECT_EQ(f.held(8192), expected);
    }
}

TEST(Faults, ALostStatusTimesOut) {
    for (const std::uint32_t slice : {4096u, 64u}) {
        FaultsOnBus f({{.kind = Kind::block_lost, .command = 25, .block = 2}});
        f.controller.slice_limit = slice;
        EXPECT_EQ(f.write(8), End::timeout);
        EXPECT_EQ(f.controller.blocks_done, 2u);
    }
}

TEST(Faults, ABusyAfterABlockIsWaitedForOrTimesOut) {
    const Time block = fast_period * (2 + 4114 + 7);
    {
        FaultsOnBus f({{.kind = Kind::busy_after_block, .block = 2, .length = milliseconds(3)}});
        f.controller.send(spec::write_multiple_block({0}));
        const Time start = f.on.engine.now();
        f.controller.transmit(pattern(0, 4096));
        EXPECT_EQ(f.controller.finish_data(), End::complete);
        EXPECT_EQ(f.controller.ended_at, start + block * 8 + milliseconds(3));
    }
    {
        FaultsOnBus f({{.kind = Kind::busy_after_block, .block = 2}});
        f.controller.send(spec::write_multiple_block({0}));
        const Time start = f.on.engine.now();
        f.controller.transmit(pattern(0, 4096));
        EXPECT_EQ(f.controller.finish_data(), End::timeout);
        EXPECT_EQ(f.controller.ended_at, start + block * 3 + milliseconds(5));
        f.controller.send(spec::stop_transmission(spec::Transfer::write));
        EXPECT_EQ(f.on.status(), 0xe00u) << "stuck in prg";
    }
}

TEST(Faults, ACardBusyBeforeTheFirstBlockIsWaitedForOrTimesOut) {
    for (const Time length : {milliseconds(3), forever}) {
        FaultsOnBus f({{.kind = Kind::busy_after_command, .command = 25, .length = length}});
        const Time start = f.on.engine.now();
        f.controller.send(spec::write_multiple_block({0}));
        f.controller.transmit(pattern(0, 512));
        EXPECT_EQ(f.controller.finish_data(), length == forever ? End::timeout : End::complete);
        EXPECT_EQ(f.controller.ended_at, length == forever ? start + response_end + milliseconds(5)
                                                           : start + command_end + length + cycles(2 + 4114 + 7));
    }
}

TEST(Faults, ACardIsRemovedAtABlock) {
    for (const std::uint32_t slice : {4096u, 64u}) {
        FaultsOnBus read({{.kind = Kind::card_removed_at_block, .block = 5}});
        read.controller.slice_limit = slice;
        EXPECT_EQ(read.read(8), End::timeout);
        EXPECT_EQ(read.controller.blocks_done, 5u);
        EXPECT_EQ(read.on.bus.card(), nullptr);
        FaultsOnBus write({{.kind = Kind::card_removed_at_block, .block = 5}});
        write.controller.slice_limit = slice;
        EXPECT_EQ(write.write(8), End::timeout);
        EXPECT_EQ(write.controller.blocks_done, 5u);
        EXPECT_EQ(write.on.bus.card(), nullptr);
    }
}

TEST(Faults, EachKindAtEachStepEndsAndTheCardWorksAgain) {
    const auto sequence = [](FaultsOnBus& f) {
        ScriptedController& c = f.controller;
        c.send(spec::set_block_count(8));
        c.receive(8);
        c.send(spec::read_multiple_block({0}));
        if (c.reply.outcome == Outcome::response) c.finish_data();
        f.on.bus.stop_data();
        c.send(spec::stop_transmission(spec::Transfer::read));
        c.send(spec::write_multiple_block({8}));
        if (c.reply.outcome == Outcome::response) {
            c.transmit(pattern(4096, 1024));
            c.finish_data();
        }
        f.on.bus.stop_data();
        c.send(spec::stop_transmission(spec::Transfer::write));
        f.on.status();
    };
    FaultsOnBus clean;
    sequence(clean);
    for (int kind = 0; kind <= static_cast<int>(Kind::busy_after_block); ++kind) {
        for (std::uint32_t n = 1; n <= clean.faults.commands(); ++n) {
            for (std::uint32_t block = 0; block < 8; block += 3) {
                SCOPED_TRACE("kind " + std::to_string(kind) + " at command " + std::to_string(n) + ", block " +
                             std::to_string(block));
                FaultsOnBus f({{.kind = Kind{static_cast<std::uint8_t>(kind)},
                                .occurrence = n,
                                .block = block,
                                .length = milliseconds(2)}});
                sequence(f);
                f.faults.clear();
                if (f.on.bus.card() == nullptr) f.on.bus.insert(&f.on.emmc);
                f.on.engine.run_until(f.on.engine.now() + milliseconds(10));
                f.on.bring_up();
                EXPECT_EQ(f.on.state(), spec::State::tran);
                EXPECT_EQ(f.write(2), End::complete);
                EXPECT_EQ(f.held(1024), pattern(0, 1024));
            }
        }
    }
}

// --- controllers and DMA engines ---

TEST(Faults, InterruptsAreLostOrLate) {
    Faults faults;
    faults.plan({.kind = Kind::interrupt_lost, .occurrence = 2});
    faults.plan({.kind = Kind::interrupt_late, .occurrence = 3, .length = microseconds(70)});
    faults.plan({.kind = Kind::interrupt_late, .command = 18, .times = Fault::always, .length = microseconds(5)});
    EXPECT_EQ(faults.interrupt(), Time{});
    EXPECT_EQ(faults.interrupt(), forever);
    EXPECT_EQ(faults.interrupt(), microseconds(70));
    faults.command(18);
    EXPECT_EQ(faults.interrupt(), microseconds(5));
    faults.command(12);
    EXPECT_EQ(faults.interrupt(), Time{});
    EXPECT_EQ(faults.interrupts(), 5u);
    EXPECT_EQ(faults.happened(), 3u);
}

TEST(Faults, ADmaTransferFailsAfterSoManyBytes) {
    Faults faults;
    faults.plan({.kind = Kind::dma_error, .occurrence = 2, .bytes = 100});
    EXPECT_EQ(faults.dma_transfer(4096), std::nullopt);
    EXPECT_EQ(faults.dma_transfer(4096), 100u);
    EXPECT_EQ(faults.dma_transfer(4096), std::nullopt);
    faults.plan({.kind = Kind::dma_error, .bytes = 4096});
    EXPECT_EQ(faults.dma_transfer(4096), std::nullopt) << "it is over by then";
    EXPECT_EQ(faults.dma_transfers(), 4u);
    EXPECT_EQ(faults.happened(), 1u);
}

} // namespace
} // namespace mmcpipe::sim
