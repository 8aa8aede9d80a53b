#include "mmcpipe/block/device.h"

#include "mmcpipe/card/erase.h"

#include <algorithm>

namespace mmcpipe::block {

namespace {

constexpr std::array ways_to_discard{spec::Erase::discard, spec::Erase::trim, spec::Erase::erase};

} // namespace

Device::Device(card::Card& card, Scheduler& scheduler, Completer& completer, const DeviceSettings& settings)
    : card_(card),
      scheduler_(scheduler),
      completer_(completer),
      settings_(settings),
      pipeline_(card, *this, settings.depth),
      arbiter_(card.executor(), pipeline_, settings.lease),
      again_(pipeline_) {}

void Device::stop() {
    stopping_ = true;
    if (open_ == 0) pipeline_.stop();
}

void Device::submit(Request& request) {
    request.failure = refusal(request);
    request.done_bytes = 0;
    request.given = 0;
    request.under_way = 0;
    request.submitted = card_.executor().now();
    ++open_;
    if (request.failure || request.operation == Operation::flush) {
        // Without a cache in use what has ended is on the medium.
        end(request);
    } else if (order_.enter(request)) {
        go(request);
    }
}

std::optional<base::Error> Device::refusal(const Request& request) const {
    if (request.operation == Operation::flush) return {};
    const std::uint64_t end = card_.properties().capacity.sectors();
    const bool on_card = request.sector < end && request.sectors <= end - request.sector;
    std::uint64_t there = 0;
    for (const host::Buffer buffer : request.buffers) there += buffer.size();
    const bool short_of_buffers = request.moves_data() && there < std::uint64_t{request.sectors} * 512;
    if (request.sectors == 0 || !on_card || short_of_buffers) return base::Error(base::Code::out_of_range);
    return {};
}

/// Nothing that it overlaps is before it any more.
void Device::go(Request& request) {
    if (request.moves_data()) {
        scheduler_.add(request);
        pipeline_.arrived();
        return;
    }
    chores_.push_back(request);
    if (chore_ && !chore_->done()) return;
    chore_.emplace(do_chores());
    chore_->start();
    if (!chore_->done()) return;
    // There was no frame for it.
    while (Request* const left = chores_.pop_front()) {
        left->failure = base::Error(base::Code::out_of_frames);
        handed_over(*left);
        end(*left);
    }
}

// --- to the card ---

Transfer* Device::next() noexcept {
    if (!arbiter_.may_send()) return nullptr;
    const auto free = std::ranges::find_if(pieces_, &Piece::free);
    if (free == pieces_.end()) return nullptr;
    const base::Instant now = card_.executor().now();
    Request* const first = scheduler_.next(now);
    if (first == nullptr) {
        if (scheduler_.ask_again() != base::never) card_.executor().arm(again_, scheduler_.ask_again());
        arbiter_.nothing_to_send();
        return nullptr;
    }

    Piece& piece = *free;
    piece.begin(*first, settings_.most_sectors, settings_.bounding, card_.host().capabilities());
    if (first->given != first->sectors) {
        scheduler_.put_back(*first);
    } else {
        handed_over(*first);
        if (settings_.merge) merge(piece);
    }
    arbiter_.sent();
    return &piece;
}

/// Takes along those that continue where the piece ends.
void Device::merge(Piece& piece) {
    const Request& like = *piece.parts().front().request;
    while (Request* const more = order_.following(like, piece.end())) {
        if (!piece.append(*more, settings_.most_sectors, settings_.bounding, card_.host().capabilities())) return;
        scheduler_.take(*more);
        handed_over(*more);
    }
}

/// All of it goes to the card before what comes now.
void Device::handed_over(Request& request) {
    order_.leave(request, [this](Request& freed) { go(freed); });
}

// --- and back ---

void Device::over(Transfer& transfer) noexcept {
    Piece& piece = static_cast<Piece&>(transfer);
    std::uint64_t done = piece.done_bytes;
    for (const Piece::Part part : piece.parts()) {
        Request& request = *part.request;
        const std::uint64_t bytes = std::uint64_t{part.sectors} * 512;
        const std::uint64_t of_it = std::min(done, bytes);
        done -= of_it;
        --request.under_way;
        if (request.failure) continue; // what comes after a part that failed is not known to follow on what is done
        request.done_bytes += of_it;
        if (piece.failure && of_it != bytes) {
            request.failure = piece.failure;
            give_up(request);
        }
    }
    // The ends may submit, so the piece is free before.
    std::array<Request*, Piece::most_parts> ended;
    const std::size_t count = piece.parts().size();
    std::ranges::transform(piece.parts(), ended.begin(), &Piece::Part::request);
    piece.clear();
    arbiter_.over();
    pipeline_.arrived();
    for (Request* const request : std::span(ended).first(count)) end_if_over(*request);
}

/// What has not been handed over of it never is.
void Device::give_up(Request& request) {
    if (request.given == request.sectors) return;
    request.given = request.sectors;
    scheduler_.take(request);
    handed_over(request);
}

void Device::end_if_over(Request& request) {
    if (request.given != request.sectors || request.under_way != 0) return;
    scheduler_.ended(request, card_.executor().now());
    end(request);
}

void Device::end(Request& request) {
    request.ended = card_.executor().now();
    --open_;
    if (stopping_ && open_ == 0) pipeline_.stop();
    completer_.complete(request);
}

// --- without data ---

base::Task<base::Result<void>> Device::do_chores() {
    Arbiter::Claim claim(card_.executor());
    while (Request* const request = chores_.front()) {
        // The card for itself: everything that overlaps it and came before has been sent, and so is over.
        co_await arbiter_.claim(claim);
        request->unlink();
        // The first that the card has.
        base::Result<void> done = base::fail(base::Code::not_possible);
        for (const spec::Erase kind : ways_to_discard) {
            done = co_await base::outcome(card::erase(card_, {request->sector, request->sectors}, kind));
            if (done || done.error().code != base::Code::not_possible) break;
        }
        if (!done) request->failure = done.error();
        if (done) request->done_bytes = std::uint64_t{request->sectors} * 512;
        arbiter_.release(claim);
        handed_over(*request);
        end(*request);
    }
    co_return {};
}

} // namespace mmcpipe::block
