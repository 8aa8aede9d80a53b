#pragma once
// Model of an MMC or eMMC (JESD84-A441, what came before it, and of JESD84-B45 the packed commands).
//
// Packed commands are those of JESD84-B45 6.6.28. What the specification leaves open here: a card takes the data of a
// packed write to its end, and forgets what belongs to the entry that failed and to those behind it; a packed read ends
// before the entry that failed; what the last packed command came to is known until the next one, or a reset.
//
// Not modelled, and refused like any command that a card does not have: stream transfers (CMD11, 20), bus test (CMD14,
// 19), programming of CID and CSD (CMD26, 27), write protection (CMD28 to 31), interrupt mode and fast I/O (CMD39, 40),
// lock (CMD42), CMD56. Refused with SWITCH_ERROR: other partitions than the user area. Without effect:
// boot operation, high priority interrupt, background operations, the cache.

#include "mmcpipe/sim/card/core.h"
#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/ext_csd.h"
#include "mmcpipe/spec/packed.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mmcpipe::sim::card {

/// What one type of card is: its registers as they are read from it, and its flash.
struct EmmcProfile {
    spec::R2 cid{};
    spec::R2 csd{};
    /// Of a card of system specification 4.0 or later. Modes that do not outlive a reset begin at 0, whatever it says.
    std::array<std::byte, spec::mmc::ext_csd_size> ext_csd{};
    std::uint32_t ocr = 0x00ff8080; ///< voltages
    FlashTiming timing{};
};

class Emmc final : public Core {
public:
    explicit Emmc(const EmmcProfile& profile);

    void spoil_packed_entry(std::uint32_t entry) override { pack_.spoiled = entry; }

private:
    /// The packed command under way, or a packed read that was announced.
    struct Pack {
        std::array<std::byte, spec::mmc::large_packed_header_size> header{};
        std::uint32_t heard = 0; ///< bytes of the header
        std::vector<spec::mmc::PackedEntry> entries{};
        std::size_t next = 0;
        bool announced = false;                 ///< a read, whose data has not been asked for
        std::optional<std::uint32_t> spoiled{}; ///< by a fault
    };

    explicit Emmc(const EmmcProfile& profile, const spec::mmc::Csd& csd);
    static Geometry geometry_of(const EmmcProfile& profile, const spec::mmc::Csd& csd);

    std::optional<wire::Answer> execute(std::uint8_t index, bool application, std::uint32_t argument,
                                        Time now) override;
    std::optional<Time> erase(std::uint32_t argument, const Range& range) override;
    void reset(Reset kind) override;
    bool reset_pin_enabled() const override;
    wire::Answer begin_packed(std::uint8_t index, std::uint32_t argument, std::uint32_t count, Time now) override;
    void take_header(const Chunk& data) override;
    void next_piece(Time now) override;
    std::uint32_t conditions() const override;

    std::optional<wire::Answer> send_op_cond(std::uint32_t argument, Time now);
    wire::Answer send_ext_csd(Time now);
    wire::Answer switch_mode(std::uint32_t argument, Time now);
    bool write_mode(const spec::mmc::Switch& what);
    bool allowed(std::uint8_t index, std::uint8_t value) const;
    void take_effect();
    wire::Answer sleep_awake(std::uint32_t argument, Time now);
    wire::Answer set_block_count(const spec::BlockCount& count);
    wire::Answer begin_packed_write(std::uint32_t argument, std::uint32_t count);
    wire::Answer begin_packed_read(std::uint32_t count, Time now);
    void open_pack();
    void begin_entry(Time now);
    void pack_failed(std::uint32_t entry);
    void forget_outcome();
    std::uint32_t byte(spec::mmc::ext_csd::Field field) const;

    const spec::mmc::Csd fields_;
    const std::uint32_t ocr_;
    std::array<std::byte, spec::mmc::ext_csd_size> ext_csd_;
    std::bitset<spec::mmc::ext_csd_modes> written_; ///< bytes that can be written once, and were
    Pack pack_;
};

} // namespace mmcpipe::sim::card
