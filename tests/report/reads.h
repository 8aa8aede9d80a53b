#pragma once
// A trace of reads as a board makes it, in round numbers.

#include "mmcpipe/sim/trace.h"

#include <vector>

namespace mmcpipe::test {

/// Each read takes 1,000 µs on the data lines. Between two lie 100 µs of the card, and 200 µs of prepare and finish
/// unless these are done meanwhile.
inline std::vector<sim::Span> reads(unsigned count, bool non_blocking) {
    using sim::Lane;
    std::vector<sim::Span> spans;
    std::int64_t now = 0;
    const auto add = [&](Lane lane, const char* name, std::int64_t from, std::int64_t length) {
        spans.push_back({lane, 0, name, sim::microseconds(from), sim::microseconds(from + length), 65536});
    };
    for (unsigned i = 0; i < count; ++i) {
        if (!non_blocking) {
            add(Lane::cpu, "prepare", now, 100);
            now += 100;
        }
        add(Lane::command, "CMD18", now, 2);
        add(Lane::card, "read access", now + 2, 98);
        now += 100;
        if (non_blocking) {
            add(Lane::cpu, "finish", now, 100);
            add(Lane::cpu, "prepare", now + 100, 100);
        }
        add(Lane::data, "read", now, 1000);
        now += 1000;
        add(Lane::command, "CMD12", now + 10, 2);
        add(Lane::cpu, "interrupt", now + 12, 8);
        add(Lane::cpu, "wake-up", now + 20, 80);
        now += 100;
        if (!non_blocking) {
            add(Lane::cpu, "finish", now, 100);
            now += 100;
        }
    }
    return spans;
}

} // namespace mmcpipe::test
