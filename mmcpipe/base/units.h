#pragma once
// Quantities with their units in the type. Times are 64-bit nanoseconds: the core multiplies and compares them, it
// never divides 64-bit numbers (a Cortex-M has no instruction for it, and a driver no need).

#include <compare>
#include <cstdint>

namespace mmcpipe::base {

/// A length of time, in nanoseconds.
struct Duration {
    std::int64_t ns = 0;

    constexpr auto operator<=>(const Duration&) const = default;
    constexpr Duration operator+(Duration other) const { return {ns + other.ns}; }
    constexpr Duration operator-(Duration other) const { return {ns - other.ns}; }
    constexpr Duration operator*(std::int64_t factor) const { return {ns * factor}; }
};

constexpr Duration nanoseconds(std::int64_t n) { return {n}; }
constexpr Duration microseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Duration seconds(std::int64_t n) { return {n * 1'000'000'000}; }

/// A point in time of the port's monotonic clock, in nanoseconds since some start.
struct Instant {
    std::int64_t ns = 0;

    constexpr auto operator<=>(const Instant&) const = default;
    constexpr Instant operator+(Duration d) const { return {ns + d.ns}; }
    constexpr Duration operator-(Instant other) const { return {ns - other.ns}; }
};

/// Later than anything that happens.
constexpr Instant never{INT64_MAX};

/// A clock frequency. Zero means that the clock stands still.
struct Hertz {
    std::uint32_t value = 0;

    constexpr auto operator<=>(const Hertz&) const = default;
};

constexpr Hertz kilohertz(std::uint32_t n) { return {n * 1'000}; }
constexpr Hertz megahertz(std::uint32_t n) { return {n * 1'000'000}; }

} // namespace mmcpipe::base
