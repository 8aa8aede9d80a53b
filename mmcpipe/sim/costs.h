#pragma once
// What the primitives of the port cost on a platform. Everything else takes no time.

#include "mmcpipe/sim/time.h"

namespace mmcpipe::sim {

struct Costs {
    // Registers: the CPU is busy for that long.
    Time register_read;          ///< one read, the wait for the answer included
    Time register_write;         ///< one ordered write, its barrier included
    Time register_write_relaxed; ///< one relaxed write
    Time fifo_word_read;         ///< one 32-bit word of `read_fifo`, or one byte of a FIFO that is a byte wide
    Time fifo_word_write;        ///< one 32-bit word of `write_fifo`, or one byte
    /// From the end of a register write at the CPU to its arrival at the device; costs the CPU nothing. Writes that
    /// follow before the one before has arrived arrive with it, when the last of them does.
    Time posted_delay = nanoseconds(100);

    // Processors.
    Time interrupt_entry; ///< from a line going up, interrupts enabled, to the first handler
    Time interrupt_exit;  ///< from the last handler's return to the interrupted code
    Time wake;            ///< from a thread being made ready to its going on: out of idle, and the switch

    // Cache and memory.
    Time cache_call;      ///< one call of `clean` or `invalidate`
    Time cache_page;      ///< one page of 4 KiB that such a call touches: maintenance works page by page
    Time clean_line;      ///< one line cleaned
    Time invalidate_line; ///< one line invalidated
    Time barrier;         ///< one `barrier`
    Time publish;         ///< one `publish`
};

} // namespace mmcpipe::sim
