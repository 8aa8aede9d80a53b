#pragma once
// What MMC and SD cards share: the state machine, the card status, block transfers, the erase sequence. A kind of card
// adds its registers and the commands that only it has.
//
// JESD84-A441 7 "e.MMC functional description", SD Physical Layer 3.01 4 "SD memory card functional description".

#include "mmcpipe/base/units.h"
#include "mmcpipe/sim/card/flash.h"
#include "mmcpipe/sim/wire/card.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/ocr.h"
#include "mmcpipe/spec/r1.h"
#include "mmcpipe/spec/r2.h"
#include "mmcpipe/spec/state.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace mmcpipe::sim::card {

class Core : public wire::Card {
public:
    virtual ~Core() = default;

    std::optional<wire::Answer> command(const wire::Frame& frame, Time now) final;
    wire::Flow flow() const final;
    wire::Offer offer(std::uint32_t blocks, Time now) final;
    void sent(std::uint32_t blocks, Time now) final;
    wire::Acceptance accept(std::uint32_t blocks, Time now) final;
    void received(const Chunk& data, Time now) final;
    void damaged(Time now) final;
    std::uint32_t block_length() const final { return transfer_.length; }
    unsigned width() const final { return width_; }
    bool both_edges() const final { return both_edges_; }
    Time shortest_period() const final;
    Time busy_until() const final;
    void hang(Time until) final;
    void spoil_packed_entry(std::uint32_t) override {}
    void power(bool on, Time now) final;
    void reset_pin(bool held, Time now) final;

    /// As CMD13 would tell it at `now`.
    spec::State state(Time now) const;
    /// What the card holds, past all commands.
    PageStore& content() { return flash_.content(); }
    std::uint64_t capacity() const { return flash_.size(); }

protected:
    /// What the CSD says about data.
    struct Geometry {
        std::uint64_t capacity; ///< bytes
        spec::Addressing addressing;
        std::uint16_t ccc;
        std::uint32_t default_block; ///< bytes: while there was no CMD16
        std::uint32_t read_block;    ///< bytes: the longest
        std::uint32_t write_block;
        bool read_partial;
        bool write_partial;
        bool read_misalign;
        bool write_misalign;
    };
    /// Bytes, `end` is not one of them.
    struct Range {
        std::uint64_t begin;
        std::uint64_t end;
    };
    /// Where blocks come from, or go to.
    enum class Place : std::uint8_t {
        flash,
        own_register, ///< read
        header,       ///< of a packed command: `take_header`
        nowhere,      ///< they are taken, and forgotten
    };
    /// Blocks on their way.
    struct Transfer {
        static constexpr std::uint64_t open_ended = UINT64_MAX;

        std::uint64_t at = 0;             ///< address of the next block, bytes
        std::uint64_t left = 0;           ///< blocks
        std::uint32_t length = 512;       ///< of a block
        Time ready{};                     ///< for the next block of a read
        std::uint64_t piece = open_ended; ///< blocks until `next_piece`: a packed command is made of pieces
        Place place = Place::flash;
        bool writes_flash = false; ///< some of it has been to be written
        bool single = false;
        bool broken_off = false; ///< an error: no block moves before CMD12
    };
    /// What ends a session, from the least to the most.
    enum class Reset : std::uint8_t { command, pin, power };

    Core(spec::Family family, const Geometry& geometry, const spec::R2& cid, const spec::R2& csd, std::byte erased,
         const FlashTiming& timing);

    /// The card has these commands; it takes them in the states that the tables of the specification give, if its CCC
    /// has their class.
    void implement(std::initializer_list<std::uint8_t> indices, bool application = false);

    /// A command that only this kind has, and that is legal now.
    virtual std::optional<wire::Answer> execute(std::uint8_t index, bool application, std::uint32_t argument,
                                                Time now) = 0;
    /// CMD38 with a range of blocks: how long the card is busy. Nothing: it cannot do that kind of erase.
    virtual std::optional<Time> erase(std::uint32_t argument, const Range& range) = 0;
    virtual void reset(Reset kind) = 0;
    /// CMD18 or CMD25 after a CMD23 with the packed flag.
    virtual wire::Answer begin_packed(std::uint8_t, std::uint32_t, std::uint32_t, Time) { return r1(); }
    virtual void take_header(const Chunk&) {}
    /// A piece of a packed command is over, and perhaps all of it.
    virtual void next_piece(Time) {}
    /// Bits of R1 that tell how the card is, beside its state.
    virtual std::uint32_t conditions() const { return 0; }
    virtual bool reset_pin_enabled() const { return false; }

    /// The status, with the errors that were not told yet; now they are.
    wire::Answer r1(spec::Response kind = spec::Response::r1);
    std::uint32_t tell_status();
    void set_error(std::uint32_t bits) { latched_ |= bits; }
    /// CMD1 and ACMD41: R3, and the power-up procedure. `mode` is added to OCR, `may_end`: the host can handle this
    /// card.
    std::optional<wire::Answer> operation_conditions(std::uint32_t host, std::uint32_t ocr, std::uint32_t mode,
                                                     bool may_end, Time now);
    /// Sends a register as one block.
    wire::Answer send_register(std::span<const std::byte> content, Time now);
    wire::Answer set_erase_begin(std::uint32_t argument);
    wire::Answer set_erase_end(std::uint32_t argument);
    std::uint64_t address_in(std::uint32_t argument) const;
    /// Busy, in prg, until then.
    void program_until(Time when);
    void go(spec::State state) { state_ = state; }
    void set_busy(Time until) { busy_until_ = until; }

    /// The period of a clock. Periods are rounded, so there is 1 % of tolerance.
    static Time period_of(base::Hertz clock);

    /// N_CR, where not all cards answer at once: a typical figure, a card may choose from 2 to 64.
    static constexpr std::uint8_t n_cr = 8;

    const spec::Family family_;
    const Geometry geometry_;
    const spec::R2 cid_;
    const spec::R2 csd_;
    Flash flash_;
    spec::Rca rca_;
    unsigned width_ = 1;
    bool both_edges_ = false;
    Time fastest_;                  ///< shortest period of the clock once identification is over
    std::uint32_t block_count_ = 0; ///< CMD23: for the next command; 0: open-ended
    bool packed_ = false;           ///< CMD23: the next command is a packed one
    Transfer transfer_;
    std::uint32_t well_written_ = 0; ///< blocks of the last write

private:
    std::optional<wire::Answer> execute_basic(std::uint8_t index, std::uint32_t argument, Time now);
    bool for_another(std::uint8_t index, std::uint32_t argument) const;
    Time ready_at() const;
    void settle(Time now) { state_ = state(now); }
    void deselect();
    void start_over(Reset kind);
    wire::Answer select();
    wire::Answer set_block_length(std::uint32_t length);
    wire::Answer begin_transfer(std::uint8_t index, std::uint32_t argument, std::uint32_t count, Time now);
    wire::Answer stop(Time now);
    wire::Answer do_erase(std::uint32_t argument, Time now);
    void end_write(Time now);
    bool beyond_the_end();
    std::uint32_t blocks_in_reach(std::uint32_t blocks) const;
    Chunk read(std::uint32_t blocks);

    std::array<std::uint16_t, 64> takes_{}; ///< sets of states, a bit for each
    std::array<std::uint16_t, 64> takes_application_{};
    bool powered_ = false;
    bool held_in_reset_ = false;
    bool app_cmd_ = false;                  ///< the next command may be an ACMD
    spec::State state_ = spec::State::idle; ///< before what time has changed: see `settle`
    std::uint32_t told_ = 0;                ///< how the card was when the command came, as R1 tells it
    std::uint32_t latched_ = 0;             ///< errors that were not told yet
    std::uint32_t block_length_ = 512;
    Chunk register_;
    Time busy_until_{};
    Time hang_until_{};
    std::optional<Time> powered_up_at_{};
    std::optional<std::uint64_t> erase_begin_{};
    std::optional<std::uint64_t> erase_end_{};
};

} // namespace mmcpipe::sim::card
