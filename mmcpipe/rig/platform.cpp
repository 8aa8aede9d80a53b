#include "mmcpipe/rig/platform.h"

#include <array>

namespace mmcpipe::rig {

namespace {

using sim::Time;

constexpr std::array<std::string_view, 2> controllers{"pl18x", "pxamci"};
constexpr std::array<std::string_view, 8> cells{
    "arm_pl180", "arm_pl181", "arm_pl181_extended_fifo", "st_v1", "st_v2", "st_v3", "pxa25x", "pxa27x"};
constexpr std::array<std::string_view, 5> engines{"none", "pl080", "pl080s", "pxa", "pxa_chain"};
constexpr std::array<std::string_view, 2> barriers{"element", "list"};
constexpr std::array<std::string_view, 3> widths{"1", "4", "8"};
constexpr std::array<std::string_view, 4> lines{"1", "32", "64", "128"};

constexpr Time no_time{};
constexpr Time longest_cost = sim::milliseconds(10);

Controller controller_of(Cell cell) { return cell >= Cell::pxa25x ? Controller::pxamci : Controller::pl18x; }
Controller controller_of(DmaEngine engine) { return engine >= DmaEngine::pxa ? Controller::pxamci : Controller::pl18x; }

/// Cell and engine have to be the controller's.
void check_fit(const sim::Profile& profile, const Platform& p) {
    const auto complain = [&](std::string_view key) {
        const sim::Entry& entry = *profile.find(key);
        throw sim::ProfileError(entry.where + ": platform." + std::string(key) + " is \"" + entry.value +
                                "\", expected one of a " + profile.text("controller"));
    };
    if (controller_of(p.cell) != p.controller) complain("cell");
    if (p.dma != DmaEngine::none && controller_of(p.dma) != p.controller) complain("dma");
}

} // namespace

Platform read_platform(sim::Profile profile) {
    Platform p;
    p.name = profile.text("name");
    p.summary = profile.text("summary");
    p.card = profile.text("card");
    p.published = profile.text("published");

    p.controller = static_cast<Controller>(profile.choice("controller", controllers));
    p.cell = static_cast<Cell>(profile.choice("cell", cells));
    p.base_clock = profile.hertz("base_clock", 1'000'000, 400'000'000);
    p.bus_width = std::array{1u, 4u, 8u}[profile.choice("bus_width", widths)];

    p.dma = static_cast<DmaEngine>(profile.choice("dma", engines));
    check_fit(profile, p);
    p.dma_max_element = static_cast<std::uint32_t>(profile.bytes("dma_max_element", 4, std::uint64_t{128} << 20));
    p.dma_max_elements = static_cast<std::uint32_t>(profile.count("dma_max_elements", 1, 4096));
    p.barrier_per = static_cast<host::dma::BarrierPer>(profile.choice("barrier_per", barriers));

    p.processors = static_cast<unsigned>(profile.count("processors", 1, 8));
    p.cache_line = std::array{1u, 32u, 64u, 128u}[profile.choice("cache_line", lines)];

    const auto cost = [&](std::string_view key) { return profile.time(key, no_time, longest_cost); };
    p.costs.register_read = cost("register_read");
    p.costs.register_write = cost("register_write");
    p.costs.register_write_relaxed = cost("register_write_relaxed");
    p.costs.fifo_word_read = cost("fifo_word_read");
    p.costs.fifo_word_write = cost("fifo_word_write");
    p.costs.posted_delay = cost("posted_delay");
    p.costs.interrupt_entry = cost("interrupt_entry");
    p.costs.interrupt_exit = cost("interrupt_exit");
    p.costs.wake = cost("wake");
    p.costs.cache_call = cost("cache_call");
    p.costs.cache_page = cost("cache_page");
    p.costs.clean_line = cost("clean_line");
    p.costs.invalidate_line = cost("invalidate_line");
    p.costs.barrier = cost("barrier");
    p.costs.publish = cost("publish");

    const auto client_cost = [&](std::string_view key) { return base::nanoseconds(cost(key).ps / 1'000); };
    p.clients.call = client_cost("client_call");
    p.clients.submit = client_cost("client_submit");
    p.clients.submit_page = client_cost("client_submit_page");
    p.clients.complete_page = client_cost("client_complete_page");
    p.clients.copy_page = client_cost("client_copy_page");

    profile.check_all_used();
    p.profile = std::move(profile);
    return p;
}

} // namespace mmcpipe::rig
