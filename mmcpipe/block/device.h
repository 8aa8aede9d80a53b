#pragma once
// Device: sectors of a card for clients. It takes requests of any size over any list of buffers, puts them into the
// order of a scheduler, cuts and merges them into transfers that host, DMA and card can carry, and passes these through
// a pipeline.
//
// A request ends when its last part has, or the parts before the first that failed and those that were on their way
// with it.

#include "mmcpipe/block/arbiter.h"
#include "mmcpipe/block/completer.h"
#include "mmcpipe/block/order.h"
#include "mmcpipe/block/packing.h"
#include "mmcpipe/block/piece.h"
#include "mmcpipe/block/pipeline.h"
#include "mmcpipe/block/scheduler.h"
#include "mmcpipe/block/statistics.h"

#include <array>
#include <cstdint>
#include <optional>

namespace mmcpipe::block {

struct DeviceSettings {
    Depth depth = Depth::non_blocking;
    card::Bounding bounding = card::Bounding::open_ended; ///< of transfers of more than a sector
    std::uint32_t most_sectors = UINT32_MAX;              ///< of a transfer
    bool merge = true;                                    ///< requests that follow one another go as one transfer
    Packing packing = packing::adaptive;                  ///< where the card has it
    base::Duration lease = Arbiter::usual_lease;
    Statistics* statistics = nullptr; ///< nullptr: none are kept. Outlives the device
};

class Device final : private Source {
public:
    /// All must outlive the device.
    Device(card::Card& card, Scheduler& scheduler, Completer& completer, const DeviceSettings& settings = {});
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    ~Device() { again_.cancel(); }

    /// Runs until `stop` and until all that was submitted has ended. Fails only if there is no frame for it.
    base::Task<base::Result<void>> run() { return pipeline_.run(); }
    /// From now on nothing is submitted.
    void stop();

    /// On the executor. The request may end before this returns.
    void submit(Request& request);

    /// For whoever wants the card to itself for a while. What fails there is recovered by whoever does it.
    Arbiter& arbiter() { return arbiter_; }
    base::FrameArena& frames() { return card_.frames(); }

private:
    struct Again : base::Deadline {
        explicit Again(Pipeline& p) : Deadline(expire), pipeline(p) {}
        static void expire(base::Deadline& deadline) noexcept { static_cast<Again&>(deadline).pipeline.arrived(); }
        Pipeline& pipeline;
    };

    Transfer* next() noexcept override;
    void over(Transfer& transfer) noexcept override;

    std::optional<base::Error> refusal(const Request& request) const;
    void go(Request& request);
    void handed_over(Request& request);
    void give_up(Request& request);
    Piece::Limits limits() const;
    void merge(Piece& piece);
    void pack(Piece& piece, base::Instant now);
    base::Duration expected_before(const Piece& piece, base::Instant now) const;
    bool fits_in_time(const Piece& piece, const Request& more, base::Instant now) const;
    void part_over(const Piece& piece, std::size_t i, std::uint64_t& done);
    void again_alone(Request& request);
    void end_if_over(Request& request);
    void end(Request& request);
    base::Task<base::Result<void>> do_chores();

    card::Card& card_;
    Scheduler& scheduler_;
    Completer& completer_;
    const DeviceSettings settings_;
    Pipeline pipeline_;
    Arbiter arbiter_;
    Order order_;
    Again again_;
    std::array<Piece, 2> pieces_{};
    Piece* announced_ = nullptr; ///< a packed read whose header was handed over; its data is next
    Pace pace_;
    base::List<Request> chores_;                          ///< what moves no data
    std::optional<base::Task<base::Result<void>>> chore_; ///< does them; started when there are some
    unsigned open_ = 0;                                   ///< requests that have not ended
    bool stopping_ = false;
};

} // namespace mmcpipe::block
