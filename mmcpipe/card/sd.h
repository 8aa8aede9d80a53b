#pragma once
// An SD card from stby to tran and to its highest bus mode (SD Physical Layer 4.3, 4.9; 5.6).

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/card/bus_mode.h"
#include "mmcpipe/card/link.h"
#include "mmcpipe/card/properties.h"

namespace mmcpipe::card::sd {

/// Reads CSD, selects the card, reads SCR and SD Status, widens the bus as far as the ceilings and both ends allow.
/// Fills `card` in.
base::Task<base::Result<void>> set_up(Link& link, Ceilings ceilings, Properties& card, Registers& registers);

/// ACMD6 and the host in one step, verified by reading SCR again.
base::Task<base::Result<void>> set_width(Link& link, host::BusWidth width, Properties& card, Registers& registers);

} // namespace mmcpipe::card::sd
