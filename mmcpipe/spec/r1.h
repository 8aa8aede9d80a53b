#pragma once
// R1: the card status in a response, and R6, in which SD packs it beside an address.
// JESD84-B51 6.13, SD Physical Layer 4.10.1 and 4.9.5.

#include "mmcpipe/base/bits.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/state.h"

#include <cstdint>

namespace mmcpipe::spec {

namespace r1 {

using AddressOutOfRange = base::Field<bool, 31>; ///< SD: OUT_OF_RANGE
using AddressMisalign = base::Field<bool, 30>;   ///< SD: ADDRESS_ERROR
using BlockLenError = base::Field<bool, 29>;
using EraseSeqError = base::Field<bool, 28>;
using EraseParam = base::Field<bool, 27>;
using WpViolation = base::Field<bool, 26>;
using CardIsLocked = base::Field<bool, 25>;
using LockUnlockFailed = base::Field<bool, 24>;
using ComCrcError = base::Field<bool, 23>;    ///< about the command before
using IllegalCommand = base::Field<bool, 22>; ///< about the command before
using CardEccFailed = base::Field<bool, 21>;
using CcError = base::Field<bool, 20>;
using Error = base::Field<bool, 19>;
using Underrun = base::Field<bool, 18>; ///< MMC, stream read
using Overrun = base::Field<bool, 17>;  ///< MMC, stream write
using CidCsdOverwrite = base::Field<bool, 16>;
using WpEraseSkip = base::Field<bool, 15>;
using CardEccDisabled = base::Field<bool, 14>; ///< SD
using EraseReset = base::Field<bool, 13>;
using CurrentState = base::Field<State, 12, 9>; ///< when the command came, before it took effect
using ReadyForData = base::Field<bool, 8>;
using SwitchError = base::Field<bool, 7>;    ///< MMC
using UrgentBkops = base::Field<bool, 6>;    ///< MMC 4.41
using ExceptionEvent = base::Field<bool, 6>; ///< MMC since 4.5: EXCEPTION_EVENTS_STATUS says which
using AppCmd = base::Field<bool, 5>;
using AkeSeqError = base::Field<bool, 3>; ///< SD

template <class... Fields>
inline constexpr std::uint32_t mask_of = (Fields::mask | ...);

/// Every bit that says that something went wrong. ERASE_RESET is not here: it tells that a sequence was left, and the
/// host knows.
inline constexpr std::uint32_t errors =
    mask_of<AddressOutOfRange, AddressMisalign, BlockLenError, EraseSeqError, EraseParam, WpViolation, LockUnlockFailed,
            ComCrcError, IllegalCommand, CardEccFailed, CcError, Error, Underrun, Overrun, CidCsdOverwrite,
            WpEraseSkip>;

/// Errors that belong to one family.
inline constexpr std::uint32_t mmc_errors = errors | SwitchError::mask;
inline constexpr std::uint32_t sd_errors = (errors & ~mask_of<Underrun, Overrun>) | AkeSeqError::mask;

/// Errors that are about the command before the one answered.
inline constexpr std::uint32_t about_previous = mask_of<ComCrcError, IllegalCommand>;

/// Detection mode X: found while the command is carried out, after its response. They show in the next one, and clear
/// when read: a host that polls a busy card has to gather them.
inline constexpr std::uint32_t found_in_execution =
    mask_of<AddressOutOfRange, AddressMisalign, EraseParam, WpViolation, LockUnlockFailed, CardEccFailed, CcError,
            Error, Underrun, Overrun, CidCsdOverwrite, WpEraseSkip, SwitchError>;

/// What tells how the card is now: neither latched nor cleared by reading (clear condition A).
inline constexpr std::uint32_t conditions =
    mask_of<CardIsLocked, CardEccDisabled, CurrentState, ReadyForData, UrgentBkops>;

/// The word of a card without errors.
constexpr std::uint32_t status(State state, bool ready_for_data) {
    return CurrentState::of(state) | ReadyForData::of(ready_for_data);
}

/// The card takes a data command: in tran, and ready.
constexpr bool in_transfer_state(std::uint32_t word) {
    return CurrentState::get(word) == State::tran && ReadyForData::get(word);
}

} // namespace r1

namespace sd {

/// R6: the address that the card proposes, and bits 23, 22, 19 and 12:0 of its status.
struct R6 {
    Rca rca;
    std::uint32_t status = 0; ///< as in R1; what R6 leaves out is 0

    constexpr bool operator==(const R6&) const = default;
    constexpr std::uint32_t word() const {
        return rca.argument() | (status >> 8 & 0xc000u) | (status >> 6 & 0x2000u) | (status & 0x1fffu);
    }
    static constexpr R6 in(std::uint32_t word) {
        return {Rca::in(word), (word & 0xc000u) << 8 | (word & 0x2000u) << 6 | (word & 0x1fffu)};
    }
};

} // namespace sd

} // namespace mmcpipe::spec
