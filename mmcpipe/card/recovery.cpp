#include "mmcpipe/card/recovery.h"

#include "mmcpipe/card/card.h"
#include "mmcpipe/card/mmc.h"
#include "mmcpipe/card/sd.h"

#include <algorithm>

namespace mmcpipe::card {

using base::Code;
using base::Result;
using base::Task;

namespace {

constexpr RecoveryRow restore_order{Code::aborted, 0, {Action::stop, Action::ready}};
constexpr RecoveryRow nothing{Code::aborted, 0, {}};

/// What is done for an error, whether or not it is sent again.
const RecoveryRow& row_or_default(base::Error error, unsigned attempt) {
    if (const RecoveryRow* row = recovery_row(error.code, attempt)) return *row;
    const bool sent = error.domain() != base::Domain::usage && error.code != Code::out_of_frames;
    return sent ? restore_order : nothing;
}

bool is_write(const host::Request& request) {
    return request.data && request.data->direction == host::Direction::write;
}

/// As long as the longest part of the request, and as a write.
base::Duration patience_for(const host::Request& request, const Properties& card) {
    base::Duration longest = std::max(card.times.write, request.command.busy_timeout);
    if (request.data) longest = std::max(longest, request.data->timeout);
    if (request.stop) longest = std::max(longest, request.stop->busy_timeout);
    return longest;
}

/// Whole blocks, never more than the host says; nothing if it may be wrong.
std::uint32_t trusted_bytes(const host::Request& request, base::Error error, std::uint32_t met, bool power_cycled) {
    if (!request.data) return 0;
    const bool lost_track = error.code == Code::dma_error || error.code == Code::software_timeout;
    // A card that found an error while it was writing does not say in which block; one without supply forgets what it
    // has not written.
    const bool perhaps_not_written = is_write(request) && (error.code == Code::r1_error || met != 0 || power_cycled);
    if (lost_track || perhaps_not_written) return 0;
    const std::uint32_t done = std::min(request.bytes_done, request.data->bytes());
    return done - done % request.data->block_size;
}

/// CID without its checksum.
bool same_card(const spec::R2& one, const spec::R2& other) {
    return one[0] == other[0] && one[1] == other[1] && one[2] == other[2] && one[3] >> 8 == other[3] >> 8;
}

} // namespace

const RecoveryRow* recovery_row(base::Code error, unsigned attempt) {
    for (const RecoveryRow& row : recovery_table) {
        if (row.error == error && row.attempt == attempt) return &row;
    }
    return nullptr;
}

Task<Result<Verdict>> Card::recover(const host::Request& failed, base::Error error, unsigned attempt) {
    Verdict verdict{false, 0, error, 0};
    if (unusable_) {
        verdict.error = *unusable_;
        co_return verdict;
    }

    bool power_cycled = false;
    for (const Action action : row_or_default(error, attempt).actions) {
        if (!host().card_present()) {
            unusable_ = base::Error(Code::removed);
            break;
        }
        if (action == Action::none) break;
        verdict.retry = action == Action::resend;
        if (verdict.retry || power_cycled) continue;

        Result<std::uint32_t> met = co_await outcome(carry_out(action, patience_for(failed, properties_)));
        power_cycled = action == Action::power_cycle || !met;
        if (!met && action != Action::power_cycle) met = co_await outcome(carry_out(Action::power_cycle, {}));
        if (!met) {
            const bool gone = met.error().code == Code::removed || !host().card_present();
            unusable_ = base::Error(gone ? Code::removed : Code::dead, met.error().raw);
            break;
        }
        verdict.met |= *met;
    }

    verdict.bytes_done = trusted_bytes(failed, error, verdict.met, power_cycled);
    const Result<void> possible = usable();
    if (!possible) {
        verdict.retry = false;
        verdict.error = possible.error();
    }
    co_return verdict;
}

Task<Result<std::uint32_t>> Card::carry_out(Action action, base::Duration patience) {
    switch (action) {
    case Action::reset_lines: {
        co_await host().reset_lines();
        co_return 0u;
    }
    case Action::stop: {
        const Link::Status met = co_await link_.stop();
        co_return met;
    }
    case Action::ready: {
        const Result<Link::Status> ready = co_await outcome(link_.wait_ready(patience));
        if (ready) co_return 0u;
        // It is ready, and tells what went wrong before.
        const bool told = ready.error().code == Code::r1_error || ready.error().code == Code::switch_refused;
        if (told) co_return ready.error().raw;
        co_return base::fail(ready.error());
    }
    case Action::mode_down: {
        co_await mode_down();
        co_return 0u;
    }
    case Action::power_cycle: {
        co_await power_cycle();
        co_return 0u;
    }
    case Action::none:
    case Action::resend: break;
    }
    co_return 0u;
}

Task<Result<void>> Card::mode_down() {
    const BusMode lower = one_down(properties_.mode);
    ceilings_.timing.lower(lower.timing, Limit::recovery);
    ceilings_.width.lower(lower.width, Limit::recovery);
    if (lower == properties_.mode) co_return {};

    if (lower.timing != properties_.mode.timing) properties_.timing_limit = Limit::recovery;
    if (lower.width != properties_.mode.width) properties_.width_limit = Limit::recovery;
    if (properties_.peer.family == spec::Family::mmc) {
        co_await mmc::set_mode(link_, lower, properties_, registers_);
    } else {
        co_await sd::set_width(link_, lower.width, properties_, registers_);
    }
    co_return {};
}

Task<Result<void>> Card::power_cycle() {
    const spec::R2 before = properties_.cid;
    co_await find_and_set_up();
    if (!same_card(before, properties_.cid)) co_return base::fail(Code::removed);
    co_return {};
}

} // namespace mmcpipe::card
