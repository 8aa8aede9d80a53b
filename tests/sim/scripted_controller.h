#pragma once
// The controller's end of the wires, driven by a test: it sends what it is told to, and writes down what comes and
// when.

#include "mmcpipe/sim/card/emmc.h"
#include "mmcpipe/sim/card/sd_card.h"
#include "mmcpipe/sim/engine.h"
#include "mmcpipe/sim/wire/bus.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/ocr.h"
#include "mmcpipe/spec/r1.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace mmcpipe::sim {

class ScriptedController final : wire::CommandListener, wire::Receiver, wire::Sender {
public:
    using Outcome = wire::CommandListener::Outcome;

    struct Reply {
        Outcome outcome = Outcome::no_response;
        std::uint8_t index = 0;
        std::array<std::uint32_t, 4> words{};
        Time at{};

        std::uint32_t r1() const { return words[0]; }
        std::uint32_t errors() const { return words[0] & (spec::r1::errors | spec::r1::SwitchError::mask); }
        spec::State state() const { return spec::r1::CurrentState::get(words[0]); }
    };
    enum class End : std::uint8_t { none, complete, bad_crc, overrun, underrun, timeout };

    ScriptedController(Engine& engine, wire::Bus& bus) : engine_(engine), bus_(bus) {}

    // --- commands ---
    void start(std::uint8_t index, std::uint32_t argument, wire::Expect expect = wire::Expect::short_response) {
        answered = false;
        bus_.send(index, argument, expect, *this);
    }
    /// Sends a command and lets time pass until its end.
    Reply send(std::uint8_t index, std::uint32_t argument, wire::Expect expect = wire::Expect::short_response) {
        start(index, argument, expect);
        while (!answered && engine_.step()) {}
        EXPECT_TRUE(answered) << "CMD" << unsigned{index} << " never ended";
        return reply;
    }
    Reply send(const spec::Command& command) {
        using spec::Response;
        return send(command.index, command.argument,
                    command.response == Response::none ? wire::Expect::nothing
                    : command.response == Response::r2 ? wire::Expect::long_response
                                                       : wire::Expect::short_response);
    }
    Reply send_application(std::uint16_t rca, const spec::Command& command) {
        send(spec::app_cmd({rca}));
        return send(command);
    }

    // --- data ---
    void receive(std::uint32_t blocks, std::uint32_t length = 512) {
        data.clear();
        begin(blocks);
        sending_ = false;
        bus_.receive(*this, {length, blocks, flow_control, timeout});
    }
    void transmit(std::span<const std::byte> content, std::uint32_t length = 512) {
        to_send.assign(content.begin(), content.end());
        taken = 0;
        begin(static_cast<std::uint32_t>(content.size() / length));
        sending_ = true;
        bus_.transmit(*this, {length, blocks_left, flow_control, timeout});
    }
    /// Lets time pass until the data path is at rest.
    End finish_data() {
        while (end == End::none && engine_.step()) {}
        return end;
    }
    void wait_while_busy() {
        MemberEvent<&ScriptedController::note_release> event(*this);
        released = false;
        bus_.when_released(event);
        while (!released && engine_.step()) {}
        EXPECT_TRUE(released);
        bus_.forget_release();
    }
    void give_room(std::uint32_t bytes) {
        room_left = bytes;
        bus_.go_on();
    }
    void give_data(std::uint32_t bytes) {
        available = bytes;
        bus_.go_on();
    }

    Reply reply;
    bool answered = false;
    bool released = false;
    End end = End::none;
    Time ended_at{};
    std::vector<std::byte> data; ///< received
    std::vector<std::byte> to_send;
    std::size_t taken = 0;
    std::uint32_t blocks_done = 0;
    std::vector<Time> slices; ///< when each came
    std::vector<std::uint32_t> sizes;
    int callbacks = 0;

    // What the controller's FIFO is like.
    bool flow_control = false;
    Time timeout = milliseconds(100);
    std::uint32_t slice_limit = page_size; ///< per slice
    std::uint32_t room_left = UINT32_MAX;  ///< in all, before somebody gives room
    std::uint32_t available = UINT32_MAX;
    std::size_t stop_clock_after = 0; ///< slices received, or blocks sent: from within the callback

private:
    void begin(std::uint32_t blocks) {
        blocks_left = blocks;
        blocks_done = 0;
        end = End::none;
        slices.clear();
        sizes.clear();
    }
    void over(End how) {
        ++callbacks;
        end = how;
        ended_at = engine_.now();
    }
    void note_release() { released = true; }

    void command_ended(Outcome outcome, std::uint8_t index, const std::array<std::uint32_t, 4>& words) override {
        reply = {outcome, index, words, engine_.now()};
        answered = true;
    }
    std::uint32_t room() override { return std::min(slice_limit, room_left); }
    void received(const Chunk& slice) override {
        ++callbacks;
        slices.push_back(engine_.now());
        sizes.push_back(slice.length);
        if (slices.size() == stop_clock_after) bus_.set_period(Time{});
        if (room_left != UINT32_MAX) room_left -= slice.length;
        if (keep_data) data.insert(data.end(), bytes(slice).begin(), bytes(slice).end());
    }
    void blocks_received(std::uint32_t blocks, bool crc_ok) override { note_blocks(blocks, crc_ok); }
    void overrun() override { over(End::overrun); }
    void receive_timed_out() override { over(End::timeout); }

    Chunk take(std::uint32_t most) override {
        const std::size_t size = std::min<std::size_t>({most, slice_limit, available, to_send.size() - taken});
        if (size == 0) return {};
        if (available != UINT32_MAX) available -= static_cast<std::uint32_t>(size);
        taken += size;
        sizes.push_back(static_cast<std::uint32_t>(size));
        slices.push_back(engine_.now());
        return chunk_of(std::span(to_send).subspan(taken - size, size));
    }
    void blocks_sent(std::uint32_t blocks, bool crc_ok) override { note_blocks(blocks, crc_ok); }
    void underrun() override { over(End::underrun); }
    void send_timed_out() override { over(End::timeout); }

    void note_blocks(std::uint32_t blocks, bool crc_ok) {
        ++callbacks;
        if (!crc_ok) return over(End::bad_crc);
        blocks_done += blocks;
        if (sending_ && blocks_done == stop_clock_after) bus_.set_period(Time{});
        blocks_left -= blocks;
        if (blocks_left == 0) over(End::complete);
    }

public:
    bool keep_data = true;

private:
    Engine& engine_;
    wire::Bus& bus_;
    std::uint32_t blocks_left = 0;
    bool sending_ = false;
};

// --- cards ---

/// An eMMC of 64 MiB that counts in sectors, with registers of a real one.
inline card::EmmcProfile emmc_profile() {
    card::EmmcProfile profile;
    profile.cid = {0x1501004d, 0x38473147, 0x43030000, 0x000050c9};
    profile.csd = {0xd0270132, 0x0f5903ff, 0xf6dbffef, 0x8e40400d};
    namespace fields = spec::mmc::ext_csd;
    const std::span<std::byte, 512> ext_csd = profile.ext_csd;
    spec::mmc::put(ext_csd, fields::ext_csd_rev, 5);
    spec::mmc::put(ext_csd, fields::csd_structure, 2);
    spec::mmc::put(ext_csd, fields::device_type, 3);
    spec::mmc::put(ext_csd, fields::sec_count, 131072);
    spec::mmc::put(ext_csd, fields::hc_erase_grp_size, 1);
    spec::mmc::put(ext_csd, fields::erase_timeout_mult, 1);
    spec::mmc::put(ext_csd, fields::sec_feature_support, fields::Trim::mask);
    profile.timing.read_access = {};
    profile.timing.write_block_busy = {};
    profile.timing.page = 4096;
    return profile;
}

/// An SDHC card of 32 GB.
inline card::SdProfile sdhc_profile() {
    card::SdProfile profile;
    profile.cid = {0x1b534d30, 0x30303030, 0x10000000, 0x0000c14d};
    profile.csd = {0x400e0032, 0x5b590000, 0xe9e57f80, 0x0a4040f1};
    profile.scr = {std::byte{0x02}, std::byte{0x35}, std::byte{0x80}, std::byte{0x02}};
    profile.timing.read_access = {};
    profile.timing.write_block_busy = {};
    profile.timing.page = 4096;
    return profile;
}

/// An SDSC card of 2 GB whose CSD says blocks of 1,024 bytes.
inline card::SdProfile sdsc_profile() {
    card::SdProfile profile = sdhc_profile();
    profile.csd = {0x00260032, 0x5f5a83c9, 0x3efbcfff, 0x928040cb};
    return profile;
}

/// A byte for each place, so that a block in a wrong place shows.
inline std::vector<std::byte> pattern(std::uint64_t address, std::size_t size) {
    std::vector<std::byte> content(size);
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t place = address + i;
        content[i] = static_cast<std::byte>((place / 512 * 7 + place % 512 * 3 + 1) & 0xff);
    }
    return content;
}

inline constexpr std::uint16_t emmc_rca = 2;
constexpr Time identification_period = nanoseconds(2500);
constexpr Time fast_period = nanoseconds(40); ///< 25 MHz
constexpr Time cycles(std::int64_t n) { return fast_period * n; }
/// The end bit of a command and that of its R1, from the first bit of the command.
constexpr Time command_end = cycles(48);
constexpr Time response_end = cycles(48 + 8 + 48);

/// Engine, bus, card and controller, the card in the transfer state.
struct EmmcOnBus {
    explicit EmmcOnBus(const card::EmmcProfile& profile = emmc_profile(), wire::Faults* faults = nullptr,
                       Trace* trace = nullptr)
        : bus(engine, trace, faults), emmc(profile), controller(engine, bus) {
        bus.insert(&emmc);
        bus.power(true);
        bring_up();
    }

    void bring_up() {
        bus.set_width(1);
        bus.set_period(identification_period);
        controller.send(spec::go_idle_state());
        const Time patience = engine.now() + milliseconds(1000);
        do {
            controller.send(spec::mmc::send_op_cond(0x40ff8080));
        } while (!spec::ocr::PoweredUp::get(controller.reply.r1()) && engine.now() < patience);
        controller.send(spec::all_send_cid());
        controller.send(spec::mmc::set_relative_addr({emmc_rca}));
        controller.send(spec::select_card({emmc_rca}));
        bus.set_period(fast_period);
        // so that times in a test count from a round number
        engine.run_until(milliseconds(1 + engine.now().ps / 1'000'000'000));
    }

    std::uint32_t status() { return controller.send(spec::send_status({emmc_rca})).r1(); }
    spec::State state() { return spec::r1::CurrentState::get(status()); }
    void set_bus(unsigned lines) {
        using namespace spec::mmc;
        const std::uint8_t code = lines == 1 ? 0 : lines == 4 ? 1 : 2;
        controller.send(switch_mode({.index = 183, .value = code}));
        bus.set_width(lines);
        controller.wait_while_busy();
        engine.run_until(milliseconds(1 + engine.now().ps / 1'000'000'000));
    }

    Engine engine;
    wire::Bus bus;
    card::Emmc emmc;
    ScriptedController controller;
};

struct SdOnBus {
    explicit SdOnBus(const card::SdProfile& profile = sdhc_profile(), wire::Faults* faults = nullptr)
        : bus(engine, nullptr, faults), sd(profile), controller(engine, bus) {
        bus.insert(&sd);
        bus.power(true);
        bring_up();
    }

    void bring_up() {
        bus.set_width(1);
        bus.set_period(identification_period);
        controller.send(spec::go_idle_state());
        const Time patience = engine.now() + milliseconds(1000);
        controller.send(spec::sd::send_if_cond());
        do {
            controller.send_application(0, spec::sd::app_send_op_cond(0x40ff8000));
        } while (!spec::ocr::PoweredUp::get(controller.reply.r1()) && engine.now() < patience);
        controller.send(spec::all_send_cid());
        rca = spec::Rca::in(controller.send(spec::sd::send_relative_addr()).r1()).value;
        controller.send(spec::select_card({rca}));
        bus.set_period(fast_period);
        engine.run_until(milliseconds(1 + engine.now().ps / 1'000'000'000));
    }

    std::uint32_t status() { return controller.send(spec::send_status({rca})).r1(); }
    spec::State state() { return spec::r1::CurrentState::get(status()); }

    Engine engine;
    wire::Bus bus;
    card::SdCard sd;
    ScriptedController controller;
    std::uint16_t rca = 0;
};

} // namespace mmcpipe::sim
