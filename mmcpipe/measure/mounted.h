#pragma once
// A block device mounted for threads: the card brought up, a scheduler and a completer put together with a device, and
// its executor running while clients do.

#include "mmcpipe/base/units.h"
#include "mmcpipe/block/device.h"
#include "mmcpipe/block/statistics.h"
#include "mmcpipe/card/card.h"
#include "mmcpipe/measure/disk.h"

#include <cstdint>
#include <functional>

namespace mmcpipe::measure {

enum class SchedulerKind : std::uint8_t { fifo, deadline, fair, turns };

struct MountOptions {
    block::DeviceSettings device;
    SchedulerKind scheduler = SchedulerKind::turns;
    Completion completion = Completion::unlocked;
};

struct Mounted {
    System& system;
    Disk& disk;
    card::Card& card;
    block::Statistics& statistics; ///< of the device, since it was mounted
};

/// From the executor's own thread: brings the card up and calls `clients` on a thread of its own. Returns when that has
/// returned and all that was submitted is over. Throws std::runtime_error if the card does not come up.
void mount(System& system, card::Card& card, const MountOptions& options, const std::function<void(Mounted&)>& clients);

/// Runs `body(0)` to `body(count - 1)`, each on a thread of its own, spread over the processors; returns when all have.
void run_all(System& system, const char* name, unsigned count, const std::function<void(unsigned)>& body);

} // namespace mmcpipe::measure
