#pragma once
// A card above a fake host.

#include "mmcpipe/card/card.h"
#include "tests/card/fake_host.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mmcpipe::card {

struct CardFixture : testing::Test {
    using Trace = std::vector<std::string>;

    void insert(FakeCard fake) {
        host.emplace(std::move(fake));
        card.emplace(*host, board);
    }
    base::Result<void> bring_up() { return host->run(card->bring_up()); }
    base::Result<void> bring_up(FakeCard fake) {
        insert(std::move(fake));
        return bring_up();
    }
    /// A card that is up, with nothing in the log.
    void use(FakeCard fake) {
        const base::Result<void> up = bring_up(std::move(fake));
        ASSERT_TRUE(up) << base::name(up.error().code);
        host->forget();
    }

    FakeCard& fake() { return host->card; }
    const Properties& properties() const { return card->properties(); }
    const Trace& log() const { return host->log; }
    /// True if the lines stand in the log in this order, perhaps with others between them.
    bool in_order(const Trace& lines) const {
        auto line = lines.begin();
        for (const std::string& entry : log()) {
            if (line != lines.end() && entry == *line) ++line;
        }
        return line == lines.end();
    }

    FakeBoard board;
    std::optional<FakeHost> host;
    std::optional<Card> card;
};

} // namespace mmcpipe::card
