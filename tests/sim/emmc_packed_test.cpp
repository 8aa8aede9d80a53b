// The eMMC model: packed commands.

#include "mmcpipe/sim/card/emmc.h"
#include "tests/sim/direct_emmc.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mmcpipe::sim {
namespace {

using spec::State;
using spec::mmc::PackedDirection;
using spec::mmc::PackedEntry;
namespace fields = spec::mmc::ext_csd;
namespace bits = spec::r1;
using Bytes = std::vector<std::byte>;

card::EmmcProfile packing_profile() {
    card::EmmcProfile profile = emmc_profile();
    spec::mmc::put(profile.ext_csd, fields::ext_csd_rev, 6);
    spec::mmc::put(profile.ext_csd, fields::max_packed_writes, 8);
    spec::mmc::put(profile.ext_csd, fields::max_packed_reads, 4);
    return profile;
}

PackedEntry entry(std::uint32_t sector, std::uint16_t blocks) {
    PackedEntry made{};
    made.count.blocks = blocks;
    made.address.argument = sector;
    return made;
}

Bytes header_of(PackedDirection direction, const std::vector<PackedEntry>& entries,
                std::size_t size = spec::mmc::packed_header_size) {
    Bytes block(size);
    spec::mmc::encode_packed_header(block, direction, entries);
    return block;
}

std::uint16_t blocks_of(const std::vector<PackedEntry>& entries) {
    std::uint32_t blocks = 0;
    for (const PackedEntry& each : entries) blocks += each.count.blocks;
    return static_cast<std::uint16_t>(blocks);
}

Bytes data_of(const std::vector<PackedEntry>& entries) {
    Bytes data;
    for (const PackedEntry& each : entries) {
        const Bytes piece = pattern(each.address.argument * 512ull, each.count.blocks * std::size_t{512});
        data.insert(data.end(), piece.begin(), piece.end());
    }
    return data;
}

struct Packing : DirectEmmc {
    explicit Packing(const card::EmmcProfile& profile = packing_profile()) : DirectEmmc(profile) { to_tran(); }

    /// Blocks that the card took.
    std::uint32_t write(const Bytes& header, const Bytes& data) {
        Bytes all = header;
        all.insert(all.end(), data.begin(), data.end());
        r1(spec::mmc::set_packed_count(static_cast<std::uint16_t>(all.size() / 512)));
        EXPECT_EQ(errors_in(r1(spec::write_multiple_block({entry_address}))), 0u);
        const std::uint32_t taken = give(all);
        wait_while_busy();
        return taken;
    }
    std::uint32_t write(const std::vector<PackedEntry>& entries) {
        return write(header_of(PackedDirection::write, entries), data_of(entries));
    }
    void announce(const std::vector<PackedEntry>& entries) {
        EXPECT_EQ(write(header_of(PackedDirection::read, entries), {}), 1u);
    }
    Bytes read(std::uint16_t blocks) {
        r1(spec::mmc::set_packed_count(blocks));
        EXPECT_EQ(errors_in(r1(spec::read_multiple_block({0}))), 0u);
        return take(blocks);
    }
    struct Outcome {
        std::uint32_t status;
        std::uint32_t index;
        std::uint32_t events;
        bool operator==(const Outcome&) const = default;
    };
    Outcome outcome() {
        const Bytes content = ext_csd();
        const spec::mmc::ExtCsd view{std::span(content).first<512>()};
        return {view[fields::packed_command_status], view[fields::packed_failure_index],
                view[fields::exception_events_status]};
    }
    bool exception() { return bits::ExceptionEvent::get(status()); }
    void enable_event() { EXPECT_EQ(switch_to(56, 0x08), 0u); }

    std::uint32_t entry_address = 0;
};

const Packing::Outcome good{0, 0, 0};
const std::vector<PackedEntry> three{entry(100, 3), entry(5000, 8), entry(40, 1)};

TEST(EmmcPacked, AWriteBringsEachEntryToItsPlace) {
    Packing on;
    EXPECT_EQ(on.write(three), 13u);
    EXPECT_EQ(on.state(), State::tran);
    for (const PackedEntry& each : three) {
        const std::uint64_t at = each.address.argument * 512ull;
        const std::size_t size = each.count.blocks * std::size_t{512};
        EXPECT_EQ(on.held(at, size), pattern(at, size));
        EXPECT_EQ(on.held(at + size, 512), Bytes(512)) << "and nowhere else";
    }
    EXPECT_EQ(on.held(0, 512), Bytes(512)) << "the header is not data";
    EXPECT_EQ(on.outcome(), good);
}

TEST(EmmcPacked, AReadBringsTheEntriesInTheirOrder) {
    Packing on;
    on.write(three);
    on.announce(three);
    EXPECT_EQ(on.state(), State::tran);
    EXPECT_EQ(on.read(12), data_of(three));
    EXPECT_EQ(on.state(), State::tran);
    EXPECT_EQ(on.outcome(), good);
}

TEST(EmmcPacked, AnAnnouncedReadHoldsForOneRead) {
    Packing on;
    on.announce(three);
    on.read(12);
    on.r1(spec::mmc::set_packed_count(12));
    EXPECT_EQ(errors_in(on.r1(spec::read_multiple_block({0}))), bits::Error::mask);
    EXPECT_EQ(on.state(), State::tran);
}

TEST(EmmcPacked, AReadOfAnotherLengthThanAnnouncedIsRefused) {
    Packing on;
    on.announce(three);
    on.r1(spec::mmc::set_packed_count(11));
    EXPECT_EQ(errors_in(on.r1(spec::read_multiple_block({0}))), bits::Error::mask);
    EXPECT_EQ(on.state(), State::tran);
}

TEST(EmmcPacked, AFailingEntryIsToldByItsIndexAndThoseBeforeItAreWritten) {
    Packing on;
    on.enable_event();
    on.card.spoil_packed_entry(2);
    EXPECT_EQ(on.write(three), 13u) << "the data is taken to its end";
    EXPECT_EQ(on.held(51200, 3 * 512), pattern(51200, 3 * 512));
    EXPECT_EQ(on.held(5000 * 512, 8 * 512), Bytes(8 * 512));
    EXPECT_EQ(on.held(40 * 512, 512), Bytes(512));
    EXPECT_TRUE(on.exception());
    EXPECT_EQ(on.outcome(), (Packing::Outcome{3, 2, 8}));
    EXPECT_TRUE(on.exception()) << "until the next packed command";

    on.write(three);
    EXPECT_FALSE(on.exception());
    EXPECT_EQ(on.outcome(), good);
}

TEST(EmmcPacked, AFirstEntryThatFailsWritesNothing) {
    Packing on;
    on.card.spoil_packed_entry(1);
    EXPECT_EQ(on.write(three), 13u);
    EXPECT_EQ(on.held(51200, 3 * 512), Bytes(3 * 512));
    EXPECT_EQ(on.outcome(), (Packing::Outcome{3, 1, 8}));
}

TEST(EmmcPacked, AReadEndsBeforeTheEntryThatFails) {
    Packing on;
    on.write(three);
    on.announce(three);
    on.card.spoil_packed_entry(2);
    EXPECT_EQ(on.read(12), pattern(51200, 3 * 512));
    EXPECT_EQ(on.state(), State::data);
    on.r1(spec::stop_transmission(spec::Transfer::read));
    EXPECT_EQ(on.outcome(), (Packing::Outcome{3, 2, 8}));
}

TEST(EmmcPacked, AnEntryBeyondTheEndFails) {
    Packing on;
    on.write({entry(8, 2), entry(131071, 2), entry(16, 2)});
    EXPECT_EQ(on.outcome(), (Packing::Outcome{3, 2, 8}));
    EXPECT_EQ(on.held(16 * 512, 1024), Bytes(1024));
}

TEST(EmmcPacked, TheEventShowsInR1OnlyWhereItIsEnabled) {
    Packing on;
    on.card.spoil_packed_entry(1);
    on.write(three);
    EXPECT_FALSE(on.exception());
    on.enable_event();
    EXPECT_TRUE(on.exception());
    on.send(spec::go_idle_state());
    on.to_tran();
    EXPECT_FALSE(on.exception()) << "CMD0 ends it";
    EXPECT_EQ(on.outcome(), good);
}

TEST(EmmcPacked, AHeaderThatIsWrongIsToldWithoutAnIndexAndItsDataIsForgotten) {
    const Bytes header = header_of(PackedDirection::write, three);
    const auto with = [&header](std::size_t at, unsigned value) {
        Bytes other = header;
        other[at] = static_cast<std::byte>(value);
        return other;
    };
    for (const Bytes& bad : {with(0, 2), with(1, 0), with(2, 0), with(2, 64), with(11, 0x40), with(2, 2), with(8, 4)}) {
        Packing on;
        EXPECT_EQ(on.write(bad, data_of(three)), 13u);
        EXPECT_EQ(on.outcome(), (Packing::Outcome{1, 0, 8}));
        EXPECT_EQ(on.held(51200, 3 * 512), Bytes(3 * 512));
        EXPECT_EQ(on.state(), State::tran);
    }
}

TEST(EmmcPacked, MoreEntriesThanTheCardAllowsAreRefused) {
    const std::vector<PackedEntry> five(5, entry(7, 1));
    const std::vector<PackedEntry> nine(9, entry(7, 1));
    Packing on;
    on.write(five);
    EXPECT_EQ(on.outcome(), good);
    on.write(nine);
    EXPECT_EQ(on.outcome(), (Packing::Outcome{1, 0, 8}));
    on.announce(five);
    EXPECT_EQ(on.outcome(), (Packing::Outcome{1, 0, 8})) << "of reads it allows four";
}

TEST(EmmcPacked, AReadHeaderWithDataBehindItIsRefused) {
    Packing on;
    on.write(header_of(PackedDirection::read, three), data_of(three));
    EXPECT_EQ(on.outcome(), (Packing::Outcome{1, 0, 8}));
}

TEST(EmmcPacked, ACardWithLargeSectorsTakesALargeHeader) {
    card::EmmcProfile profile = packing_profile();
    spec::mmc::put(profile.ext_csd, fields::data_sector_size, 1);
    Packing on(profile);
    const std::vector<PackedEntry> entries{entry(64, 8), entry(8, 8)};
    EXPECT_EQ(on.write(header_of(PackedDirection::write, entries, 4096), data_of(entries)), 24u);
    EXPECT_EQ(on.outcome(), good);
    EXPECT_EQ(on.held(64 * 512, 4096), pattern(64 * 512, 4096));
    EXPECT_EQ(on.held(8 * 512, 4096), pattern(8 * 512, 4096));
}

TEST(EmmcPacked, FewerBlocksThanTheHeaderAreRefusedAtOnce) {
    Packing on;
    on.r1(spec::mmc::set_packed_count(0));
    EXPECT_EQ(errors_in(on.r1(spec::write_multiple_block({0}))), bits::Error::mask);
    EXPECT_EQ(on.state(), State::tran);
}

TEST(EmmcPacked, ThePackedFlagMeansNothingToACardThatHasNoPackedCommands) {
    card::EmmcProfile profile = packing_profile();
    spec::mmc::put(profile.ext_csd, fields::ext_csd_rev, 5);
    Packing on(profile);
    on.write(three);
    EXPECT_EQ(on.held(0, 512), header_of(PackedDirection::write, three)) << "it is data like any other";
    EXPECT_EQ(on.switch_to(56, 0x08), bits::SwitchError::mask) << "nor has it exception events";
}

TEST(EmmcPacked, OnlyEventsThatThereAreCanBeEnabled) {
    Packing on;
    EXPECT_EQ(on.switch_to(56, 0x0e), 0u);
    EXPECT_EQ(on.switch_to(56, 0x10), bits::SwitchError::mask);
    EXPECT_EQ(on.switch_to(57, 0x01), bits::SwitchError::mask);
    EXPECT_EQ(on.switch_to(54, 0x00), bits::SwitchError::mask);
    EXPECT_EQ(on.switch_to(62, 0x01), bits::SwitchError::mask);
}

TEST(EmmcPacked, AStoppedWriteKeepsTheEntriesThatCame) {
    Packing on;
    const Bytes header = header_of(PackedDirection::write, three);
    Bytes some = header;
    const Bytes data = data_of(three);
    some.insert(some.end(), data.begin(), data.begin() + 4 * 512);
    on.r1(spec::mmc::set_packed_count(13));
    on.r1(spec::write_multiple_block({0}));
    EXPECT_EQ(on.give(some), 5u);
    on.r1(spec::stop_transmission(spec::Transfer::write));
    on.wait_while_busy();
    EXPECT_EQ(on.state(), State::tran);
    EXPECT_EQ(on.held(51200, 3 * 512), pattern(51200, 3 * 512));
    EXPECT_EQ(on.held(5000 * 512, 512), pattern(5000 * 512, 512));
}

// --- what it costs ---

/// Busy behind the last block.
Time busy_of(Packing& on, const std::vector<PackedEntry>& entries) {
    Bytes all = header_of(PackedDirection::write, entries);
    const Bytes data = data_of(entries);
    all.insert(all.end(), data.begin(), data.end());
    on.r1(spec::mmc::set_packed_count(static_cast<std::uint16_t>(all.size() / 512)));
    on.r1(spec::write_multiple_block({0}));
    on.give(all);
    return std::max(Time{}, on.card.busy_until() - on.now);
}

TEST(EmmcPacked, EntriesFillPagesTogetherAndOnlyTheLastPageMayBePartlyFilled) {
    card::EmmcProfile profile = packing_profile();
    profile.timing.page = 8192;
    profile.timing.partial_program = microseconds(700);
    Packing on(profile);
    // Alone each would end within a page, and cost 700 us.
    EXPECT_EQ(busy_of(on, {entry(1000, 8), entry(2000, 8), entry(3000, 8), entry(4000, 8)}), Time{});
    EXPECT_EQ(busy_of(on, {entry(1000, 8), entry(2000, 8), entry(3000, 8)}), microseconds(700));
    on.wait_while_busy();
    EXPECT_EQ(busy_of(on, {entry(1000, 8), entry(2000, 4), entry(3000, 4)}), Time{}) << "nor is the header data";
}

TEST(EmmcPacked, AHeaderAloneKeepsNobodyBusy) {
    card::EmmcProfile profile = packing_profile();
    profile.timing.page = 8192;
    profile.timing.partial_program = microseconds(700);
    Packing on(profile);
    on.write(three);
    on.r1(spec::mmc::set_packed_count(1));
    on.r1(spec::write_multiple_block({0}));
    on.give(header_of(PackedDirection::read, three));
    EXPECT_LE(on.card.busy_until(), on.now);
}

TEST(EmmcPacked, WhatIsNotProgrammedIsLostWithTheSupplyEntryByEntry) {
    card::EmmcProfile profile = packing_profile();
    profile.timing.page = 4096;
    profile.timing.program_page = milliseconds(20);
    Packing on(profile);
    const std::vector<PackedEntry> entries{entry(1000, 8), entry(2000, 8)};
    Bytes all = header_of(PackedDirection::write, entries);
    const Bytes data = data_of(entries);
    all.insert(all.end(), data.begin(), data.end());
    on.r1(spec::mmc::set_packed_count(17));
    on.r1(spec::write_multiple_block({0}));
    on.give(all);
    on.wait(milliseconds(25)); // the first is programmed, the second is not
    on.card.power(false, on.now);
    EXPECT_EQ(on.held(1000 * 512, 4096), pattern(1000 * 512, 4096));
    EXPECT_EQ(on.held(2000 * 512, 4096), Bytes(4096));
}

// --- properties ---

RC_GTEST_PROP(EmmcPacked, RandomPacksHoldWhatTheirEntriesSayOneAfterTheOther, ()) {
    Packing on;
    constexpr std::uint32_t sectors = 64;
    Bytes expected(sectors * 512);
    const int packs = *rc::gen::inRange(1, 6);
    for (int i = 0; i < packs; ++i) {
        std::vector<PackedEntry> entries(*rc::gen::inRange<std::size_t>(1, 5));
        for (PackedEntry& made : entries) {
            const auto at = *rc::gen::inRange<std::uint32_t>(0, sectors);
            made = entry(at, static_cast<std::uint16_t>(*rc::gen::inRange<std::uint32_t>(1, sectors - at + 1)));
        }
        const std::size_t fails = *rc::gen::inRange<std::size_t>(0, entries.size() + 2); // 0: none
        const Bytes data = [&] {
            Bytes bytes(blocks_of(entries) * std::size_t{512});
            const auto seed = *rc::gen::arbitrary<std::uint8_t>();
            for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] = static_cast<std::byte>(seed + b / 512 * 3 + b);
            return bytes;
        }();
        if (fails != 0) on.card.spoil_packed_entry(static_cast<std::uint32_t>(fails));
        on.write(header_of(PackedDirection::write, entries), data);
        auto from = data.begin();
        const bool failed = fails != 0 && fails <= entries.size();
        const std::size_t done = failed ? fails - 1 : entries.size();
        for (std::size_t e = 0; e < done; ++e) {
            const std::ptrdiff_t size = entries[e].count.blocks * 512;
            std::copy(from, from + size, expected.begin() + entries[e].address.argument * 512);
            from += size;
        }
        RC_ASSERT(on.outcome().index == (failed ? fails : 0));
        RC_ASSERT(on.held(0, expected.size()) == expected);
        on.announce(entries);
        Bytes wanted;
        for (const PackedEntry& each : entries) {
            const auto begin = expected.begin() + each.address.argument * 512;
            wanted.insert(wanted.end(), begin, begin + each.count.blocks * 512);
        }
        RC_ASSERT(on.read(blocks_of(entries)) == wanted);
    }
}

RC_GTEST_PROP(EmmcPacked, ArbitraryHeadersEndWellOrAreRefused, ()) {
    Packing on;
    Bytes header(512);
    for (std::size_t i = 0; i < 40; ++i) header[i] = static_cast<std::byte>(*rc::gen::inRange(0, 6));
    const auto blocks = *rc::gen::inRange<std::size_t>(0, 20);
    on.write(header, Bytes(blocks * 512));
    RC_ASSERT(on.state() == State::tran);
    on.announce({entry(0, 1)});
    RC_ASSERT(on.outcome() == good);
}

} // namespace
} // namespace mmcpipe::sim
