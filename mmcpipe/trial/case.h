#pragma once
// Cases: what is tried, where its results go. A case is a coroutine over a bench; it prints nothing and keeps nothing.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/trial/bench.h"

#include <cstdint>
#include <optional>

namespace mmcpipe::trial {

enum class Outcome : std::uint8_t {
    ok,
    failed,              ///< it was carried out, and the result is wrong
    unsupported_by_host, ///< the host refuses it as not possible
    unsupported_by_card, ///< the card has not what it needs
    error,               ///< something on the way failed
};

/// As logs print it: "OK", "FAILED", "UNSUPPORTED by host", "UNSUPPORTED by card", "ERROR".
const char* name(Outcome outcome);

/// A series of transfers, or of erases, that was timed.
struct Row {
    std::uint32_t requests = 0;
    std::uint32_t request_bytes = 0; ///< of each
    std::uint32_t elements = 0;      ///< pieces of the buffer list of each; 0 where there is no data
    base::Duration took{};           ///< from before the first request was prepared to the end of the last one

    constexpr bool operator==(const Row&) const = default;
    constexpr std::uint32_t request_sectors() const { return request_bytes >> 9; }
    constexpr std::uint64_t bytes() const { return std::uint64_t{requests} * request_bytes; }
};

struct Case;

/// Where results go. Called on the executor, between requests.
class Sink {
public:
    virtual void begins(const Case& trial) = 0;
    virtual void transferred(const Row& row) = 0;
    /// `error`: why, if the outcome is `error` or `unsupported_by_host` and there was one.
    virtual void ended(const Case& trial, Outcome outcome, std::optional<base::Error> error) = 0;

protected:
    ~Sink() = default;
};

enum class Kind : std::uint8_t {
    functional,    ///< data is verified
    transfer_size, ///< it fails on purpose, and what is said to be done is verified
    performance,   ///< it is timed
};

struct Case {
    std::uint16_t number;
    const char* name;
    Kind kind;
    base::Task<base::Result<Outcome>> (*attempt)(Bench& bench, Sink& sink);
};

/// Tries one case and tells the sink. An error of the case is an outcome; the only error of this is out_of_frames.
base::Task<base::Result<Outcome>> run(Bench& bench, const Case& trial, Sink& sink);

} // namespace mmcpipe::trial
