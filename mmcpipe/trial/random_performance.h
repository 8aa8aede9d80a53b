#pragma once
// mmc_test 33 and 34: requests at random places.

#include "mmcpipe/trial/case.h"

namespace mmcpipe::trial {

/// For 10 s, requests of each size, doubling from one sector to the largest, each in another erase unit than the one
/// before, in the second quarter of the card. For writes everything is done twice, and the second time counts: the card
/// has the same history for each size. The places are the same ones each time that the case runs.
/// unsupported_by_card: fewer than two erase units in a quarter of the card.
base::Task<base::Result<Outcome>> random_by_size(Bench& bench, Sink& sink, host::Direction direction);

} // namespace mmcpipe::trial
