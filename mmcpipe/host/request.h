#pragma once
// Request: one transaction on the bus. Caller-owned, never copied, completed exactly once.

#include "mmcpipe/base/list.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/spec/command.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mmcpipe::host {

enum class Direction : std::uint8_t { read, write };

/// One piece of a buffer list.
using Buffer = std::span<std::byte>;

/// The data of a request: `blocks` blocks of `block_size` bytes, in or out of `buffers`, one after another, from
/// `offset` on. The buffers hold at least so many bytes, and stay untouched by the caller from prepare to finish. The
/// offset lets a large transfer be cut, and a failed one be continued, over one list of buffers.
struct Data {
    Direction direction = Direction::read;
    std::uint32_t block_size = 512;
    std::uint32_t blocks = 0;
    std::span<const Buffer> buffers{};
    std::uint32_t offset = 0; ///< bytes of the buffers before the first block
    base::Duration timeout{}; ///< for one block: start bit, or end of the busy after it

    std::uint32_t bytes() const { return block_size * blocks; }
};

/// A command, and what the card answered.
struct CommandPhase {
    spec::Command command{};
    base::Duration busy_timeout{};           ///< R1b: DAT0 is released within this
    std::array<std::uint32_t, 4> response{}; ///< response[0] is the most significant word; 48-bit responses use only it
    std::optional<base::Error> error{};
};

/// When things happened, or were seen by an interrupt; `base::never` for what did not, or shows nowhere. Measured alike
/// on a board and in the simulator.
struct Phases {
    base::Instant prepared = base::never;    ///< buffers mapped
    base::Instant started = base::never;     ///< command written to the controller
    base::Instant responded = base::never;   ///< its response was seen, at the latest with the end of the data
    base::Instant data_begun = base::never;  ///< the first words went through the FIFO: by PIO only, DMA does it unseen
    base::Instant data_ended = base::never;  ///< last data bit; of a write, the end of the busy after it
    base::Instant stopped = base::never;     ///< response to the stop command
    base::Instant released = base::never;    ///< end of the busy after R1b, where the host sees it
    base::Instant interrupted = base::never; ///< the interrupt that ended the request, or the time-out that did
    base::Instant woken = base::never;       ///< the executor hears of it
    base::Instant finished = base::never;    ///< unmapped
};

namespace dma {
class Mapping;
}

class Request : public base::ListNode {
public:
    using Done = void (*)(Request&) noexcept;

    // --- the caller's, before it is handed over ---
    std::optional<CommandPhase> set_block_count{}; ///< CMD23
    CommandPhase command{};
    std::optional<Data> data{};
    std::optional<CommandPhase> stop{}; ///< CMD12: after open-ended data, or after a failure
    Done done = nullptr;                ///< on the executor, exactly once

    // --- the host's, valid when done is called ---
    std::optional<base::Error> error{}; ///< the first error
    std::uint32_t bytes_done = 0;       ///< bytes that are known to be done
    std::uint32_t host_status = 0;      ///< controller status with the first error
    Phases phases{};
    std::uint32_t record_number = 0; ///< in the host's flight record, from 1; 0: not there yet
    dma::Mapping* mapping = nullptr; ///< what is mapped for DMA, between prepare and finish

    /// What the host wrote is forgotten.
    void clear_outcome() {
        for (CommandPhase* phase : {set_block_count ? &*set_block_count : nullptr, &command, stop ? &*stop : nullptr}) {
            if (phase == nullptr) continue;
            phase->response = {};
            phase->error.reset();
        }
        error.reset();
        bytes_done = 0;
        host_status = 0;
        record_number = 0;
        phases = {};
    }
};

} // namespace mmcpipe::host
