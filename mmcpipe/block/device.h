#pragma once
// Device: sectors of a card for clients. It takes requests of any size over any list of buffers, cuts them into
// transfers that host, DMA and card can carry, and passes these through a pipeline.
//
// Requests go in the order in which they came, and so do the pieces of one. A request ends when its last piece has, or
// the pieces before the first that failed and those that were on their way with it.

#include "mmcpipe/base/list.h"
#include "mmcpipe/block/pipeline.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace mmcpipe::block {

/// What a client asks for. Its own until `Device::submit`, and again when `done` is called.
struct Request : base::ListNode {
    using Done = void (*)(Request&) noexcept;

    // --- the client's ---
    host::Direction direction = host::Direction::read;
    std::uint64_t sector = 0; ///< the first, of 512 bytes
    std::uint32_t sectors = 0;
    std::span<const host::Buffer> buffers{}; ///< `sectors` x 512 bytes or more
    Done done = nullptr;                     ///< on the executor, exactly once

    // --- the device's, valid when `done` is called ---
    /// The first failure, or
    ///   out_of_range: no sectors, beyond the end of the card, or buffers too short; nothing was done.
    std::optional<base::Error> failure{};
    std::uint64_t done_bytes = 0; ///< from the first on, that are known to be done

    // --- the device's own ---
    std::uint32_t given = 0;     ///< sectors handed to the pipeline
    std::uint32_t under_way = 0; ///< pieces that are in it
};

class Device final : private Source {
public:
    /// `bounding`: how the card knows where transfers of more than a sector end.
    Device(card::Card& card, Depth depth, card::Bounding bounding);

    /// Runs until `stop` and until all that was submitted has ended. Fails only if there is no frame for it.
    base::Task<base::Result<void>> run() { return pipeline_.run(); }
    /// From now on nothing is submitted.
    void stop();

    /// On the executor. `done` may be called before this returns.
    void submit(Request& request);

private:
    struct Piece : Transfer {
        block::Request* request = nullptr; ///< nullptr: free
    };

    Transfer* next() noexcept override;
    void over(Transfer& transfer) noexcept override;
    void end_if_over(Request& request);

    card::Card& card_;
    card::Bounding bounding_;
    Pipeline pipeline_;
    base::List<Request> waiting_; ///< not all of them handed over
    std::array<Piece, 2> pieces_{};
    unsigned open_ = 0; ///< requests that have not ended
    bool stopping_ = false;
};

} // namespace mmcpipe::block
