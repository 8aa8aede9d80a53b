#pragma once
// The flight record of a host as text: what led to an error.

#include "mmcpipe/host/flight_record.h"

#include <cstddef>
#include <string>

namespace mmcpipe::report {

/// Entries that are shown at most: the last ones.
inline constexpr std::size_t flight_lines_most = 16;

/// Two lines an entry, of at most 200 characters:
///
///       1.234567890 s  CMD18 00001000 -> 00000900, stop -> 00000b00, 512 of 4096 bytes by DMA: data CRC, status
///       00000002
///                      us: prepared -80.2, response 171.3, last data 171.3, stop 175.0, interrupt 175.0, wake-up 313.1
///
/// the time of the start, and those of the phases from there; phases that did not happen, or show nowhere, are left
/// out. "x 52" before the arrow: asked so often, and always answered so.
std::string text_of(const host::FlightRecord& record);

} // namespace mmcpipe::report
