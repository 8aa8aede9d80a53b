#pragma once
// The CMD line: one command and its answer, bit times and what can go wrong with them.

#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/wire/controller_end.h"
#include "mmcpipe/sim/wire/wires.h"

#include <array>
#include <cstdint>

namespace mmcpipe::sim::wire {

class DataLine;
class Dat0;

class CommandLine {
public:
    CommandLine(Wires& wires, DataLine& data, Dat0& dat0) : wires_(wires), data_(data), dat0_(dat0) {}

    /// The first bit waits until N_RC or N_CC after the command before is over.
    void send(std::uint8_t index, std::uint32_t argument, Expect expect, CommandListener& listener);
    void cancel() { listener_ = nullptr; }

    /// When the response under way ends; in the past if there is none.
    Time answered_at() const { return phase_ == Phase::response && !frozen_ ? due_.when() : Time{}; }

    /// The clock stops, and goes on, perhaps at another rate.
    void freeze();
    void thaw();
    /// A response under way breaks off.
    void card_gone();

private:
    enum class Phase : std::uint8_t { idle, command, response };

    void due();
    void command_ends();
    void response_ends();
    void end_at(Time from, std::int64_t cycles, Phase phase);

    Wires& wires_;
    DataLine& data_;
    Dat0& dat0_;
    CommandListener* listener_ = nullptr;
    MemberEvent<&CommandLine::due> due_{*this};
    Phase phase_ = Phase::idle;
    Expect expect_ = Expect::nothing;
    CommandListener::Outcome outcome_ = CommandListener::Outcome::sent;
    std::uint8_t index_ = 0;
    std::uint8_t answered_index_ = 0;
    std::uint32_t argument_ = 0;
    std::array<std::uint32_t, 4> words_{};
    Time begin_{};     ///< first bit of the command
    Time free_from_{}; ///< for the next command
    Time left_{};      ///< frozen: until the phase ends, at `left_period_`
    Time left_period_{};
    bool frozen_ = false;
};

} // namespace mmcpipe::sim::wire
