#pragma once
// Steps: the commands of one request, in their order. What a driver does in each of them is its own affair; which one
// is next is the same for all.

#include "mmcpipe/host/request.h"

#include <cstdint>

namespace mmcpipe::host {

/// Where a request is: on its CMD23, its command with the data, or its CMD12.
enum class Step : std::uint8_t { idle, set_block_count, command, stop };

inline Step first_step(const Request& request) {
    return request.set_block_count ? Step::set_block_count : Step::command;
}

/// What follows a step that is over, successfully or not (see `note_error`). `idle`: nothing, the request has ended.
Step next_step(const Request& request, Step step);

/// The command of a step, which must not be `idle`.
CommandPhase& phase_of(Request& request, Step step);

/// The first error of a request wins. `status` is the controller's.
void note_error(Request& request, base::Error error, std::uint32_t status);

} // namespace mmcpipe::host
