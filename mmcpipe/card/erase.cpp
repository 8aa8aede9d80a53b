#include "mmcpipe/card/erase.h"

#include "mmcpipe/spec/timeouts.h"

#include <optional>

namespace mmcpipe::card {

namespace ext_csd = spec::mmc::ext_csd;
using base::Code;
using base::Result;
using base::Task;

namespace {

/// A range that has been checked: it fits the arguments of the commands.
struct Span {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t count() const { return last - first + 1; }
};

bool whole_units_only(spec::Erase kind) { return kind == spec::Erase::erase || kind == spec::Erase::secure_erase; }

bool offered(const Card& card, spec::Erase kind) {
    if (!spec::supports(card.properties().ccc, spec::CommandClass::erase)) return false;
    if (kind == spec::Erase::erase) return true;
    const std::optional<spec::mmc::ExtCsd> ext = card.ext_csd();
    if (!ext) return false;
    const std::uint32_t features = (*ext)[ext_csd::sec_feature_support];
    switch (kind) {
    case spec::Erase::trim: return ext_csd::Trim::get(features);
    case spec::Erase::discard: return ext->revision() >= 6; // 4.5
    case spec::Erase::secure_erase: return ext_csd::SecureErase::get(features);
    default: return false;
    }
}

Result<Span> check(const Card& card, Sectors range, spec::Erase kind) {
    const Properties& properties = card.properties();
    if (!offered(card, kind)) return base::fail(Code::not_possible);
    const std::uint64_t sectors = properties.capacity.sectors();
    if (range.count == 0 || range.first >= sectors || range.count > sectors - range.first)
        return base::fail(Code::out_of_range);
    const std::uint64_t last = range.first + range.count - 1;
    if (last > UINT32_MAX) return base::fail(Code::out_of_range);
    const Span span{static_cast<std::uint32_t>(range.first), static_cast<std::uint32_t>(last)};
    // The last unit of a card may be a short one.
    const bool to_the_end = last + 1 == sectors;
    const bool whole =
        span.first % properties.erase_unit == 0 && (to_the_end || (span.last + 1) % properties.erase_unit == 0);
    if (whole_units_only(kind) && !whole) return base::fail(Code::misaligned);
    return span;
}

base::Duration timeout_for(const Card& card, Span span, spec::Erase kind) {
    const Properties& properties = card.properties();
    if (properties.peer.family == spec::Family::sd) return spec::sd::erase_timeout(span.count(), properties.sd_status);

    const std::uint32_t groups = span.last / properties.erase_unit - span.first / properties.erase_unit + 1;
    const spec::mmc::Csd csd = spec::mmc::Csd::decode(properties.csd);
    const std::optional<spec::mmc::ExtCsd> ext = card.ext_csd();
    if (!ext) return spec::mmc::erase_timeout(groups, csd, properties.clock);
    return spec::mmc::erase_timeout(kind, groups, csd, *ext, properties.clock);
}

} // namespace

Task<Result<void>> erase(Card& card, Sectors range, spec::Erase kind) {
    co_await card.usable();
    const Span span = co_await check(card, range, kind);

    // The first and the last unit, or sector.
    const bool mmc = card.peer().family == spec::Family::mmc;
    const spec::DataAddress first = spec::address_of(span.first, card.properties().addressing);
    const spec::DataAddress last = spec::address_of(span.last, card.properties().addressing);
    co_await card.link().command(mmc ? spec::mmc::erase_group_start(first) : spec::sd::erase_wr_blk_start(first));
    co_await card.link().command(mmc ? spec::mmc::erase_group_end(last) : spec::sd::erase_wr_blk_end(last));

    // Erase, and wait for the end of the busy.
    co_await card.link().command(spec::erase(kind), timeout_for(card, span, kind));
    co_return {};
}

} // namespace mmcpipe::card
