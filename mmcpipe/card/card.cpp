#include "mmcpipe/card/card.h"

#include "mmcpipe/card/identify.h"
#include "mmcpipe/card/mmc.h"
#include "mmcpipe/card/sd.h"

namespace mmcpipe::card {

using base::Code;
using base::Result;
using base::Task;

Card::Card(host::Host& host, port::Board& board) : board_(board), link_(host) {}

Task<Result<void>> Card::bring_up() {
    unusable_ = base::Error(Code::no_card);
    ceilings_ = ceilings_of(host().capabilities(), board_.bus_width());
    const Result<void> done = co_await outcome(find_and_set_up());
    if (done) {
        unusable_.reset();
        co_return done;
    }
    unusable_ = host().card_present() ? done.error() : base::Error(Code::no_card);
    co_return base::fail(*unusable_);
}

Task<Result<void>> Card::find_and_set_up() {
    properties_ = {};
    registers_.has_ext_csd = false;
    if (!host().card_present()) co_return base::fail(Code::no_card);

    const Identity identity = co_await find_card(link_, board_);
    properties_.peer = identity.peer;
    properties_.cid = identity.cid;
    properties_.addressing = identity.addressing;
    if (identity.peer.family == spec::Family::mmc) {
        co_await mmc::set_up(link_, ceilings_, properties_, registers_);
    } else {
        co_await sd::set_up(link_, ceilings_, properties_, registers_);
    }
    co_return {};
}

Result<void> Card::usable() const {
    if (unusable_) return base::fail(*unusable_);
    if (properties_.locked) return base::fail(Code::r1_error, spec::r1::CardIsLocked::mask);
    return {};
}

std::optional<spec::mmc::ExtCsd> Card::ext_csd() const {
    if (!registers_.has_ext_csd) return std::nullopt;
    return spec::mmc::ExtCsd(registers_.ext_csd);
}

Result<void> Card::fill(host::Request& request, const Transfer& transfer) const {
    const Result<void> possible = usable();
    if (!possible) return possible;
    return card::fill(request, transfer, properties_, host().capabilities());
}

Result<void> Card::fill_packed(host::Request& request, PackedPart part, const Transfer& transfer) const {
    const auto can = usable();
    if (!can) return can;
    const auto first = spec::address_of(static_cast<std::uint32_t>(transfer.sector), properties_.addressing);
    return card::fill_packed(request, part, transfer.blocks, first, transfer.buffers, properties_);
}

Task<Result<PackedStatus>> Card::read_packed_status() {
    co_await usable();
    const PackedStatus status = co_await card::read_packed_status(link_, properties_, registers_);
    co_return status;
}

Task<Result<void>> Card::set_block_length(std::uint32_t bytes) {
    co_await usable();
    const bool allowed = properties_.read_lengths.allow(bytes) || properties_.write_lengths.allow(bytes);
    if (!allowed) co_return base::fail(Code::not_possible);
    // With data on both edges blocks have 512 bytes, and there is no CMD16.
    const bool fixed = properties_.mode.timing == host::Timing::ddr52;
    if (fixed && bytes != 512) co_return base::fail(Code::not_possible);
    if (fixed) co_return {};
    co_await link_.command(spec::set_blocklen(bytes));
    co_return {};
}

} // namespace mmcpipe::card
