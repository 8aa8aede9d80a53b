#pragma once
// Model of an SD memory card, SDSC or SDHC (Physical Layer 3.01), in SD bus mode.
//
// Not modelled, and refused like any command that a card does not have: signal voltage switch and tuning (CMD11, 19),
// speed class control (CMD20), programming of CSD (CMD27), write protection (CMD28 to 30), lock (CMD42), CMD56.

#include "mmcpipe/sim/card/core.h"
#include "mmcpipe/spec/csd.h"
#include "mmcpipe/spec/scr.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::sim::card {

/// What one type of card is: its registers as they are read from it, and its flash.
struct SdProfile {
    spec::R2 cid{};
    spec::R2 csd{};
    std::array<std::byte, 8> scr{};
    std::array<std::byte, 64> sd_status{}; ///< but for DAT_BUS_WIDTH
    std::uint32_t ocr = 0x00ff8000;        ///< voltages
    FlashTiming timing{};
};

class SdCard final : public Core {
public:
    explicit SdCard(const SdProfile& profile);

private:
    SdCard(const SdProfile& profile, const spec::sd::Csd& csd, const spec::sd::Scr& scr);
    static Geometry geometry_of(const spec::sd::Csd& csd);

    std::optional<wire::Answer> execute(std::uint8_t index, bool application, std::uint32_t argument,
                                        Time now) override;
    std::optional<wire::Answer> execute_application(std::uint8_t index, std::uint32_t argument, Time now);
    std::optional<Time> erase(std::uint32_t argument, const Range& range) override;
    void reset(Reset kind) override;

    std::optional<wire::Answer> send_if_cond(std::uint32_t argument);
    wire::Answer send_relative_addr();
    wire::Answer switch_func(std::uint32_t argument, Time now);
    wire::Answer set_bus_width(std::uint32_t argument);

    const spec::sd::Csd fields_;
    const spec::sd::Scr scr_;
    const std::array<std::byte, 8> raw_scr_;
    std::array<std::byte, 64> sd_status_;
    const std::uint32_t ocr_;
    std::uint16_t next_rca_ = 0x2a51; ///< of no meaning: a host must take what it gets
    bool knows_host_ = false;         ///< CMD8 was answered: the host knows of SDHC
    bool high_speed_ = false;
};

} // namespace mmcpipe::sim::card
