#pragma once
// A card without a bus: a test calls it, and time is a number.

#include "mmcpipe/sim/card/core.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/r1.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

namespace mmcpipe::sim {

template <class Card>
struct DirectCard {
    template <class Profile>
    explicit DirectCard(const Profile& profile) : card(profile) {
        card.power(true, now);
    }

    std::optional<wire::Answer> send(std::uint8_t index, std::uint32_t argument) {
        now += microseconds(10);
        return card.command({index, argument, true}, now);
    }
    std::optional<wire::Answer> send(const spec::Command& command) { return send(command.index, command.argument); }

    /// R1 of a command that must be answered.
    std::uint32_t r1(const spec::Command& command) {
        const std::optional<wire::Answer> answer = send(command);
        EXPECT_TRUE(answer.has_value()) << "CMD" << unsigned{command.index};
        return answer ? answer->words[0] : 0xffffffffu;
    }
    std::uint32_t status() { return r1(spec::send_status(rca)); }
    spec::State state() const { return card.state(now); }

    void wait(Time length) { now += length; }
    void wait_while_busy() {
        if (card.busy_until() > now) now = card.busy_until();
    }

    /// Takes what the card sends, a microsecond a block.
    std::vector<std::byte> take(std::uint32_t blocks) {
        std::vector<std::byte> data;
        while (blocks != 0 && card.flow() == wire::Flow::sends) {
            const wire::Offer offer = card.offer(blocks, now);
            if (offer.ready == forever) break;
            data.insert(data.end(), bytes(offer.data).begin(), bytes(offer.data).end());
            now = std::max(now, offer.ready) + microseconds(offer.blocks);
            card.sent(offer.blocks, now);
            blocks -= offer.blocks;
        }
        return data;
    }
    /// Gives it blocks of `length` until it takes no more; how many it took.
    std::uint32_t give(const std::vector<std::byte>& content, std::uint32_t length = 512) {
        std::uint32_t given = 0;
        const auto blocks = static_cast<std::uint32_t>(content.size() / length);
        while (given != blocks) {
            const wire::Acceptance acceptance = card.accept(blocks - given, now);
            if (acceptance.blocks == 0 || acceptance.ready == forever) break;
            now = std::max(now, acceptance.ready) + microseconds(acceptance.blocks);
            card.received(chunk_of(std::span(content).subspan(given * length, acceptance.blocks * length)), now);
            given += acceptance.blocks;
        }
        return given;
    }
    std::vector<std::byte> held(std::uint64_t address, std::size_t size) {
        std::vector<std::byte> content(size);
        card.content().read(address, content);
        return content;
    }

    Card card;
    Time now{};
    spec::Rca rca{};
};

inline std::uint32_t errors_in(std::uint32_t word) {
    return word & (spec::r1::errors | spec::r1::SwitchError::mask | spec::r1::EraseReset::mask);
}
inline spec::State state_in(std::uint32_t word) { return spec::r1::CurrentState::get(word); }

} // namespace mmcpipe::sim
