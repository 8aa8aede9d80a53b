#pragma once
// The controller's end of the wires, as its model implements it. All of it may call the bus back from within, but for
// `room` and `take`, which only answer.

#include "mmcpipe/sim/page.h"
#include "mmcpipe/sim/time.h"

#include <array>
#include <cstdint>

namespace mmcpipe::sim::wire {

/// The controller's end of the CMD line.
class CommandListener {
public:
    enum class Outcome : std::uint8_t { sent, response, bad_crc, no_response };
    /// The command under way is over: sent (none expected), answered, answered with a wrong CRC7, or not answered
    /// within N_CR. `index` is the answer's. In R2 and R3 it is 63, and R3 has ones in place of its CRC7: a controller
    /// that checks calls it wrong, so the outcome is `bad_crc`, always (JESD84-B51 6.12, SD 4.9.4).
    virtual void command_ended(Outcome outcome, std::uint8_t index, const std::array<std::uint32_t, 4>& words) = 0;

protected:
    ~CommandListener() = default;
};

/// The controller's end of the DAT lines while it receives. The line asks for room before each slice.
class Receiver {
public:
    /// Bytes that can be taken now. Less than what is next stops the clock (flow control) until `Bus::go_on`, or,
    /// without flow control, overruns. Room for whole blocks is room for one slice of them, up to a page; room for less
    /// is used by slices that size: a FIFO that wants to be heard of at its half says half.
    virtual std::uint32_t room() = 0;
    /// A slice of a block, or whole blocks, came.
    virtual void received(const Chunk& slice) = 0;
    /// The last block's CRC16 and end bit came; `blocks` whole blocks are behind us. After a damaged one the transfer
    /// is over for the controller, as after the last.
    virtual void blocks_received(std::uint32_t blocks, bool crc_ok) = 0;
    /// No room, no flow control. The transfer is over for the controller.
    virtual void overrun() = 0;
    /// No start bit within the time-out. The transfer is over for the controller.
    virtual void receive_timed_out() = 0;

protected:
    ~Receiver() = default;
};

/// The controller's end of the DAT lines while it sends.
class Sender {
public:
    /// Takes up to `most` bytes for the wire, of one page; fewer or none if it has no more now. None at the beginning
    /// of a block: the line waits for `Bus::go_on`. None within a block stops the clock (flow control) until then, or,
    /// without flow control, runs dry.
    virtual Chunk take(std::uint32_t most) = 0;
    /// CRC status of `blocks` blocks came; the card's busy after the last has ended. After a negative one the transfer
    /// is over for the controller, as after the last.
    virtual void blocks_sent(std::uint32_t blocks, bool crc_ok) = 0;
    /// Nothing to send within a block, no flow control. The transfer is over for the controller.
    virtual void underrun() = 0;
    /// No CRC status, or busy, for longer than the time-out. The transfer is over for the controller.
    virtual void send_timed_out() = 0;

protected:
    ~Sender() = default;
};

/// What the controller expects after a command.
enum class Expect : std::uint8_t { nothing, short_response, long_response };

/// A data transfer as the controller's data path is programmed.
struct Transfer {
    std::uint32_t block_length; ///< bytes
    std::uint32_t blocks;
    bool flow_control; ///< the clock stops while the FIFO cannot follow
    Time timeout;      ///< for a start bit, a CRC status, the end of busy; a stopped clock stops it
};

} // namespace mmcpipe::sim::wire
