#include "mmcpipe/rig/drivers.h"

#include "mmcpipe/host/dma/mapping.h"
#include "mmcpipe/host/dma/pl080.h"
#include "mmcpipe/host/dma/pxa_channel.h"
#include "mmcpipe/host/pl18x/driver.h"
#include "mmcpipe/host/pxamci/chain.h"
#include "mmcpipe/host/pxamci/driver.h"
#include "mmcpipe/host/pxamci/registers.h"
#include "mmcpipe/rig/wiring.h"

#include <array>
#include <optional>
#include <vector>

namespace mmcpipe::rig {

namespace {

constexpr std::size_t bounce_size = 65536;
constexpr std::uint32_t pl18x_fifo = 0x80;

const host::pl18x::Variant& pl18x_variant(Cell cell) {
    switch (cell) {
    case Cell::arm_pl180: return host::pl18x::arm_pl180;
    case Cell::arm_pl181: return host::pl18x::arm_pl181;
    case Cell::arm_pl181_extended_fifo: return host::pl18x::arm_pl181_extended_fifo;
    case Cell::st_v1: return host::pl18x::st_v1;
    case Cell::st_v2: return host::pl18x::st_v2;
    default: return host::pl18x::st_v3;
    }
}

/// A mapping for each of the two requests under way, with what they work in.
class Mappings {
public:
    Mappings(const Platform& platform, const Doors& doors, const host::dma::Constraints& constraints) {
        for (std::size_t i = 0; i < work_.size(); ++i) {
            Work& work = work_[i];
            work.elements.resize(platform.dma_max_elements);
            work.bounced.resize(std::size_t{2} * platform.dma_max_elements);
            const auto bounce = doors.memory.allocate_coherent(bounce_size, 64);
            mappings_[i].emplace(doors.memory, constraints,
                                 host::dma::Mapping::Storage{work.elements, work.bounced, bounce},
                                 platform.barrier_per);
        }
    }
    std::array<host::dma::Mapping*, 2> pointers() { return {&*mappings_[0], &*mappings_[1]}; }

private:
    struct Work {
        std::vector<host::dma::Element> elements;
        std::vector<host::dma::Mapping::Bounced> bounced;
    };
    std::array<Work, 2> work_;
    std::array<std::optional<host::dma::Mapping>, 2> mappings_;
};

class Pl18xDrivers final : public Drivers {
public:
    Pl18xDrivers(const Platform& platform, const Doors& doors, base::Executor& executor, base::FrameArena& frames)
        : driver_(wire(platform, doors), pl18x_variant(platform.cell), executor, frames) {}
    host::Host& host() override { return driver_; }

private:
    struct Dma {
        Dma(const Platform& platform, const Doors& doors)
            : engine(doors.dma_io, doors.dma_line, doors.memory, doors.environment),
              channel(
                  engine,
                  {0, wiring::pl18x_request, wiring::host + pl18x_fifo, pl18x_variant(platform.cell).half_fifo_words},
                  platform.dma == DmaEngine::pl080s ? host::dma::pl080::Layout::pl080s
                                                    : host::dma::pl080::Layout::pl080,
                  platform.dma_max_element, platform.dma_max_elements),
              mappings(platform, doors, channel.constraints()) {}
        host::dma::Pl080 engine;
        host::dma::Pl080Channel channel;
        Mappings mappings;
    };

    host::pl18x::Wiring wire(const Platform& platform, const Doors& doors) {
        host::pl18x::Wiring wiring{doors.host_io, doors.host_line, doors.board};
        if (platform.dma == DmaEngine::none) return wiring;
        dma_.emplace(platform, doors);
        wiring.dma = &dma_->channel;
        wiring.mappings = dma_->mappings.pointers();
        return wiring;
    }

    std::optional<Dma> dma_;
    host::pl18x::Driver driver_; // behind what it is wired to
};

class PxamciDrivers final : public Drivers {
public:
    PxamciDrivers(const Platform& platform, const Doors& doors, base::Executor& executor, base::FrameArena& frames)
        : driver_(wire(platform, doors), platform.cell == Cell::pxa25x ? host::pxamci::pxa25x : host::pxamci::pxa27x,
                  executor, frames) {}
    host::Host& host() override { return driver_; }
    const host::dma::ListStatistics* dma_lists() const override {
        if (chain_) return &chain_->lists().statistics();
        return channel_ ? &channel_->lists().statistics() : nullptr;
    }

private:
    static constexpr host::dma::PxaPeripheral peripheral{
        .receive = {.channel = 0,
                    .request = wiring::pxamci_receive_request,
                    .fifo = wiring::host + host::pxamci::offset::receive_fifo},
        .transmit = {.channel = 1,
                     .request = wiring::pxamci_transmit_request,
                     .fifo = wiring::host + host::pxamci::offset::transmit_fifo}};

    host::pxamci::Wiring wire(const Platform& platform, const Doors& doors) {
        host::pxamci::Wiring wiring{doors.host_io, doors.host_line, doors.board};
        if (platform.dma == DmaEngine::none) return wiring;
        controller_.emplace(doors.dma_io, doors.dma_line, doors.memory, doors.environment);
        if (platform.dma == DmaEngine::pxa_chain) {
            wiring.dma = &chain_.emplace(*controller_, peripheral, platform.dma_max_elements);
            wiring.dma_end = host::pxamci::DmaEnd::data_end;
        } else {
            wiring.dma =
                &channel_.emplace(*controller_, peripheral, platform.dma_max_element, platform.dma_max_elements);
        }
        wiring.mappings = mappings_.emplace(platform, doors, wiring.dma->constraints()).pointers();
        return wiring;
    }

    std::optional<host::dma::Pxa> controller_;
    std::optional<host::pxamci::Chain> chain_;
    std::optional<host::dma::PxaChannel> channel_;
    std::optional<Mappings> mappings_;
    host::pxamci::Driver driver_; // behind what it is wired to
};

} // namespace

std::unique_ptr<Drivers> make_drivers(const Platform& platform, const Doors& doors, base::Executor& executor,
                                      base::FrameArena& frames) {
    if (platform.controller == Controller::pxamci)
        return std::make_unique<PxamciDrivers>(platform, doors, executor, frames);
    return std::make_unique<Pl18xDrivers>(platform, doors, executor, frames);
}

} // namespace mmcpipe::rig
