#pragma once
// A host whose wire is a FakeCard. It records what it is asked for, and fails where the test says.

#include "mmcpipe/base/arena.h"
#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/port/board.h"
#include "tests/card/fake_card.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mmcpipe::card {

/// Its time passes only while somebody idles.
class VirtualClock final : public base::Environment {
public:
    base::Instant now() override { return now_; }
    unsigned enter_critical() override { return 0; }
    void leave_critical(unsigned) override {}
    void notify() override { notified_ = true; }
    void idle(base::Instant until) override {
        if (std::exchange(notified_, false)) return;
        if (until == base::never) {
            ADD_FAILURE() << "something waits for ever";
            std::abort();
        }
        now_ = until;
    }

private:
    base::Instant now_{};
    bool notified_ = false;
};

/// What goes wrong with a command: from its (`after` + 1)-th time on, `times` times.
struct Fault {
    std::string at; ///< "CMD18", "ACMD51"
    base::Error error;
    unsigned times = 1;
    unsigned after = 0;
    std::uint32_t bytes_done = 0;
    bool card_goes_on = false; ///< after an error of the data the card is still sending, or waiting for data
};

class FakeHost final : public host::Host {
public:
    explicit FakeHost(FakeCard card) : card(std::move(card)), executor_(clock_), delay_(*this) {
        capabilities_.slowest = base::kilohertz(100);
        capabilities_.fastest = base::megahertz(52);
        capabilities_.widest = host::BusWidth::x8;
        capabilities_.high_speed = true;
        capabilities_.max_blocks = 0xffff;
        capabilities_.max_bytes = 1u << 24;
        capabilities_.max_block_size = 2048;
        capabilities_.max_elements = 128;
    }

    FakeCard card;
    bool present = true;
    bool reset_works = true;
    bool power_off_works = true;
    bool sees_busy = true;
    std::vector<Fault> faults;
    std::function<void(FakeHost&, const std::string&)> on_command; ///< before the card hears it
    std::vector<std::string> log; ///< "CMD13", "ACMD41", "power off", "power on", "400 kHz x1", "reset lines"
    std::vector<spec::Command> commands;
    std::vector<base::Instant> times; ///< of the lines of the log

    host::Capabilities& can() { return capabilities_; }

    /// How often something stands in the log.
    std::size_t count(const std::string& what) const {
        return static_cast<std::size_t>(std::count(log.begin(), log.end(), what));
    }
    std::size_t place(const std::string& what) const {
        return static_cast<std::size_t>(std::find(log.begin(), log.end(), what) - log.begin());
    }
    /// The spans of time between one line of the log and the next like it.
    std::vector<base::Duration> intervals(const std::string& what) const {
        std::vector<base::Duration> result;
        std::optional<base::Instant> before;
        for (std::size_t i = 0; i < log.size(); ++i) {
            if (log[i] != what) continue;
            if (before) result.push_back(times[i] - *before);
            before = times[i];
        }
        return result;
    }
    std::optional<std::uint32_t> last_argument(std::uint8_t index) const {
        for (auto c = commands.rbegin(); c != commands.rend(); ++c) {
            if (c->index == index) return c->argument;
        }
        return std::nullopt;
    }
    void forget() {
        log.clear();
        commands.clear();
        times.clear();
    }

    /// Runs a task to its end.
    template <class R>
    R run(base::Task<R> task) {
        task.start();
        executor_.run_until([&task] { return task.done(); });
        return task.take();
    }

    const host::Capabilities& capabilities() const override { return capabilities_; }

    base::Task<base::Result<void>> apply(const host::Settings& settings) override {
        if (settings.supply == port::Supply::off) {
            note("power off");
            if (!power_off_works) co_return base::fail(base::Code::not_possible);
        } else if (settings.clock.value == 0) {
            note("power on");
        } else {
            note(std::to_string(settings.clock.value / 1000) + " kHz x" +
                 std::to_string(static_cast<unsigned>(settings.width)) +
                 (settings.timing == host::Timing::high_speed ? " high speed"
                  : settings.timing == host::Timing::ddr52    ? " ddr"
                                                              : "") +
                 (settings.open_drain ? " open drain" : ""));
        }
        if ((settings.supply != port::Supply::off) != card.powered) card.power(settings.supply != port::Supply::off);
        applied = settings;
        co_return {};
    }
    host::Settings applied{};

    base::Result<void> prepare(host::Request& request) override {
        EXPECT_FALSE(request.error.has_value());
        return {};
    }
    void unprepare(host::Request&) override {}
    void finish(host::Request& request) override { EXPECT_NE(&request, on_wire_) << "finished while on the wire"; }

    void start(host::Request& request) override {
        ASSERT_EQ(on_wire_, nullptr) << "two requests on the wire";
        on_wire_ = &request;
        request.clear_outcome();
        carry_out(request);
        executor_.arm(delay_, base::microseconds(50));
    }

    base::Result<void> reset_lines() override {
        note("reset lines");
        if (!reset_works) return base::fail(base::Code::software_timeout);
        return {};
    }
    base::Result<bool> busy() override {
        if (!sees_busy) return base::fail(base::Code::not_possible);
        return executor_.now() < card.busy_until;
    }
    bool card_present() override { return present; }
    const host::FlightRecord& record() const override { return record_; }
    base::Executor& executor() override { return executor_; }
    base::FrameArena& frames() override { return frames_; }
    bool wire_is_free() const { return on_wire_ == nullptr; }

private:
    struct Delay : base::Deadline {
        explicit Delay(FakeHost& o) : Deadline(over), owner(o) {}
        static void over(base::Deadline& delay) noexcept {
            host::Request* ended = std::exchange(static_cast<Delay&>(delay).owner.on_wire_, nullptr);
            ended->done(*ended);
        }
        FakeHost& owner;
    };

    void note(std::string what) {
        log.push_back(std::move(what));
        times.push_back(executor_.now());
    }

    std::string label(const spec::Command& command) const {
        const bool application = command.index != 55 && card.app;
        return (application ? "ACMD" : "CMD") + std::to_string(command.index);
    }

    std::optional<Fault> fault_at(const std::string& what) {
        for (Fault& fault : faults) {
            if (fault.at != what || fault.times == 0) continue;
            if (fault.after > 0) {
                --fault.after;
                continue;
            }
            --fault.times;
            return fault;
        }
        return std::nullopt;
    }

    /// One command; its fault, if it has one that is not about the command itself.
    std::optional<Fault> send(host::CommandPhase& phase) {
        const std::string what = label(phase.command);
        note(what);
        commands.push_back(phase.command);
        if (on_command) on_command(*this, what);
        const std::optional<Fault> fault = fault_at(what);
        const bool lost = fault && fault->error.code == base::Code::command_timeout;
        std::optional<FakeCard::Words> words;
        if (!lost) words = card.command(phase.command, executor_.now(), applied.clock);
        if (lost) card.app = false;
        if (fault && (lost || fault->error.code == base::Code::command_crc)) {
            phase.error = fault->error;
        } else if (words) {
            phase.response = *words;
            return fault;
        } else if (phase.command.response != spec::Response::none) {
            phase.error = base::Error(base::Code::command_timeout);
        }
        return std::nullopt;
    }

    void carry_out(host::Request& request) {
        if (request.set_block_count) {
            send(*request.set_block_count);
            request.error = request.set_block_count->error;
            if (request.error) return;
        }
        const std::optional<Fault> fault = send(request.command);
        request.error = request.command.error;
        if (!request.error && fault) {
            request.error = fault->error;
            request.bytes_done = fault->bytes_done;
            if (fault->card_goes_on) card.state = spec::State::data;
        }
        if (request.command.error) return;
        if (request.data && !request.error) move_data(request);
        if (request.error && request.error->code == base::Code::software_timeout) return;
        if (request.stop) {
            send(*request.stop);
            if (!request.error) request.error = request.stop->error;
        }
    }

    void move_data(host::Request& request) {
        const host::Data& data = *request.data;
        const bool is_register = card.state == spec::State::tran;
        if (is_register && card.outgoing.size() != data.bytes()) {
            request.error = base::Error(base::Code::data_timeout);
        } else if (!card.data_is_clean(applied)) {
            const bool write = data.direction == host::Direction::write;
            request.error = base::Error(write ? base::Code::write_crc : base::Code::data_crc);
        } else {
            if (is_register) std::copy(card.outgoing.begin(), card.outgoing.end(), data.buffers[0].begin());
            request.bytes_done = data.bytes();
            const bool open = request.stop && !request.set_block_count;
            if (!open) card.data_ended(executor_.now());
        }
    }

    VirtualClock clock_;
    base::Executor executor_;
    base::StaticFrameArena<64 * 1024> frames_;
    host::Capabilities capabilities_;
    host::FlightRecord record_;
    host::Request* on_wire_ = nullptr;
    Delay delay_;
};

class FakeBoard final : public port::Board {
public:
    base::Result<void> set_supply(port::Supply) override { return {}; }
    base::Result<void> set_signal(port::Signal) override { return {}; }
    base::Result<void> hold_reset(bool held) override {
        if (!reset_pin) return base::fail(base::Code::not_possible);
        resets += held ? 1 : 0;
        reset_held = held;
        return {};
    }
    unsigned bus_width() const override { return lines; }
    base::Hertz base_clock() const override { return base::megahertz(100); }
    bool has(port::Supply supply) const override { return supply == supply_; }
    bool card_present() override { return true; }
    bool write_protected() override { return false; }

    unsigned lines = 8;
    bool reset_pin = false;
    unsigned resets = 0;
    bool reset_held = false;
    port::Supply supply_ = port::Supply::v3_3;
};

} // namespace mmcpipe::card
