#include "mmcpipe/sim/wire/command_line.h"

#include "mmcpipe/sim/wire/dat0.h"
#include "mmcpipe/sim/wire/data_line.h"
#include "mmcpipe/sim/wire/timing.h"

#include <algorithm>
#include <utility>

namespace mmcpipe::sim::wire {

namespace {

using Outcome = CommandListener::Outcome;

constexpr std::array<const char*, 64> command_names{
    "CMD0",  "CMD1",  "CMD2",  "CMD3",  "CMD4",  "CMD5",  "CMD6",  "CMD7",  "CMD8",  "CMD9",  "CMD10", "CMD11", "CMD12",
    "CMD13", "CMD14", "CMD15", "CMD16", "CMD17", "CMD18", "CMD19", "CMD20", "CMD21", "CMD22", "CMD23", "CMD24", "CMD25",
    "CMD26", "CMD27", "CMD28", "CMD29", "CMD30", "CMD31", "CMD32", "CMD33", "CMD34", "CMD35", "CMD36", "CMD37", "CMD38",
    "CMD39", "CMD40", "CMD41", "CMD42", "CMD43", "CMD44", "CMD45", "CMD46", "CMD47", "CMD48", "CMD49", "CMD50", "CMD51",
    "CMD52", "CMD53", "CMD54", "CMD55", "CMD56", "CMD57", "CMD58", "CMD59", "CMD60", "CMD61", "CMD62", "CMD63"};

/// Index field of a response without one (JESD84-B51 6.12, SD 4.9).
constexpr std::uint8_t reserved_index = 63;

/// f_OD of JESD84, 400 kHz, and 1 %.
constexpr Time shortest_open_drain_period = nanoseconds(2475);

bool without_index(spec::Response kind) { return kind == spec::Response::r2 || kind == spec::Response::r3; }

} // namespace

void CommandLine::send(std::uint8_t index, std::uint32_t argument, Expect expect, CommandListener& listener) {
    index_ = index & 63u;
    argument_ = argument;
    expect_ = expect;
    listener_ = &listener;
    begin_ = std::max(wires_.now(), free_from_);
    end_at(begin_, command_cycles, Phase::command);
}

void CommandLine::freeze() {
    if (!due_.scheduled()) return;
    frozen_ = true;
    left_ = due_.when() - wires_.now();
    left_period_ = wires_.period;
    wires_.engine.cancel(due_);
}

void CommandLine::thaw() {
    if (!frozen_ || !wires_.running()) return;
    frozen_ = false;
    wires_.engine.schedule(due_, wires_.now() + Time{left_.ps * wires_.period.ps / left_period_.ps});
}

void CommandLine::card_gone() {
    if (phase_ == Phase::response && outcome_ == Outcome::response) outcome_ = Outcome::bad_crc;
}

void CommandLine::due() {
    if (phase_ == Phase::command) {
        command_ends();
    } else {
        response_ends();
    }
}

/// `cycles` after `from`, if the clock runs.
void CommandLine::end_at(Time from, std::int64_t cycles, Phase phase) {
    phase_ = phase;
    frozen_ = !wires_.running();
    if (frozen_) {
        left_ = Time{cycles};
        left_period_ = Time{1};
        wires_.engine.cancel(due_);
    } else {
        wires_.engine.schedule(due_, from + wires_.cycles(cycles));
    }
}

void CommandLine::command_ends() {
    const Time now = wires_.now();
    data_.settle();
    const Faults::Hit hit = wires_.faults != nullptr ? wires_.faults->command(index_) : Faults::Hit{};
    if (hit.removed) data_.lose_card();

    Card* const card = wires_.card;
    std::optional<Answer> answer;
    if (card != nullptr) {
        const bool too_fast = wires_.open_drain && wires_.period < shortest_open_drain_period;
        if (hit.spoiled_entry) card->spoil_packed_entry(*hit.spoiled_entry);
        answer = card->command({index_, argument_, !hit.misheard && !too_fast}, now);
        if (hit.busy) card->hang(after(now, *hit.busy));
        data_.card_changed();
        dat0_.check();
        wires_.show_busy(now, card->busy_until());
    }

    const bool is_long = answer && answer->kind == spec::Response::r2;
    const std::int64_t cycles = answer ? answer->delay + (is_long ? long_response_cycles : short_response_cycles) : 0;
    if (expect_ == Expect::nothing) {
        outcome_ = Outcome::sent;
        response_ends();
        // Nobody reads the answer, but it keeps the line.
        if (answer) free_from_ = now + wires_.cycles(cycles + n_rc);
    } else if (!answer || hit.lost) {
        outcome_ = Outcome::no_response;
        end_at(now, n_cr_max, Phase::response);
    } else {
        const bool readable = !hit.damaged && wires_.period >= card->shortest_period() &&
                              is_long == (expect_ == Expect::long_response) && answer->kind != spec::Response::r3;
        outcome_ = readable ? Outcome::response : Outcome::bad_crc;
        answered_index_ = without_index(answer->kind) ? reserved_index : index_;
        words_ = answer->words;
        end_at(now, cycles, Phase::response);
    }
}

void CommandLine::response_ends() {
    const Time now = wires_.now();
    phase_ = Phase::idle;
    free_from_ = now + wires_.cycles(outcome_ == Outcome::response || outcome_ == Outcome::bad_crc ? n_rc : n_cc);
    wires_.span(Lane::command, command_names[index_], begin_, now, argument_);
    CommandListener* const listener = std::exchange(listener_, nullptr);
    if (listener != nullptr) listener->command_ended(outcome_, answered_index_, words_);
}

} // namespace mmcpipe::sim::wire
