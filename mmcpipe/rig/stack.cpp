#include "mmcpipe/rig/stack.h"

#include <array>

namespace mmcpipe::rig {

namespace {

constexpr std::size_t bounce_size = 65536;
constexpr unsigned dma_request = 0;

const host::pl18x::Variant& variant_of(Cell cell) {
    switch (cell) {
    case Cell::arm_pl180: return host::pl18x::arm_pl180;
    case Cell::arm_pl181: return host::pl18x::arm_pl181;
    case Cell::arm_pl181_extended_fifo: return host::pl18x::arm_pl181_extended_fifo;
    case Cell::st_v1: return host::pl18x::st_v1;
    case Cell::st_v2: return host::pl18x::st_v2;
    case Cell::st_v3: break;
    }
    return host::pl18x::st_v3;
}

} // namespace

/// The engine, its channel, and a mapping for each of the two requests under way.
struct Stack::Dma {
    Dma(const Platform& platform, const Doors& doors)
        : layout(platform.dma == DmaEngine::pl080s ? host::dma::pl080::Layout::pl080s
                                                   : host::dma::pl080::Layout::pl080),
          engine(doors.dma_io, doors.dma_line, doors.memory, doors.environment),
          channel(engine, {0, dma_request, doors.host_fifo, variant_of(platform.cell).half_fifo_words}, layout,
                  platform.dma_max_element, platform.dma_max_elements),
          mappings{make_mapping(platform, doors), make_mapping(platform, doors)} {}

    struct MappingStorage {
        std::vector<host::dma::Element> elements;
        std::vector<host::dma::Mapping::Bounced> bounced;
    };

    std::unique_ptr<host::dma::Mapping> make_mapping(const Platform& platform, const Doors& doors) {
        MappingStorage& s = *storage.emplace_back(std::make_unique<MappingStorage>());
        s.elements.resize(platform.dma_max_elements);
        s.bounced.resize(std::size_t{2} * platform.dma_max_elements);
        const auto bounce = doors.memory.allocate_coherent(bounce_size, 64);
        return std::make_unique<host::dma::Mapping>(doors.memory, channel.constraints(),
                                                    host::dma::Mapping::Storage{s.elements, s.bounced, bounce},
                                                    platform.barrier_per);
    }

    host::dma::pl080::Layout layout;
    host::dma::Pl080 engine;
    host::dma::Pl080Channel channel;
    std::vector<std::unique_ptr<MappingStorage>> storage{};
    std::array<std::unique_ptr<host::dma::Mapping>, 2> mappings;
};

Stack::Stack(const Platform& platform, const Doors& doors, PrepareTrace* trace)
    : executor_(doors.environment),
      dma_(platform.dma == DmaEngine::none ? nullptr : std::make_unique<Dma>(platform, doors)),
      driver_(std::make_unique<host::pl18x::Driver>(
          host::pl18x::Wiring{doors.host_io, doors.host_line, doors.board, dma_ ? &dma_->channel : nullptr,
                              dma_ ? std::array{dma_->mappings[0].get(), dma_->mappings[1].get()}
                                   : std::array<host::dma::Mapping*, 2>{}},
          variant_of(platform.cell), executor_, frames_)),
      traced_(*driver_, trace),
      host_(trace != nullptr ? static_cast<host::Host*>(&traced_) : driver_.get()),
      card_(*host_, doors.board) {}

Stack::~Stack() = default;

} // namespace mmcpipe::rig
