#include "mmcpipe/block/device.h"

#include "mmcpipe/card/erase.h"

#include <algorithm>
#include <utility>

namespace mmcpipe::block {

namespace {

constexpr std::uint32_t most_counted = 0xffff; ///< sectors: CMD23 of MMC has 16 bits

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
    request.alone = false;
    request.submitted = card_.executor().now();
    ++open_;
    request.ended = request.submitted;
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
    if (announced_ != nullptr) return std::exchange(announced_, nullptr);
    if (!arbiter_.may_send()) return nullptr;
    const auto free = std::ranges::find_if(pieces_, &Piece::free);
    if (free == pieces_.end()) return nullptr;
    if (settings_.packing.reads_alone &&
        std::ranges::any_of(pieces_, [](const Piece& piece) { return piece.packed == card::PackedPart::read; })) {
        return nullptr;
    }
    const base::Instant now = card_.executor().now();
    Request* const first = scheduler_.next(now);
    if (first == nullptr) {
        if (scheduler_.ask_again() != base::never) card_.executor().arm(again_, scheduler_.ask_again());
        arbiter_.nothing_to_send();
        return nullptr;
    }

    Piece& piece = *free;
    piece.begin(*first, limits());
    if (first->given != first->sectors) {
        scheduler_.put_back(*first);
    } else {
        if (settings_.packing.of(first->direction())) pack(piece, now);
        if (!piece.packed) {
            for (const Piece::Part& part : piece.parts()) handed_over(*part.request);
            if (settings_.merge) merge(piece);
        }
    }
    arbiter_.sent();
    if (piece.packed != card::PackedPart::read) return &piece;
    announced_ = &piece;
    arbiter_.sent();
    return &piece.announcement;
}

Piece::Limits Device::limits() const {
    return {card_.host().capabilities(), std::min(settings_.most_sectors, most_counted), settings_.bounding};
}

/// Takes along those that continue where the piece ends.
void Device::merge(Piece& piece) {
    const Request& like = *piece.parts().front().request;
    while (Request* const more = order_.following(like, piece.end())) {
        if (!piece.append(*more, limits())) return;
        scheduler_.take(*more);
        handed_over(*more);
    }
}

/// Takes along those that the scheduler gives next, as long as they go in the same direction. They stay in the order of
/// requests until the command has ended: an entry that failed is sent again, and what overlaps it must not overtake it.
void Device::pack(Piece& piece, base::Instant now) {
    const host::Direction direction = piece.wanted.direction;
    const card::Properties& card = card_.properties();
    const std::size_t most = direction == host::Direction::read ? card.max_packed_reads : card.max_packed_writes;
    if (most < 2 || card.packed_header_blocks != 1 || piece.parts().front().request->alone) return;
    piece.leaves_room_for_header = true;
    while (piece.parts().size() != most) {
        Request* const more = scheduler_.next(now);
        if (more == nullptr) break;
        const bool goes = more->direction() == direction && more->given == 0 && !more->alone &&
                          fits_in_time(piece, *more, now) && piece.append(*more, limits());
        if (goes) continue;
        scheduler_.put_back(*more);
        break;
    }
    piece.leaves_room_for_header = false;
    if (piece.parts().size() > 1) piece.pack(card.addressing);
}

/// How long the transfers before one that is made now still take.
base::Duration Device::expected_before(const Piece& piece, base::Instant now) const {
    base::Duration sum{};
    for (const Piece& other : pieces_) {
        if (&other == &piece || other.free()) continue;
        const base::Duration expected = pace_.expected(other.wanted.direction, other.sectors());
        const bool started = other.phases.started != base::never;
        const base::Duration left = started ? other.phases.started + expected - now : expected;
        if (left > base::Duration{}) sum = sum + left;
    }
    return sum;
}

bool Device::fits_in_time(const Piece& piece, const Request& more, base::Instant now) const {
    if (settings_.packing.greedy) return true;
    const host::Direction direction = piece.wanted.direction;
    return expected_before(piece, now) + pace_.expected(direction, piece.sectors() + more.sectors) <=
           scheduler_.may_hold(direction, now);
}

/// All of it goes to the card before what comes now.
void Device::handed_over(Request& request) {
    order_.leave(request, [this](Request& freed) { go(freed); });
}

// --- and back ---

void Device::over(Transfer& transfer) noexcept {
    arbiter_.over();
    if (transfer.packed == card::PackedPart::read_header) return; // the data behind it fails if this did
    Piece& piece = static_cast<Piece&>(transfer);
    if (!piece.failure) {
        const base::Duration took = card_.executor().now() - piece.phases.started;
        pace_.learn(piece.wanted.direction, piece.sectors(), took);
    }
    if (settings_.statistics != nullptr) settings_.statistics->transfer_over(piece);
    std::uint64_t done = piece.packed ? 0 : piece.done_bytes;
    for (std::size_t i = 0; i < piece.parts().size(); ++i) part_over(piece, i, done);

    // The ends may submit, so the piece is free before.
    std::array<Request*, Piece::most_parts> ended;
    const std::size_t count = piece.parts().size();
    std::ranges::transform(piece.parts(), ended.begin(), &Piece::Part::request);
    piece.clear();
    pipeline_.arrived();
    for (Request* const request : std::span(ended).first(count)) end_if_over(*request);
}

/// `done`: bytes of this part and those behind it.
void Device::part_over(const Piece& piece, std::size_t i, std::uint64_t& done) {
    const Piece::Part part = piece.parts()[i];
    Request& request = *part.request;
    const std::uint64_t bytes = std::uint64_t{part.sectors} * 512;
    --request.under_way;
    if (piece.packed) {
        if (!piece.failure || piece.done_before(i, piece.entries_done)) {
            request.done_bytes = bytes;
            handed_over(request);
        } else {
            again_alone(request);
        }
        return;
    }
    const std::uint64_t of_it = std::min(done, bytes);
    done -= of_it;
    if (request.failure) return; // what comes after a part that failed is not known to follow on what is done
    request.done_bytes += of_it;
    if (piece.failure && of_it != bytes) {
        request.failure = piece.failure;
        give_up(request);
    }
}

/// The entry failed, or it is not known whether it did.
void Device::again_alone(Request& request) {
    request.given = 0;
    request.alone = true;
    scheduler_.put_back(request);
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
    request.ended = card_.executor().now();
    scheduler_.ended(request, request.ended);
    if (settings_.statistics != nullptr) settings_.statistics->request_over(request);
    end(request);
}

void Device::end(Request& request) {
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
        request->ended = card_.executor().now();
        handed_over(*request);
        end(*request);
    }
    co_return {};
}

} // namespace mmcpipe::block
