#include "mmcpipe/block/pipeline.h"

#include <utility>

namespace mmcpipe::block {

namespace {

/// What is not done yet.
card::Transfer rest_of(const Transfer& transfer) {
    card::Transfer rest = transfer.wanted;
    rest.sector += transfer.done_bytes / 512;
    rest.blocks -= transfer.done_bytes / rest.block_size;
    return rest;
}

} // namespace

Pipeline::Pipeline(card::Card& card, Source& source, Depth depth)
    : card_(card),
      host_(card.host()),
      source_(source),
      depth_(depth),
      woken_(card.executor()),
      settle_(card.host(), woken_) {}

base::Task<base::Result<void>> Pipeline::run() {
    Transfer* current = nullptr; // on the wire
    Transfer* next = nullptr;    // prepared

    for (;;) {
        if (current == nullptr) {
            current = take();
            if (current == nullptr) {
                if (stopping_) co_return {};
                co_await woken_.wait();
                continue;
            }
            start(*current);
        }

        // While it is on the wire prepare the next one, now or when it arrives. The host's own time-out ends this wait.
        while (on_wire_) {
            prepare_ahead(next);
            co_await woken_.wait();
        }

        // It has ended when its status is good, too. There is as much time for the next one until then.
        base::Result<void> ended = card::verdict(*current, card_.properties());
        if (ended) {
            settle_.start(card_.peer(), current->confirm, card_.properties().times.write);
            while (!settle_.is_over()) {
                prepare_ahead(next);
                co_await woken_.wait();
            }
            const auto settled = settle_.verdict();
            current->settled = card_.executor().now();
            if (!settled) ended = base::fail(settled.error());
            if (settled && current->packed && card::has_exception(*settled))
                ended = base::fail(base::Code::entry_failed, *settled);
        }

        if (!ended) {
            // The next one waits, unprepared, until the rest of this one is done or given up.
            if (next != nullptr) host_.unprepare(*next);
            set_aside_ = std::exchange(next, nullptr);
            host_.finish(*current);
            const auto verdict = co_await base::outcome(card_.recover(*current, ended.error(), ++current->attempts));
            if (verdict && ended.error().code == base::Code::entry_failed) {
                const auto packed = co_await base::outcome(card_.read_packed_status());
                if (packed) current->entries_done = packed->done();
            }
            if (!verdict) {
                give_back(*std::exchange(current, nullptr), verdict.error());
            } else if (go_on(*current, *verdict)) {
                start(*current);
            } else {
                current = nullptr;
            }
            continue;
        }

        // Start the next one at once, and only then finish this one and tell its client.
        Transfer& finished = *std::exchange(current, std::exchange(next, nullptr));
        if (current != nullptr) start(*current);
        host_.finish(finished);
        finished.done_bytes += finished.bytes_done;
        give_back(finished, {});
    }
}

/// The one after the current one, if it is to be prepared before that has ended, and there is one.
void Pipeline::prepare_ahead(Transfer*& next) {
    if (next == nullptr && depth_ == Depth::non_blocking) next = take();
}

/// The next transfer, prepared. Those that cannot be are over at once.
Transfer* Pipeline::take() {
    for (;;) {
        Transfer* transfer = std::exchange(set_aside_, nullptr);
        if (transfer == nullptr) {
            if (stopping_) return nullptr;
            transfer = source_.next();
            if (transfer == nullptr) return nullptr;
            transfer->failure.reset();
            transfer->done_bytes = 0;
            transfer->attempts = 0;
            transfer->entries_done = 0;
            transfer->settled = base::never;
            transfer->pipeline = this;
        }
        const auto ready = make_ready(*transfer);
        if (ready) return transfer;
        give_back(*transfer, ready.error());
    }
}

/// Fills in and prepares what is not done yet.
base::Result<void> Pipeline::make_ready(Transfer& transfer) {
    const auto filled = transfer.packed ? card_.fill_packed(transfer, *transfer.packed, transfer.wanted)
                                        : card_.fill(transfer, rest_of(transfer));
    if (!filled) return filled;
    transfer.data->offset = transfer.buffer_offset + transfer.done_bytes;
    transfer.done = [](host::Request& request) noexcept {
        Pipeline& pipeline = *static_cast<Transfer&>(request).pipeline;
        pipeline.on_wire_ = false;
        pipeline.woken_.set();
    };
    return host_.prepare(transfer);
}

void Pipeline::start(Transfer& transfer) {
    on_wire_ = true;
    host_.start(transfer);
}

/// After recovery: true if the rest is prepared to be sent again; otherwise the transfer was given back.
bool Pipeline::go_on(Transfer& transfer, const card::Verdict& verdict) {
    if (transfer.packed) {
        give_back(transfer, verdict.error);
        return false;
    }
    // Blocks of another size than a sector cannot be addressed one by one: all or nothing.
    if (transfer.wanted.block_size == 512) transfer.done_bytes += verdict.bytes_done;
    const bool complete = transfer.done_bytes == transfer.wanted.blocks * transfer.wanted.block_size;
    if (!verdict.retry || complete) {
        give_back(transfer, verdict.retry ? std::nullopt : std::optional(verdict.error));
        return false;
    }
    const auto ready = make_ready(transfer);
    if (!ready) give_back(transfer, ready.error());
    return ready.has_value();
}

void Pipeline::give_back(Transfer& transfer, std::optional<base::Error> failure) {
    transfer.failure = failure;
    source_.over(transfer);
}

} // namespace mmcpipe::block
