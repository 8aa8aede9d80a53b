#include "mmcpipe/rig/card_profile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace mmcpipe::rig {

namespace {

using sim::Profile;
using sim::Time;

constexpr std::array<std::string_view, 2> kinds{"emmc", "sd"};
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

template <std::size_t N>
std::array<std::byte, N> bytes_of(const Profile& profile, std::string_view key) {
    const auto content = profile.hex(key, N);
    std::array<std::byte, N> bytes{};
    std::ranges::copy(content, bytes.begin());
    return bytes;
}

spec::R2 register_of(const Profile& profile, std::string_view key) {
    return spec::r2_from_bytes(bytes_of<16>(profile, key));
}

sim::card::FlashTiming read_timing(const Profile& profile) {
    const auto time = [&](std::string_view key) { return profile.time(key, Time{}, sim::milliseconds(100'000)); };
    const auto size = [&](std::string_view key, std::uint64_t least, std::uint64_t most, std::uint64_t unit = 1) {
        return static_cast<std::uint32_t>(profile.bytes(key, least, most, unit));
    };
    sim::card::FlashTiming t;
    t.power_up_time = time("power_up_time");
    t.read_access = time("read_access");
    t.read_gap = time("read_gap");
    t.read_stream_after = size("read_stream_after", 0, gibibyte);
    t.read_block_gap = time("read_block_gap");
    t.write_block_busy = time("write_block_busy");
    t.page = size("page", 512, mebibyte, 512);
    t.partial_program = time("partial_program");
    t.program_page = time("program_page");
    t.buffer = size("buffer", 512, 64 * mebibyte);
    t.erase_group_time = time("erase_group_time");
    t.trim_time = time("trim_time");
    t.switch_time = time("switch_time");
    return t;
}

/// "192=5 196=7": the bytes of EXT_CSD that are not zero, but for SEC_COUNT.
void read_ext_csd(const Profile& profile, std::array<std::byte, spec::mmc::ext_csd_size>& bytes) {
    const std::string text = profile.text("ext_csd");
    const std::string where = profile.find("ext_csd")->where;
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto number = [&](unsigned most, char behind) {
        unsigned value = 0;
        const auto parsed = std::from_chars(at, end, value);
        const bool ends_well = parsed.ptr == end ? behind == ' ' : *parsed.ptr == behind;
        if (parsed.ec != std::errc() || value > most || !ends_well) {
            throw sim::ProfileError(where + ": card.ext_csd has \"" + std::string(at, std::find(at, end, ' ')) +
                                    "\", expected INDEX=VALUE, 0=0 to 511=255, separated by one space");
        }
        at = parsed.ptr == end ? end : parsed.ptr + 1;
        return value;
    };
    while (at != end) {
        const unsigned index = number(511, '=');
        bytes[index] = static_cast<std::byte>(number(255, ' '));
    }
    const std::uint64_t sectors = profile.bytes("capacity", mebibyte, 2048 * gibibyte - 512, 512) / 512;
    for (std::size_t i = 0; i < 4; ++i) bytes[212 + i] = static_cast<std::byte>(sectors >> 8 * i);
}

} // namespace

CardProfile read_card(Profile profile) {
    CardProfile c;
    c.name = profile.text("name");
    c.summary = profile.text("summary");
    if (profile.choice("kind", kinds) == 0) {
        sim::card::EmmcProfile emmc;
        emmc.cid = register_of(profile, "cid");
        emmc.csd = register_of(profile, "csd");
        read_ext_csd(profile, emmc.ext_csd);
        emmc.timing = read_timing(profile);
        c.card = emmc;
    } else {
        sim::card::SdProfile sd;
        sd.cid = register_of(profile, "cid");
        sd.csd = register_of(profile, "csd");
        sd.scr = bytes_of<8>(profile, "scr");
        sd.timing = read_timing(profile);
        c.card = sd;
    }
    profile.check_all_used();
    c.profile = std::move(profile);
    try {
        (void)make_card(c);
    } catch (const std::invalid_argument& error) {
        throw sim::ProfileError(c.profile.file().string() + ": " + error.what());
    }
    return c;
}

std::unique_ptr<sim::card::Core> make_card(const CardProfile& profile) {
    if (const auto* emmc = std::get_if<sim::card::EmmcProfile>(&profile.card))
        return std::make_unique<sim::card::Emmc>(*emmc);
    return std::make_unique<sim::card::SdCard>(std::get<sim::card::SdProfile>(profile.card));
}

} // namespace mmcpipe::rig
