#pragma once
// Simulated time: 64-bit picoseconds (106 days), a point or a length. Costs are integers; doubles only in print.

#include "mmcpipe/base/units.h"

#include <compare>
#include <cstdint>

namespace mmcpipe::sim {

struct Time {
    std::int64_t ps = 0;

    constexpr auto operator<=>(const Time&) const = default;
    constexpr Time operator+(Time other) const { return {ps + other.ps}; }
    constexpr Time operator-(Time other) const { return {ps - other.ps}; }
    constexpr Time operator*(std::int64_t factor) const { return {ps * factor}; }
    constexpr Time& operator+=(Time other) {
        ps += other.ps;
        return *this;
    }
};

constexpr Time forever{INT64_MAX};

constexpr Time picoseconds(std::int64_t n) { return {n}; }
constexpr Time nanoseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Time microseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Time milliseconds(std::int64_t n) { return {n * 1'000'000'000}; }

/// What the core sees: whole nanoseconds, rounded down.
constexpr base::Instant instant(Time t) { return {t.ps / 1'000}; }
/// The first moment at which the core's clock shows `i`.
constexpr Time time(base::Instant i) { return i == base::never ? forever : Time{i.ns * 1'000}; }

} // namespace mmcpipe::sim
