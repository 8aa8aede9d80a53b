#include "mmcpipe/trial/erasing.h"

#include "mmcpipe/card/erase.h"
#include "mmcpipe/spec/ext_csd.h"
#include "mmcpipe/trial/pattern.h"
#include "mmcpipe/trial/stamped.h"

#include <algorithm>
#include <array>
#include <optional>

namespace mmcpipe::trial {

using base::Result;
using base::Task;

namespace {

/// What erased bytes read as; nothing if the card does not say.
std::optional<std::byte> erased_byte(const Bench& bench, const card::Card& card) {
    bool ones = false;
    if (bench.properties().scr) {
        ones = bench.properties().scr->data_stat_after_erase;
    } else {
        const std::optional<spec::mmc::ExtCsd> ext = card.ext_csd();
        if (!ext) return std::nullopt;
        ones = (*ext)[spec::mmc::ext_csd::erased_mem_cont] != 0;
    }
    return ones ? std::byte{0xff} : std::byte{0};
}

/// A sector reads as erased: all 0 or all 1, as the card says.
Task<Result<bool>> reads_erased(Bench& bench, std::uint32_t sector) {
    const host::Buffer buffer = bench.memory().first(512);
    blank(buffer);
    co_await bench.read(sector, buffer);
    const std::optional<std::byte> said = erased_byte(bench, bench.card());
    const std::byte expected = said.value_or(buffer[0] == std::byte{0xff} ? std::byte{0xff} : std::byte{0});
    co_return std::ranges::all_of(buffer, [=](std::byte byte) { return byte == expected; });
}

/// Erases, with stamps at both edges, inside and outside of them, and in the middle.
Task<Result<Outcome>> erase_between_stamps(Bench& bench, card::Sectors range, spec::Erase kind) {
    const std::uint32_t first = static_cast<std::uint32_t>(range.first);
    const std::uint32_t count = static_cast<std::uint32_t>(range.count);
    const std::array<std::uint32_t, 2> outside{first - 1, first + count};
    const std::array<std::uint32_t, 3> inside{first, first + count / 2, first + count - 1};
    for (const std::uint32_t sector : outside) co_await stamp(bench, sector, 1, 1);
    for (const std::uint32_t sector : inside) co_await stamp(bench, sector, 1, 2);

    const Result<void> erased = co_await outcome(card::erase(bench.card(), range, kind));
    if (!erased && erased.error().code == base::Code::not_possible) co_return Outcome::unsupported_by_card;
    co_await erased;

    bool right = true;
    for (const std::uint32_t sector : outside) {
        const bool unchanged = co_await stamped(bench, sector, 1, 1);
        right &= unchanged;
    }
    for (const std::uint32_t sector : inside) {
        const bool empty = co_await reads_erased(bench, sector);
        right &= empty;
    }
    co_return right ? Outcome::ok : Outcome::failed;
}

} // namespace

Task<Result<Outcome>> erased_units(Bench& bench) {
    // Eight sectors at least, so that there is an inside.
    const std::uint32_t unit = bench.properties().erase_unit;
    const std::uint32_t count = (7 + unit) / unit * unit;
    const card::Sectors range{ground(bench), count};
    const Outcome outcome = co_await erase_between_stamps(bench, range, spec::Erase::erase);
    co_return outcome;
}

Task<Result<Outcome>> trimmed_sectors(Bench& bench) {
    const card::Sectors range{ground(bench) + 3, 5};
    const Outcome outcome = co_await erase_between_stamps(bench, range, spec::Erase::trim);
    co_return outcome;
}

} // namespace mmcpipe::trial
