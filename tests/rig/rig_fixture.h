#pragma once
// A simulated board for tests, and small programs that run on its executor.

#include "mmcpipe/block/pipeline.h"
#include "mmcpipe/host/transaction.h"
#include "mmcpipe/rig/simulated_board.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace mmcpipe::rig {

inline Platform platform(const std::string& name,
                         const std::vector<std::pair<std::string, std::string>>& settings = {}) {
    sim::Profile profile = sim::Profile::read("profiles/platforms/" + name + ".toml", "platform");
    for (const auto& [key, value] : settings) profile.set(key, value);
    return read_platform(std::move(profile));
}

inline CardProfile card_profile(const std::string& name,
                                const std::vector<std::pair<std::string, std::string>>& settings = {}) {
    sim::Profile profile = sim::Profile::read("profiles/cards/" + name + ".toml", "card");
    for (const auto& [key, value] : settings) profile.set(key, value);
    return read_card(std::move(profile));
}

/// Bytes that say where they belong.
inline void stamp(std::span<std::byte> bytes, std::uint32_t seed) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::uint32_t word = seed * 0x9e37'79b9u + static_cast<std::uint32_t>(i / 4) * 0x85eb'ca6bu;
        bytes[i] = static_cast<std::byte>(word >> 8 * (i % 4));
    }
}

inline bool has_stamp(std::span<const std::byte> bytes, std::uint32_t seed) {
    std::vector<std::byte> expected(bytes.size());
    stamp(expected, seed);
    return std::ranges::equal(bytes, expected);
}

/// A source that gives the transfers of a list, and remembers in which order they came back.
class ListSource final : public block::Source {
public:
    explicit ListSource(std::vector<block::Transfer*> transfers) : transfers_(std::move(transfers)) {}

    block::Transfer* next() noexcept override { return given_ < transfers_.size() ? transfers_[given_++] : nullptr; }
    void over(block::Transfer& transfer) noexcept override {
        returned.push_back(&transfer);
        if (returned.size() == transfers_.size()) pipeline->stop();
    }

    block::Pipeline* pipeline = nullptr;
    std::vector<block::Transfer*> returned{};

private:
    std::vector<block::Transfer*> transfers_;
    std::size_t given_ = 0;
};

/// Runs transfers through a pipeline, to the last one's end.
inline std::vector<block::Transfer*> pipe(Stack& stack, std::vector<block::Transfer*> transfers, block::Depth depth) {
    ListSource source(std::move(transfers));
    block::Pipeline pipeline(stack.card(), source, depth);
    source.pipeline = &pipeline;
    const auto ended = stack.run(pipeline.run());
    EXPECT_TRUE(ended);
    return source.returned;
}

inline std::optional<base::Error> transfer(Stack& stack, host::Direction direction, std::uint64_t sector,
                                           std::span<const host::Buffer> buffers,
                                           card::Bounding bounding = card::Bounding::open_ended) {
    std::size_t bytes = 0;
    for (const host::Buffer b : buffers) bytes += b.size();
    block::Transfer t;
    t.wanted = {direction, bytes == 512 ? card::Bounding::single : bounding,
                sector,    static_cast<std::uint32_t>(bytes / 512),
                512,       buffers};
    pipe(stack, {&t}, block::Depth::blocking);
    return t.failure;
}

} // namespace mmcpipe::rig
