#pragma once
// A host whose card keeps what is written to it: the protocol of tests/card's FakeCard, with sectors behind it. It is
// right in everything that the trials look at, and wrong in one thing if the test says so.

#include "mmcpipe/base/arena.h"
#include "mmcpipe/base/executor.h"
#include "mmcpipe/host/flight_record.h"
#include "mmcpipe/host/host.h"
#include "mmcpipe/spec/packed.h"
#include "mmcpipe/spec/r1.h"
#include "tests/base/fake_environment.h"
#include "tests/card/fake_card.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mmcpipe::trial {

/// What is wrong with a host, or with its card.
enum class Flaw {
    none,
    flips_a_bit_of_reads,
    flips_a_bit_of_writes,
    swaps_read_blocks,
    swaps_written_blocks,
    loses_writes,
    writes_a_block_too_many,
    forgets_the_offset,
    takes_a_list_for_one_buffer,
    takes_addresses_for_aligned,
    overwrites_whole_lines,
    has_one_mapping,
    fetches_at_prepare,
    keeps_what_is_taken_back,
    forgets_the_block_count,
    says_less_is_done,
    says_all_is_done,
    overlooks_missing_data,
    overlooks_missing_answers,
    overlooks_the_rest_of_short_blocks,
    loses_the_error_bits,
    sees_no_busy,
    takes_a_busy_card_for_ready,
    takes_no_notice_of_removal,
    card_is_short_of_a_sector,
    card_erases_nothing,
    card_erases_too_much,
    card_packs_backwards,
    card_names_another_entry,
};

class RamHost final : public host::Host {
public:
    explicit RamHost(card::FakeCard c, Flaw f = Flaw::none)
        : card(std::move(c)), flaw(f), executor_(clock_), wire_(*this) {
        capabilities_.slowest = base::kilohertz(100);
        capabilities_.fastest = base::megahertz(52);
        capabilities_.widest = host::BusWidth::x8;
        capabilities_.high_speed = true;
        capabilities_.max_blocks = 0xffff;
        capabilities_.max_bytes = 1u << 23;
        capabilities_.max_block_size = 2048;
        capabilities_.max_elements = 512;
    }

    card::FakeCard card;
    Flaw flaw;
    std::uint32_t refusal = spec::r1::AddressOutOfRange::mask; ///< what the card says to an address behind its end
    bool present = true;
    bool sees_busy = true;
    bool keeps_data = true; ///< contents matter
    std::uint32_t sectors = 0;
    std::byte erased{0};
    base::Duration wire_time = base::microseconds(50);
    /// "prepare CMD18", "start CMD18", "CMD18", "CMD12", "end CMD18", "finish CMD18", from when `logs` is set.
    std::vector<std::string> log;
    bool logs = false;

    /// Arguments of all commands with this index that the card answered.
    std::vector<std::uint32_t>& arguments_of(std::uint8_t index) { return arguments_[index]; }

    host::Capabilities& can() { return capabilities_; }

    template <class R>
    R run(base::Task<R> task) {
        task.start();
        bool stuck = false;
        executor_.run_until([&] {
            stuck = clock_.now() == base::never;
            return task.done() || stuck;
        });
        if (stuck) std::abort(); // something waits for ever
        return task.take();
    }

    const host::Capabilities& capabilities() const override { return capabilities_; }
    base::Task<base::Result<void>> apply(const host::Settings& settings) override {
        const bool on = settings.supply != port::Supply::off;
        if (on != card.powered) card.power(on);
        applied_ = settings;
        co_return {};
    }

    base::Result<void> prepare(host::Request& request) override {
        note("prepare ", request);
        if (!request.data) return {};
        if (request.data->buffers.size() > capabilities_.max_elements) return base::fail(base::Code::out_of_range);
        if (request.data->block_size > capabilities_.max_block_size) return base::fail(base::Code::not_possible);
        for (Mapped& m : mapped_) {
            if (m.request != nullptr) continue;
            m = {&request, *request.data, {}};
            const bool read = request.data->direction == host::Direction::read;
            if (flaw == Flaw::fetches_at_prepare && read) m.bytes = fetch(request, request.data->bytes());
            last_mapped_ = &m;
            return {};
        }
        return base::fail(base::Code::out_of_range);
    }
    void unprepare(host::Request& request) override {
        if (Mapped* m = mapped(request); m != nullptr && flaw != Flaw::keeps_what_is_taken_back) m->request = nullptr;
    }
    void start(host::Request& request) override {
        note("start ", request);
        if (on_wire_ != nullptr) std::abort(); // two requests on the wire
        on_wire_ = &request;
        request.clear_outcome();
        executor_.arm(wire_, wire_time);
    }
    void finish(host::Request& request) override {
        note("finish ", request);
        Mapped* m = mapped(request);
        if (m == nullptr) return;
        if (m->data.direction == host::Direction::read && !m->bytes.empty()) scatter(target(*m), m->bytes);
        m->request = nullptr;
    }

    base::Result<void> reset_lines() override { return {}; }
    base::Result<bool> busy() override {
        if (!sees_busy) return base::fail(base::Code::not_possible);
        return flaw != Flaw::sees_no_busy && executor_.now() < card.busy_until;
    }
    bool card_present() override { return present || flaw == Flaw::takes_no_notice_of_removal; }
    const host::FlightRecord& record() const override { return record_; }
    base::Executor& executor() override { return executor_; }
    base::FrameArena& frames() override { return frames_; }

    /// A sector as it is on the card.
    std::array<std::byte, 512>& sector(std::uint32_t number) {
        const auto [found, fresh] = store_.try_emplace(number);
        if (fresh) found->second.fill(erased);
        return found->second;
    }

private:
    struct Mapped {
        host::Request* request = nullptr;
        host::Data data{};
        std::vector<std::byte> bytes{}; ///< read from the card; the client's after finish
    };
    struct Wire : base::Deadline {
        explicit Wire(RamHost& o) : Deadline(over), owner(o) {}
        static void over(base::Deadline& wire) noexcept { static_cast<Wire&>(wire).owner.end(); }
        RamHost& owner;
    };

    void end() {
        carry_out(*on_wire_);
        record_.add(*on_wire_);
        host::Request* ended = std::exchange(on_wire_, nullptr);
        note("end ", *ended);
        ended->done(*ended);
    }

    void note(const char* what, const host::Request& request) {
        if (logs) log.push_back(what + ("CMD" + std::to_string(request.command.command.index)));
    }

    Mapped* mapped(const host::Request& request) {
        for (Mapped& m : mapped_) {
            if (m.request == &request) return &m;
        }
        return nullptr;
    }
    /// Whose buffers the data comes from and goes to.
    const host::Data& target(const Mapped& m) const {
        return flaw == Flaw::has_one_mapping && last_mapped_->request != nullptr ? last_mapped_->data : m.data;
    }

    /// Sends one command. False if nothing answers that should.
    bool send(host::CommandPhase& phase) {
        if (logs) log.push_back("CMD" + std::to_string(phase.command.index));
        std::optional<card::FakeCard::Words> words;
        if (present) words = answer(phase.command);
        if (words) phase.response = *words;
        if (words && flaw == Flaw::loses_the_error_bits) phase.response[0] &= ~refusal;
        const bool status = phase.command.index == 13 && words && !card.app;
        if (status && flaw == Flaw::takes_a_busy_card_for_ready && card.state == spec::State::prg) {
            phase.response[0] = spec::r1::status(spec::State::tran, true);
        }
        const bool answered = words || phase.command.response == spec::Response::none;
        if (!answered && flaw != Flaw::overlooks_missing_answers)
            phase.error = base::Error(base::Code::command_timeout);
        return answered;
    }

    std::uint32_t capacity() const { return flaw == Flaw::card_is_short_of_a_sector ? sectors - 1 : sectors; }
    std::uint32_t sector_in(const spec::Command& command) const {
        return spec::sector_of({command.argument}, addressing());
    }
    spec::Addressing addressing() const {
        return (card.ocr & 1u << 30) != 0 ? spec::Addressing::sector : spec::Addressing::byte;
    }

    std::optional<card::FakeCard::Words> answer(const spec::Command& command) {
        const bool application = card.app;
        const bool transfer = command.index == 17 || command.index == 18 || command.index == 24 || command.index == 25;
        if (transfer && card.state == spec::State::tran && sector_in(command) >= capacity()) {
            // Says so, and stays where it is.
            card.errors |= refusal;
            return card.command(spec::send_status(spec::Rca{card.rca}), executor_.now(), applied_.clock);
        }
        const auto words = card.command(command, executor_.now(), applied_.clock);
        if (!words || application) return words;
        arguments_[command.index].push_back(command.argument);
        if (command.index == 23) block_count_ = command.argument & 0xffff;
        if (command.index == 23) packed_ = spec::BlockCount::in(command.argument).packed;
        if (command.index == 32 || command.index == 35) erase_first_ = sector_in(command);
        if (command.index == 33 || command.index == 36) erase_last_ = sector_in(command);
        if (command.index == 38) erase(command.argument);
        return words;
    }

    void erase(std::uint32_t kind) {
        if (flaw == Flaw::card_erases_nothing) return;
        const std::uint32_t more = flaw == Flaw::card_erases_too_much ? 1 : 0;
        const bool groups = card.family == spec::Family::mmc && kind == 0;
        const std::uint32_t last = groups ? erase_last_ / erase_group * erase_group + erase_group - 1 : erase_last_;
        if (!keeps_data) return;
        for (std::uint32_t s = erase_first_; s <= last + more; ++s) sector(s).fill(erased);
    }

    void carry_out(host::Request& request) {
        std::optional<std::uint32_t> count;
        if (request.set_block_count && flaw != Flaw::forgets_the_block_count) {
            if (!send(*request.set_block_count)) return fail(request, *request.set_block_count);
            count = block_count_;
        }
        if (!send(request.command)) return fail(request, request.command);
        if (request.data) move_data(request, count);
        if (request.stop && !send(*request.stop)) fail(request, *request.stop);
    }
    static void fail(host::Request& request, const host::CommandPhase& phase) {
        if (!request.error) request.error = phase.error;
    }

    void move_data(host::Request& request, std::optional<std::uint32_t> count) {
        const host::Data& data = *request.data;
        const std::uint8_t index = request.command.command.index;
        const bool is_register = card.state == spec::State::tran && !card.outgoing.empty();
        const bool moving = card.state == spec::State::data || card.state == spec::State::rcv;
        const bool one = index == 17 || index == 24;
        const std::uint32_t given = !moving ? 0 : one ? 1 : count ? *count : data.blocks;
        const std::uint32_t blocks = std::min(given, data.blocks);
        const std::uint32_t length =
            addressing() == spec::Addressing::byte && card.block_length != 0 ? card.block_length : 512;

        if (is_register) {
            mapped(request)->bytes = card.outgoing;
            request.bytes_done = data.bytes();
        } else if (moving && length != data.block_size) {
            request.error = base::Error(base::Code::data_crc);
        } else {
            if (data.direction == host::Direction::write) {
                if (blocks != 0 && keeps_data) put(request, gather(target(*mapped(request))), blocks * length);
            } else if (flaw != Flaw::fetches_at_prepare) {
                mapped(request)->bytes = fetch(request, blocks * length);
            }
            request.bytes_done = blocks * length;
            if (blocks < data.blocks) request.error = base::Error(base::Code::data_timeout);
        }
        if (one || count) card.data_ended(executor_.now());
        packed_ = false;

        if (flaw == Flaw::says_less_is_done && request.bytes_done >= length) request.bytes_done -= length;
        if (flaw == Flaw::says_all_is_done) request.bytes_done = data.bytes();
        if (flaw == Flaw::overlooks_missing_data) request.error.reset();
    }

    /// What a list of buffers holds.
    std::vector<std::byte> gather(const host::Data& data) const {
        std::vector<std::byte> bytes(data.bytes());
        std::size_t at = 0;
        for_each_piece(data, [&](std::byte* piece, std::size_t size) {
            std::memcpy(bytes.data() + at, piece, size);
            at += size;
        });
        return bytes;
    }
    void scatter(const host::Data& data, const std::vector<std::byte>& bytes) const {
        std::size_t at = 0;
        for_each_piece(data, [&](std::byte* piece, std::size_t size) {
            const std::size_t n = std::min(size, bytes.size() - std::min(at, bytes.size()));
            if (n != 0) std::memcpy(piece, bytes.data() + at, n);
            at += size;
            if (flaw == Flaw::overwrites_whole_lines) piece[size] = std::byte{0};
        });
    }
    template <class Visit>
    void for_each_piece(const host::Data& data, Visit&& visit) const {
        std::size_t skip = flaw == Flaw::forgets_the_offset ? 0 : data.offset;
        std::size_t left = data.bytes();
        if (flaw == Flaw::takes_a_list_for_one_buffer) {
            visit(data.buffers[0].data() + skip, left);
            return;
        }
        for (const host::Buffer buffer : data.buffers) {
            const std::size_t skipped = std::min(skip, buffer.size());
            skip -= skipped;
            const std::size_t size = std::min(buffer.size() - skipped, left);
            std::byte* piece = buffer.data() + skipped;
            if (flaw == Flaw::takes_addresses_for_aligned) piece -= reinterpret_cast<std::uintptr_t>(piece) & 3u;
            if (size != 0) visit(piece, size);
            left -= size;
        }
    }

    static void swap_two_blocks(std::vector<std::byte>& bytes) {
        if (bytes.size() >= 1024) std::swap_ranges(bytes.begin(), bytes.begin() + 512, bytes.begin() + 512);
    }

    std::vector<std::byte> fetch(const host::Request& request, std::uint32_t size) {
        if (!keeps_data) return {};
        std::vector<std::byte> bytes(size);
        if (packed_) fetch_entries(bytes);
        const std::uint32_t first = sector_in(request.command.command);
        for (std::uint32_t i = 0; i < size && !packed_; i += 512) {
            std::memcpy(bytes.data() + i, sector(first + i / 512).data(), std::min(size - i, 512u));
        }
        if (size != 0 && flaw == Flaw::flips_a_bit_of_reads) bytes[size / 2] ^= std::byte{4};
        if (flaw == Flaw::swaps_read_blocks) swap_two_blocks(bytes);
        if (size % 512 > 1 && flaw == Flaw::overlooks_the_rest_of_short_blocks) bytes.back() = std::byte{0};
        return bytes;
    }
    void put(const host::Request& request, std::vector<std::byte> bytes, std::uint32_t size) {
        if (flaw == Flaw::loses_writes) return;
        bytes.resize(size); // of another request, if the flaw is that
        if (flaw == Flaw::flips_a_bit_of_writes) bytes[size / 2] ^= std::byte{4};
        if (flaw == Flaw::swaps_written_blocks) swap_two_blocks(bytes);
        if (size % 512 > 1 && flaw == Flaw::overlooks_the_rest_of_short_blocks) --size;
        if (packed_) return put_entries(bytes);
        const std::uint32_t first = sector_in(request.command.command);
        for (std::uint32_t i = 0; i < size; i += 512) {
            std::memcpy(sector(first + i / 512).data(), bytes.data() + i, std::min(size - i, 512u));
        }
        if (flaw == Flaw::writes_a_block_too_many) sector(first + (size + 511) / 512).fill(std::byte{0});
    }

    // A packed command: its header comes first, and either the data of a write, or later that of a read.
    void put_entries(const std::vector<std::byte>& bytes) {
        namespace ext = spec::mmc::ext_csd;
        const auto header = spec::mmc::PackedHeader::decode(std::span(bytes).first(512));
        if (!header) std::abort();
        entries_.clear();
        for (std::size_t i = 0; i < header->entries(); ++i) entries_.push_back((*header)[i]);
        if (flaw == Flaw::card_packs_backwards) std::ranges::reverse(entries_);
        std::uint32_t failed = 0;
        const std::byte* from = bytes.data() + 512;
        const bool writes = header->direction() == spec::mmc::PackedDirection::write;
        for (std::size_t i = 0; i < entries_.size() && writes && failed == 0; ++i) {
            const std::uint32_t first = spec::sector_of(entries_[i].address, addressing());
            if (first >= sectors) failed = static_cast<std::uint32_t>(i + 1);
            for (std::uint32_t s = 0; s < entries_[i].count.blocks && failed == 0; ++s, from += 512)
                std::memcpy(sector(first + s).data(), from, 512);
        }
        const std::uint32_t named = failed + (flaw == Flaw::card_names_another_entry ? 1 : 0);
        spec::mmc::put(card.ext_csd, ext::packed_command_status, failed != 0 ? 3 : 0);
        spec::mmc::put(card.ext_csd, ext::packed_failure_index, failed != 0 ? named : 0);
        spec::mmc::put(card.ext_csd, ext::exception_events_status, failed != 0 ? ext::PackedEvent::mask : 0);
    }
    void fetch_entries(std::vector<std::byte>& bytes) {
        std::byte* to = bytes.data();
        for (const spec::mmc::PackedEntry& entry : entries_) {
            const std::uint32_t first = spec::sector_of(entry.address, addressing());
            for (std::uint32_t s = 0; s < entry.count.blocks; ++s, to += 512)
                std::memcpy(to, sector(first + s).data(), 512);
        }
    }

    static constexpr std::uint32_t erase_group = 1024;

    base::FakeEnvironment clock_;
    base::Executor executor_;
    base::StaticFrameArena<64 * 1024> frames_;
    host::Capabilities capabilities_;
    host::Settings applied_{};
    host::FlightRecord record_;
    std::array<Mapped, 2> mapped_{};
    Mapped* last_mapped_ = nullptr;
    host::Request* on_wire_ = nullptr;
    Wire wire_;
    std::unordered_map<std::uint32_t, std::array<std::byte, 512>> store_;
    std::array<std::vector<std::uint32_t>, 64> arguments_;
    std::uint32_t block_count_ = 0;
    bool packed_ = false; ///< CMD23: the next command is a packed one
    std::vector<spec::mmc::PackedEntry> entries_;
    std::uint32_t erase_first_ = 0;
    std::uint32_t erase_last_ = 0;
};

} // namespace mmcpipe::trial
