#pragma once
// Model of an MMC or eMMC (JESD84-A441, and what came before it).
//
// Not modelled, and refused like any command that a card does not have: stream transfers (CMD11, 20), bus test (CMD14,
// 19), programming of CID and CSD (CMD26, 27), write protection (CMD28 to 31), interrupt mode and fast I/O (CMD39, 40),
// lock (CMD42), CMD56. Refused with SWITCH_ERROR: dual data rate, other partitions than the user area. Without effect:
// boot operation, high priority interrupt, background operations, the cache.

#include "mmcpipe/sim/card/core.h"
#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/ext_csd.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

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

private:
    explicit Emmc(const EmmcProfile& profile, const spec::mmc::Csd& csd);
    static Geometry geometry_of(const EmmcProfile& profile, const spec::mmc::Csd& csd);

    std::optional<wire::Answer> execute(std::uint8_t index, bool application, std::uint32_t argument,
                                        Time now) override;
    std::optional<Time> erase(std::uint32_t argument, const Range& range) override;
    void reset(Reset kind) override;
    bool reset_pin_enabled() const override;

    std::optional<wire::Answer> send_op_cond(std::uint32_t argument, Time now);
    wire::Answer send_ext_csd(Time now);
    wire::Answer switch_mode(std::uint32_t argument, Time now);
    bool write_mode(const spec::mmc::Switch& what);
    bool allowed(std::uint8_t index, std::uint8_t value) const;
    void take_effect();
    wire::Answer sleep_awake(std::uint32_t argument, Time now);
    std::uint32_t byte(spec::mmc::ext_csd::Field field) const;

    const spec::mmc::Csd fields_;
    const std::uint32_t ocr_;
    std::array<std::byte, spec::mmc::ext_csd_size> ext_csd_;
    std::bitset<spec::mmc::ext_csd_modes> written_; ///< bytes that can be written once, and were
};

} // namespace mmcpipe::sim::card
