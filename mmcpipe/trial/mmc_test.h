#pragma once
// mmc_test: the cases 1 to 44 of the Linux kernel's driver of that name, by their numbers and names, so that results
// can be laid beside published ones. Behaviour is the kernel's; where this one differs the topic's header says so.
//
// They overwrite the card: 1 to 18 the first `functional_sectors` sectors (3 to 14 leave zeros there), 23 to 44 an area
// in the middle and the second quarter.

#include "mmcpipe/trial/case.h"

#include <cstdint>
#include <span>

namespace mmcpipe::trial {

/// Sectors from 0 on that the functional cases use: four pages.
inline constexpr std::uint32_t functional_sectors = 32;

/// 1 to 44, in order.
std::span<const Case> mmc_test_cases();

} // namespace mmcpipe::trial
