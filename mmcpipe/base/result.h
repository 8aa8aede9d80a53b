#pragma once
// What can go wrong, as a value. DESIGN: the first error wins; what recovery met is recorded beside it.

#include <cstdint>
#include <expected>

namespace mmcpipe::base {

/// Where an error comes from. A caller that does not care which error it was asks for its domain.
enum class Domain : std::uint8_t {
    bus,   ///< on the wire: nothing came, or what came was damaged
    card,  ///< the card answered, and said no
    host,  ///< the controller or its DMA
    usage, ///< the caller asked for what cannot be
    state, ///< not now: no card, removed, given up, out of frames
};

enum class Code : std::uint8_t {
    // bus
    command_timeout, ///< no response within N_CR
    command_crc,     ///< response with a wrong CRC7, index or end bit
    data_timeout,    ///< no start bit, or no CRC status, within the data time-out
    data_crc,        ///< read data with a wrong CRC16 or end bit
    write_crc,       ///< negative CRC status: the card got a damaged block
    // card
    r1_error,       ///< raw: the R1 error bits
    switch_refused, ///< SWITCH_ERROR after CMD6
    busy_timeout,   ///< still busy, or not back in the transfer state, at the time-out of its command
    not_supported,  ///< the card says that it cannot
    entry_failed,   ///< an entry of a packed command; raw: the R1 that tells of an exception
    bad_register,   ///< a register with contents that cannot be used
    // host
    overrun,          ///< receive FIFO ran over
    underrun,         ///< transmit FIFO ran dry
    dma_error,        ///< the DMA engine met a bus error
    software_timeout, ///< the controller never answered; raw: its status
    // usage
    misaligned,
    out_of_range,
    not_possible, ///< the host cannot do this
    // state
    no_card,
    removed,
    dead, ///< recovery gave up; only removal and insertion help
    aborted,
    out_of_frames, ///< the frame arena is used up
};

constexpr Domain domain_of(Code code) {
    if (code <= Code::write_crc) return Domain::bus;
    if (code <= Code::bad_register) return Domain::card;
    if (code <= Code::software_timeout) return Domain::host;
    if (code <= Code::not_possible) return Domain::usage;
    return Domain::state;
}

/// One error: its code (and so its domain) and the raw answer behind it (R1 bits, controller status).
struct Error {
    Code code;
    std::uint32_t raw;

    constexpr explicit Error(Code c, std::uint32_t r = 0) noexcept : code(c), raw(r) {}
    constexpr Domain domain() const { return domain_of(code); }
    constexpr bool operator==(const Error&) const = default;
};

/// Short name of a code, as logs print it.
constexpr const char* name(Code code) {
    switch (code) {
    case Code::command_timeout: return "command time-out";
    case Code::command_crc: return "command CRC";
    case Code::data_timeout: return "data time-out";
    case Code::data_crc: return "data CRC";
    case Code::write_crc: return "write CRC status";
    case Code::r1_error: return "R1 error";
    case Code::switch_refused: return "switch refused";
    case Code::busy_timeout: return "busy time-out";
    case Code::not_supported: return "not supported";
    case Code::entry_failed: return "entry of a packed command failed";
    case Code::bad_register: return "bad register";
    case Code::overrun: return "overrun";
    case Code::underrun: return "underrun";
    case Code::dma_error: return "DMA error";
    case Code::software_timeout: return "software time-out";
    case Code::misaligned: return "misaligned";
    case Code::out_of_range: return "out of range";
    case Code::not_possible: return "not possible";
    case Code::no_card: return "no card";
    case Code::removed: return "card removed";
    case Code::dead: return "dead";
    case Code::aborted: return "aborted";
    case Code::out_of_frames: return "out of frames";
    }
    return "unknown";
}

template <class T>
using Result = std::expected<T, Error>;

/// `return fail(Code::no_card);`
constexpr std::unexpected<Error> fail(Code code, std::uint32_t raw = 0) {
    return std::unexpected<Error>(Error(code, raw));
}
constexpr std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(error); }

} // namespace mmcpipe::base
