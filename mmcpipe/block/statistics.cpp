#include "mmcpipe/block/statistics.h"

namespace mmcpipe::block {

const char* name(Phase phase) {
    switch (phase) {
    case Phase::waiting: return "waiting";
    case Phase::command: return "command";
    case Phase::data: return "data";
    case Phase::stop: return "stop";
    case Phase::interrupt: return "interrupt";
    case Phase::wake_up: return "wake-up";
    case Phase::settling: return "settling";
    case Phase::finishing: return "finishing";
    }
    return "";
}

void Statistics::add(const Statistics& other) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
        Way& way = ways[i];
        const Way& more = other.ways[i];
        way.requests += more.requests;
        way.failures += more.failures;
        way.sectors += more.sectors;
        way.transfers += more.transfers;
        way.merged += more.merged;
        way.packs += more.packs;
        way.packed += more.packed;
        way.resent += more.resent;
        way.latency.add(more.latency);
        for (std::size_t phase = 0; phase < phases; ++phase) way.spent[phase].add(more.spent[phase]);
    }
}

void Statistics::transfer_over(const Piece& piece) {
    Way& way = of(piece.wanted.direction);
    ++way.transfers;
    way.resent += piece.attempts;
    const std::size_t parts = piece.parts().size();
    if (piece.packed) {
        ++way.packs;
        way.packed += parts;
    } else {
        way.merged += parts - 1;
    }
    const host::Phases& at = piece.phases;
    if (piece.failure || at.started == base::never) return;
    for (const Piece::Part& part : piece.parts()) {
        const bool first = &part != &piece.parts().front() || piece.wanted.sector == part.request->sector;
        if (first) way.spent[0].add(static_cast<std::uint64_t>((at.started - part.request->submitted).ns));
    }
    // Each goes on from the last that was seen.
    base::Instant since = at.started;
    const auto until = [&](Phase phase, base::Instant end) {
        if (end == base::never || end < since) return;
        way.spent[static_cast<std::size_t>(phase)].add(static_cast<std::uint64_t>((end - since).ns));
        since = end;
    };
    if (at.responded < at.data_ended) until(Phase::command, at.responded);
    until(Phase::data, at.data_ended);
    until(Phase::stop, at.stopped);
    until(Phase::interrupt, at.interrupted);
    until(Phase::wake_up, at.woken);
    until(Phase::settling, piece.settled);
    until(Phase::finishing, at.finished);
}

void Statistics::request_over(const Request& request) {
    Way& way = of(request.direction());
    ++way.requests;
    if (request.failure) ++way.failures;
    way.sectors += request.done_bytes >> 9;
    way.latency.add(static_cast<std::uint64_t>((request.ended - request.submitted).ns));
}

} // namespace mmcpipe::block
