#pragma once
// What happened, for timelines and traces: models call it where something has a beginning and an end. Switched off it
// is a null pointer.

#include "mmcpipe/sim/time.h"

#include <cstdint>

namespace mmcpipe::sim {

/// One row of a timeline.
enum class Lane : std::uint8_t { cpu, command, data, card, dma };

/// One thing that happened. `name` is a literal: "interrupt", "wake-up", "clean", "invalidate", "CMD18", "read",
/// "busy", ...
struct Span {
    Lane lane;
    std::uint8_t unit; ///< number of the CPU, of the card
    const char* name;
    Time from;
    Time to;
    std::uint32_t argument; ///< command argument, bytes; as the name suggests
};

class Trace {
public:
    virtual void span(const Span& span) = 0;

protected:
    ~Trace() = default;
};

} // namespace mmcpipe::sim
