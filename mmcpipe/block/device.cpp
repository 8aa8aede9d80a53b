#include "mmcpipe/block/device.h"

#include "mmcpipe/block/cut.h"

#include <algorithm>

namespace mmcpipe::block {

Device::Device(card::Card& card, Depth depth, card::Bounding bounding)
    : card_(card), bounding_(bounding), pipeline_(card, *this, depth) {}

void Device::stop() {
    stopping_ = true;
    if (open_ == 0) pipeline_.stop();
}

void Device::submit(Request& request) {
    request.failure.reset();
    request.done_bytes = 0;
    request.given = 0;
    request.under_way = 0;

    std::uint64_t there = 0;
    for (const host::Buffer buffer : request.buffers) there += buffer.size();
    const std::uint64_t end = card_.properties().capacity.sectors();
    const bool on_card = request.sector < end && request.sectors <= end - request.sector;
    if (request.sectors == 0 || !on_card || there < std::uint64_t{request.sectors} * 512) {
        request.failure = base::Error(base::Code::out_of_range);
        request.done(request);
        return;
    }
    ++open_;
    waiting_.push_back(request);
    pipeline_.arrived();
}

Transfer* Device::next() noexcept {
    Request* const request = waiting_.front();
    if (request == nullptr) return nullptr;
    const auto free = std::ranges::find_if(pieces_, [](const Piece& piece) { return piece.request == nullptr; });
    if (free == pieces_.end()) return nullptr;

    const std::uint32_t sectors = next_piece(request->buffers, std::uint64_t{request->given} * 512,
                                             request->sectors - request->given, card_.host().capabilities());
    Piece& piece = *free;
    piece.request = request;
    piece.wanted = {.direction = request->direction,
                    .bounding = sectors == 1 ? card::Bounding::single : bounding_,
                    .sector = request->sector + request->given,
                    .blocks = sectors,
                    .buffers = request->buffers};
    piece.buffer_offset = request->given * 512;
    ++request->under_way;
    request->given += sectors;
    if (request->given == request->sectors) request->unlink();
    return &piece;
}

void Device::over(Transfer& transfer) noexcept {
    Piece& piece = static_cast<Piece&>(transfer);
    block::Request& request = *piece.request;
    piece.request = nullptr;
    --request.under_way;
    // Pieces come back in order. What comes after one that failed is not known to follow on what is done.
    if (!request.failure) request.done_bytes += transfer.done_bytes;
    if (transfer.failure && !request.failure) {
        request.failure = transfer.failure;
        request.unlink();
    }
    pipeline_.arrived(); // there is a free piece
    end_if_over(request);
}

void Device::end_if_over(Request& request) {
    if (request.linked() || request.under_way != 0) return;
    --open_;
    if (stopping_ && open_ == 0) pipeline_.stop();
    request.done(request);
}

} // namespace mmcpipe::block
