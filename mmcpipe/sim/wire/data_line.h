#pragma once
// The DAT lines: blocks between card and controller. As long as both ends can follow, a page is one event; a controller
// that has room or data for less than a block gets slices.
//
// Blocks that nobody listens to pass, too, but cost nothing until somebody asks: `settle` accounts for what is over by
// now.

#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/wire/controller_end.h"
#include "mmcpipe/sim/wire/wires.h"

#include <cstdint>
#include <optional>

namespace mmcpipe::sim::wire {

class CommandLine;

class DataLine {
public:
    DataLine(Wires& wires, CommandLine& command) : wires_(wires), command_(command) {}

    // --- the controller ---
    void receive(Receiver& receiver, const Transfer& transfer);
    void transmit(Sender& sender, const Transfer& transfer);
    void stop();
    void go_on();

    // --- the bus ---
    /// Hands over the blocks that are over by now. To be called before the card hears of anything else.
    void settle() {
        if (run_.blocks != 0) hand_over();
    }
    /// The card has heard something, and may have begun or ended to send or take.
    void card_changed();
    /// The card is pulled out, or another one put in.
    void lose_card();
    /// The clock stops, and goes on, perhaps at another rate.
    void freeze();
    void thaw();

private:
    enum class Phase : std::uint8_t {
        idle,
        silence, ///< nothing is to come before the time-out
        start,   ///< for the start bit of a block
        blocks,  ///< whole blocks are on the wire
        slice,   ///< a part of a block is
        busy,    ///< for the card to take the next block, or to be done with the last
        data,    ///< for the controller to have data for the next block
        stalled, ///< for the controller, within a block or before one: the clock stands still
    };

    /// Blocks that follow one another on the wire, or will.
    struct Run {
        Chunk data{};
        std::uint32_t blocks = 0; ///< not over yet
        std::uint32_t length = 0; ///< of one of them, bytes
        std::int64_t cycles = 0;  ///< from its start bit until it is over: its end bit, or that of its CRC status
        Time begin{};             ///< start bit of the first
        Time busy{};              ///< after each
        Time pause{};             ///< from where one is over to the start bit of the next, busy included
        bool to_card = false;
        bool heard = false;  ///< the controller takes part
        bool sliced = false; ///< the receiver has the bytes already
        bool sound = true;   ///< no CRC16 is wrong
        bool cut = false;    ///< the card has broken off
    };

    bool receiving() const { return receiver_ != nullptr; }
    bool sending() const { return sender_ != nullptr; }
    /// The card and the controller agree about the wires and the block.
    bool fits() const {
        return lanes_ == wires_.lanes && wires_.period >= shortest_period_ && transfer_.block_length == length_;
    }
    Time block_time() const { return wires_.cycles(run_.cycles); }
    Time stride() const { return block_time() + run_.pause; }
    Time end_of(std::uint32_t blocks) const { return run_.begin + stride() * (blocks - 1) + block_time(); }
    Time all_over() const { return end_of(run_.blocks) + run_.busy; }
    std::uint32_t blocks_over() const;
    void hand_over();

    void wait(Phase phase, Time until);
    void wait_in_silence(Time until);
    void detach();
    void due();
    void cut();
    void stall();
    void resume_clock();
    /// Faults of the next blocks: `blocks` becomes how many of them share one fate. False if nothing will come of them.
    bool apply_faults(std::uint32_t& blocks) { return wires_.faults == nullptr || hit_ || strike(blocks); }
    bool strike(std::uint32_t& blocks);
    Chunk advance(std::uint32_t blocks);
    void show(Time from, Time to, std::uint32_t bytes, const char* name);
    void flush();

    // --- receive.cpp ---
    void listen();
    void plan_read(Time at);
    void nothing_comes();
    void hear();
    void next_receive_slice();
    void receive_slice_over();
    void blocks_came(std::uint32_t blocks);

    // --- transmit.cpp ---
    void send_next();
    void plan_write(const Acceptance& acceptance);
    Chunk take(std::uint32_t most);
    void next_send_slice();
    void send_slice_over();
    void blocks_went(std::uint32_t blocks);
    void release();

    Wires& wires_;
    CommandLine& command_;
    MemberEvent<&DataLine::due> event_{*this};

    Receiver* receiver_ = nullptr;
    Sender* sender_ = nullptr;
    Transfer transfer_{};      ///< `blocks` counts down
    std::uint32_t serial_ = 0; ///< changes when the controller's transfer does: a callback may have done it
    Flow flow_ = Flow::none;   ///< the card's
    std::uint32_t length_ = 0; ///< of its blocks; this and the next two hold for as long as it sends or takes
    Lanes lanes_{};
    Time shortest_period_{};
    bool mute_ = false; ///< a fault: the card sends, or confirms, no more blocks of this command
    Phase phase_ = Phase::idle;
    Run run_;
    std::optional<Faults::Hit> hit_{}; ///< a fault strikes the run, which is one block
    Time clear_from_{};                ///< for the next start bit
    Time deadline_{};                  ///< for what is waited for
    Time asked_at_ = forever;          ///< end of the read command whose first block is to come

    std::uint32_t offset_ = 0; ///< in the block that moves in slices
    std::uint32_t slice_ = 0;  ///< bytes under way
    PageRef assembly_{};       ///< the block being put together
    Chunk rest_{};             ///< taken from the sender, not sent yet
    std::uint32_t went_ = 0;   ///< blocks that the sender has not heard of
    bool went_well_ = true;
    Time status_end_{};

    bool frozen_ = true;
    Time frozen_at_{};
    Time frozen_period_{};
    Time left_{}; ///< frozen: from then until what was due
    Time stalled_at_{};

    const char* shown_name_ = nullptr; ///< the stretch of data that traces show as one
    Time shown_from_{};
    Time shown_to_{};
    std::uint32_t shown_bytes_ = 0;
};

} // namespace mmcpipe::sim::wire
