#pragma once
// The states of a card, and the states in which it takes a command.

#include <cstdint>
#include <initializer_list>

namespace mmcpipe::spec {

/// Whose rules a card follows: JESD84 (MMC, eMMC) or the SD Physical Layer Specification.
enum class Family : std::uint8_t { mmc, sd };

/// States with their number in CURRENT_STATE (JESD84-B51 6.13, SD 4.10.1). An inactive card answers nothing and so has
/// no number.
enum class State : std::uint8_t {
    idle = 0,
    ready = 1,
    ident = 2,
    stby = 3,
    tran = 4,
    data = 5,
    rcv = 6,
    prg = 7,
    dis = 8,
    btst = 9, ///< MMC only: bus test
    slp = 10, ///< MMC only: sleep
    ina = 15, ///< inactive
};

/// A set of states.
class StateSet {
public:
    constexpr StateSet() = default;
    constexpr StateSet(std::initializer_list<State> states) {
        for (const State state : states) bits_ = static_cast<std::uint16_t>(bits_ | 1u << static_cast<unsigned>(state));
    }
    constexpr bool contains(State state) const { return (bits_ >> static_cast<unsigned>(state) & 1u) != 0; }
    constexpr bool operator==(const StateSet&) const = default;

private:
    std::uint16_t bits_ = 0;
};

/// True if a card takes the command in this state. A command after CMD55 is an application command if there is one of
/// that number. A card that gets a command it does not take gives no answer and sets ILLEGAL_COMMAND. For CMD7 this is
/// about a card that is addressed; see `deselectable` for the others. JESD84-B51 6.11 "Device state transition table",
/// SD Physical Layer 4.8 "Card state transition table".
bool legal(Family family, std::uint8_t index, bool after_app_cmd, State state);

/// True if there is an ACMD of this number.
bool is_application_command(Family family, std::uint8_t index);

/// What a CMD7 with another address ends: these states go to stby, prg to dis.
inline constexpr StateSet deselectable{State::tran, State::data, State::prg};

/// Card command classes: bit numbers of CCC in the CSD (JESD84-B51 6.10, SD 4.7.3).
enum class CommandClass : std::uint8_t {
    basic = 0,
    stream_read = 1, ///< MMC
    block_read = 2,
    stream_write = 3, ///< MMC
    block_write = 4,
    erase = 5,
    write_protection = 6,
    lock_card = 7,
    application = 8,
    io_mode = 9,
    switch_function = 10, ///< SD; MMC since 4.5: security protocol
    extension = 11,       ///< SD; MMC since 5.1: command queue
};

/// True if the card command classes `ccc` of a CSD have the class.
constexpr bool supports(std::uint16_t ccc, CommandClass wanted) {
    return (ccc >> static_cast<unsigned>(wanted) & 1u) != 0;
}

/// The classes a command belongs to, as a CCC with these bits: a card takes it if it has one of them. 0 for a reserved
/// command.
std::uint16_t classes_of(Family family, std::uint8_t index, bool after_app_cmd);

} // namespace mmcpipe::spec
