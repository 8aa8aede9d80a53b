#pragma once
// A bench over a RamHost, and a sink that keeps what it is told.

#include "mmcpipe/card/card.h"
#include "mmcpipe/trial/bench.h"
#include "mmcpipe/trial/case.h"
#include "tests/trial/ram_host.h"

#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mmcpipe::trial {

struct Notebook final : Sink {
    void begins(const Case& trial) override { log.push_back("begins " + std::to_string(trial.number)); }
    void transferred(const Row& row) override { rows.push_back(row); }
    void ended(const Case& trial, Outcome outcome, std::optional<base::Error> why) override {
        log.push_back("ended " + std::to_string(trial.number) + " " + name(outcome));
        error = why;
    }
    std::vector<std::string> log;
    std::vector<Row> rows;
    std::optional<base::Error> error;
};

class EightLines final : public port::Board {
public:
    base::Result<void> set_supply(port::Supply) override { return {}; }
    base::Result<void> set_signal(port::Signal) override { return {}; }
    base::Result<void> hold_reset(bool) override { return base::fail(base::Code::not_possible); }
    unsigned bus_width() const override { return 8; }
    base::Hertz base_clock() const override { return base::megahertz(100); }
    bool has(port::Supply supply) const override { return supply == port::Supply::v3_3; }
    bool card_present() override { return true; }
    bool write_protected() override { return false; }
};

/// An eMMC of 512 MiB, erase groups of 512 KiB.
inline card::FakeCard small_emmc() {
    card::FakeCard card = card::FakeCard::emmc();
    spec::mmc::put(card.ext_csd, spec::mmc::ext_csd::sec_count, 512 * 2048);
    spec::mmc::put(card.ext_csd, spec::mmc::ext_csd::max_packed_writes, 63);
    spec::mmc::put(card.ext_csd, spec::mmc::ext_csd::max_packed_reads, 63);
    return card;
}

/// SDSC with blocks of any length, for writes too.
inline card::FakeCard partial_sdsc() {
    card::FakeCard card = card::FakeCard::sdsc();
    spec::sd::Csd csd = spec::sd::Csd::decode(card.csd);
    csd.write_bl_partial = true;
    card.csd = csd.encode();
    return card;
}

inline card::FakeCard card_of(const std::string& kind) {
    return kind == "eMMC" ? small_emmc() : kind == "SDSC" ? partial_sdsc() : card::FakeCard::sdhc();
}

struct TestBench final : Slot {
    explicit TestBench(const std::string& kind, Flaw flaw = Flaw::none, std::size_t memory_size = 4 << 20)
        : host(card_of(kind)),
          card(host, board),
          memory_(new(std::align_val_t{64}) std::byte[memory_size]),
          elements(512),
          bench(card, {memory_.get(), memory_size}, elements, this) {
        const base::Result<void> up = host.run(card.bring_up());
        if (!up) ADD_FAILURE() << "bring-up: " << name(up.error().code);
        host.sectors = static_cast<std::uint32_t>(card.properties().capacity.sectors());
        host.flaw = flaw;
    }

    void remove() override {
        host.present = false;
        host.card.power(false);
    }
    void insert() override { host.present = true; }

    /// The case of this number.
    Outcome run(std::span<const Case> cases, unsigned number) {
        const base::Result<Outcome> tried = host.run(trial::run(bench, cases[number - 1], notes));
        if (tried) return *tried;
        ADD_FAILURE() << name(tried.error().code);
        return Outcome::error;
    }

    RamHost host;
    EightLines board;
    card::Card card;

private:
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
    };
    std::unique_ptr<std::byte[], Free> memory_;

public:
    std::vector<host::Buffer> elements;
    Bench bench;
    Notebook notes;
};

} // namespace mmcpipe::trial
