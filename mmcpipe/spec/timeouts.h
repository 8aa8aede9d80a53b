#pragma once
// How long a card may take: the specifications' formulas over register values. All of them are limits, not typical
// times. They saturate at `longest` and never give 0, so that a register with nonsense in it makes no time-out that is
// always over. What single cards are known to need beyond them is not here.

#include "mmcpipe/base/units.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/ext_csd.h"
#include "mmcpipe/spec/sd_status.h"

#include <cstdint>

namespace mmcpipe::spec {

/// Far away, yet safe to add to any Instant.
inline constexpr base::Duration longest{INT64_MAX / 4};

namespace mmc {

/// From the end of the command, or of a block, to the next block: 10 x (TAAC + NSAC) (JESD84-B51 6.8.2).
base::Duration read_timeout(const Csd& csd, base::Hertz clock);
/// Busy after a block: the read time-out x R2W_FACTOR (6.8.2).
base::Duration write_timeout(const Csd& csd, base::Hertz clock);

/// Busy after CMD38 on `groups` erase groups, of the kind that ERASE_GROUP_DEF chooses.
base::Duration erase_timeout(Erase kind, std::uint32_t groups, const Csd& csd, const ExtCsd& ext_csd,
                             base::Hertz clock);
/// The same for a card without EXT_CSD.
base::Duration erase_timeout(std::uint32_t groups, const Csd& csd, base::Hertz clock);

/// Busy after CMD6, unless the byte that it writes has its own time-out. A card that gives none gets 500 ms.
base::Duration switch_timeout(const ExtCsd& ext_csd);
/// Busy after a CMD6 to PARTITION_CONFIG.
base::Duration partition_switch_timeout(const ExtCsd& ext_csd);
/// Busy after CMD5. A card that gives none, or a reserved code, gets the highest that is defined.
base::Duration sleep_awake_timeout(const ExtCsd& ext_csd);

} // namespace mmc

namespace sd {

/// SDSC: 100 x (TAAC + NSAC), at most 100 ms. Others: 100 ms (SD 4.6.2.1).
base::Duration read_timeout(const Csd& csd, base::Hertz clock);
/// Busy after a block. SDSC: 100 x (TAAC + NSAC) x R2W_FACTOR, at most 250 ms. SDHC: 250 ms. SDXC and SDUC: 500 ms
/// (SD 4.6.2.2).
base::Duration write_timeout(const Csd& csd, base::Hertz clock);
/// The specification asks hosts to wait so long whatever a card's own limit is, and cards need it.
inline constexpr base::Duration advised_write_timeout = base::milliseconds(500);

/// Busy after CMD38 on `sectors`, which may begin and end within an allocation unit (SD 4.14; 4.6.2.3 for a card that
/// gives no values).
base::Duration erase_timeout(std::uint32_t sectors, const SdStatus& status);

} // namespace sd

} // namespace mmcpipe::spec
