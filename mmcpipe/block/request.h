#pragma once
// Request: what a client asks the block device for. Caller-owned, never copied, completed exactly once.
//
// What may be reordered, and what not:
// - Requests that do not overlap go in any order, also while others are under way.
// - Of two that overlap the one that was submitted first goes first, unless both read. They may be under way together.
// - A flush covers the writes that had ended when it was submitted. It holds nothing up.
// - A discard is like a write: sectors it names are not known to hold anything when it has ended.

#include "mmcpipe/base/list.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/host/request.h"

#include <cstdint>
#include <optional>
#include <span>

namespace mmcpipe::block {

enum class Operation : std::uint8_t { read, write, flush, discard };

struct Request : base::ListNode { // in the list of its scheduler
    using Done = void (*)(Request&) noexcept;

    Request() : order(*this) {}

    // --- the client's until `Device::submit`, and again when `done` is called ---
    Operation operation = Operation::read;
    bool fua = false;         ///< of a write: its data is on the medium when it ends
    std::uint16_t stream = 0; ///< of whom it comes: schedulers that share the bus share it between streams
    std::uint32_t sectors = 0;
    std::uint64_t sector = 0;                ///< the first, of 512 bytes
    std::span<const host::Buffer> buffers{}; ///< of a read or write: `sectors` x 512 bytes or more
    Done done = nullptr;                     ///< on the executor, exactly once

    // --- the device's, valid when `done` is called ---
    /// The first failure, or
    ///   out_of_range: no sectors, beyond the end of the card, or buffers too short; nothing was done.
    ///   not_possible, misaligned: the card cannot discard, or only whole erase units.
    std::optional<base::Error> failure{};
    std::uint64_t done_bytes = 0; ///< from the first on, that are known to be done
    base::Instant submitted{};
    base::Instant ended{};

    // --- the device's own ---
    struct Order : base::ListNode { // in the list of those that have not been handed over whole
        explicit Order(Request& r) : request(r) {}
        Request& request;
    } order;
    std::uint32_t given = 0;     ///< sectors handed to the pipeline
    std::uint16_t under_way = 0; ///< parts that are in it
    bool held = false;           ///< waits for one that it overlaps
    bool holds = false;          ///< another one waits for it
    bool alone = false;          ///< is not packed any more: a pack with it failed

    bool moves_data() const { return operation == Operation::read || operation == Operation::write; }
    host::Direction direction() const {
        return operation == Operation::read ? host::Direction::read : host::Direction::write;
    }
    std::uint64_t end() const { return sector + sectors; }
};

} // namespace mmcpipe::block
