#pragma once
// What the flash behind a card costs: the few numbers that set one card apart from another. All times are the card's,
// beside what the bus takes.

#include "mmcpipe/sim/time.h"

#include <cstdint>

namespace mmcpipe::sim::card {

struct FlashTiming {
    /// From the first CMD1 or ACMD41 that names a voltage to the first that is answered without busy.
    Time power_up_time = milliseconds(20);

    /// End bit of a read command to the first start bit, if the read does not continue the one before.
    Time read_access = microseconds(100);
    /// A read that continues the one before: its data comes so long after the end of the data before it, not earlier.
    /// The card starts its read-ahead anew.
    Time read_gap{};
    /// Bytes. If the command before has moved so much, read-ahead runs on, and a read that continues it has its data at
    /// once.
    std::uint32_t read_stream_after = 0;
    /// Idle time before every block but a command's first.
    Time read_block_gap{};

    /// Busy after a block for which there is room in the buffer.
    Time write_block_busy = microseconds(2);
    /// Bytes that are programmed in one go, a multiple of 512.
    std::uint32_t page = 8192;
    /// Busy after a write that ends within a page. A write that continues there completes the page, at no extra cost.
    Time partial_program{};
    /// Pages are programmed from the buffer in the background, one after another, so long each; 0: never what one waits
    /// for.
    Time program_page{};
    /// Bytes. A full one makes the next block wait; data in it does not keep the card busy, and does not outlive the
    /// supply.
    std::uint32_t buffer = 65536;

    /// CMD38: for each erase group that is touched.
    Time erase_group_time = milliseconds(1);
    Time trim_time = microseconds(200);
    /// Busy after CMD6 and CMD5 of an eMMC.
    Time switch_time = microseconds(500);
};

} // namespace mmcpipe::sim::card
