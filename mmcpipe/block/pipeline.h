#pragma once
// The pipeline: from a source of transfers over the wire and back, one on the wire, the next one prepared meanwhile.
//
//     blocking (depth 1)       prepare 1 | wire 1 | finish 1 | prepare 2 | wire 2 | finish 2
//     non-blocking (depth 2)   prepare 1 | wire 1             | wire 2                       |
//                                          prepare 2            finish 1, prepare 3

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/block/transfer.h"
#include "mmcpipe/card/card.h"

#include <cstdint>
#include <optional>

namespace mmcpipe::block {

/// Where transfers come from, and go back to. Called on the executor.
class Source {
public:
    /// The next transfer; nullptr if there is none now. Whoever has one later calls `Pipeline::arrived`.
    virtual Transfer* next() noexcept = 0;
    /// The transfer is over, well or not, and its buffers are the client's again. Each one that was taken comes back
    /// exactly once.
    virtual void over(Transfer& transfer) noexcept = 0;

protected:
    ~Source() = default;
};

enum class Depth : std::uint8_t { blocking = 1, non_blocking = 2 };

class Pipeline {
public:
    /// All must outlive the pipeline.
    Pipeline(card::Card& card, Source& source, Depth depth);

    /// Runs until `stop` and until what was taken is over. Fails only if there is no frame for it.
    base::Task<base::Result<void>> run();

    /// The source has something again.
    void arrived() { woken_.set(); }
    /// No transfer is taken any more.
    void stop() {
        stopping_ = true;
        woken_.set();
    }

    base::FrameArena& frames() { return card_.frames(); }

private:
    void prepare_ahead(Transfer*& next);
    Transfer* take();
    base::Result<void> make_ready(Transfer& transfer);
    void start(Transfer& transfer);
    bool go_on(Transfer& transfer, const card::Verdict& verdict);
    void give_back(Transfer& transfer, std::optional<base::Error> failure);

    card::Card& card_;
    host::Host& host_;
    Source& source_;
    Depth depth_;
    base::Event woken_; ///< the transfer is off the wire, or has settled; or an arrival
    card::Settle settle_;
    Transfer* set_aside_ = nullptr; ///< was prepared when the one before it failed
    bool on_wire_ = false;
    bool stopping_ = false;
};

} // namespace mmcpipe::block
