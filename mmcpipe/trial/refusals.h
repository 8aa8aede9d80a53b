#pragma once
// Conformance: requests that cannot be, and what works after them.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// Refused with out_of_range before it is sent. One that is sent all the same ends with r1_error, and OUT_OF_RANGE
/// or ADDRESS_ERROR.
base::Task<base::Result<Outcome>> beyond_the_end(Bench& bench);

/// A command, and one with data, that are illegal in the transfer state: command_timeout.
base::Task<base::Result<Outcome>> not_answered(Bench& bench);

/// unsupported_by_host: the bench cannot take the card out. Requests end with removed, those after the first one
/// without reaching the host. After it is put back and brought up the card has what was written before.
base::Task<base::Result<Outcome>> removed_card(Bench& bench);

} // namespace mmcpipe::trial
