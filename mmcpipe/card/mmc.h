#pragma once
// An MMC or eMMC card from stby to tran and to its highest bus mode (JESD84-B51 6.6.1 to 6.6.5, A.6).

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/card/bus_mode.h"
#include "mmcpipe/card/link.h"
#include "mmcpipe/card/properties.h"
#include "mmcpipe/spec/ext_csd.h"

#include <cstdint>

namespace mmcpipe::card::mmc {

/// Reads CSD, selects the card, reads EXT_CSD, raises the bus to what the ceilings allow and both ends manage. Fills
/// `card` in.
base::Task<base::Result<void>> set_up(Link& link, Ceilings ceilings, Properties& card, Registers& registers);

/// CMD6: writes a byte of EXT_CSD, and waits until the card has done it. switch_refused: SWITCH_ERROR.
base::Task<base::Result<void>> write_ext_csd(Link& link, spec::mmc::ext_csd::Field field, std::uint8_t value,
                                             base::Duration timeout);

/// Card and host in one step, verified by reading EXT_CSD again. On an error the two may disagree: go one down.
base::Task<base::Result<void>> set_mode(Link& link, BusMode mode, Properties& card, Registers& registers);

} // namespace mmcpipe::card::mmc
