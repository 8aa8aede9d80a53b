#pragma once
// The flight record of a host: the last transactions with their phase times and raw status. Dumped with the first
// error, it says what led to it.

#include "mmcpipe/host/request.h"

#include <array>
#include <cstdint>

namespace mmcpipe::host {

/// One transaction, as it ended; or several that asked the same and were answered the same, without data, one behind
/// the other: the last of them. Or a busy card that is polled would be all that there is in the record.
struct FlightEntry {
    spec::Command command{};
    std::uint32_t response = 0;      ///< first word of the command's response
    std::uint32_t stop_response = 0; ///< of the stop command, if there was one
    std::uint32_t bytes = 0;         ///< asked for
    std::uint32_t bytes_done = 0;
    bool pio = false;              ///< the bytes went by PIO
    std::uint32_t host_status = 0; ///< with the first error
    std::optional<base::Error> error{};
    Phases phases{};
    std::uint32_t times = 1;

    bool same_question(const FlightEntry& other) const {
        return command == other.command && response == other.response && bytes == 0 && other.bytes == 0 && !error &&
               !other.error;
    }
};

class FlightRecord {
public:
    static constexpr std::size_t capacity = 32;

    /// A transaction has ended.
    void add(Request& request) {
        FlightEntry entry;
        entry.command = request.command.command;
        entry.response = request.command.response[0];
        entry.stop_response = request.stop ? request.stop->response[0] : 0;
        entry.bytes = request.data ? request.data->bytes() : 0;
        entry.bytes_done = request.bytes_done;
        entry.pio = request.data && request.mapping == nullptr;
        entry.host_status = request.host_status;
        entry.error = request.error;
        entry.phases = request.phases;

        ++count_;
        const bool again = used_ != 0 && entry.same_question(entries_[(used_ - 1) % capacity]);
        if (again) {
            entry.times += entries_[(used_ - 1) % capacity].times;
        } else {
            ++used_;
        }
        entries_[(used_ - 1) % capacity] = entry;
        request.record_number = used_;
    }

    /// It was finished, perhaps when others had ended after it.
    void finished(const Request& request) {
        if (request.record_number == 0 || used_ - request.record_number >= capacity) return;
        entries_[(request.record_number - 1) % capacity].phases.finished = request.phases.finished;
    }

    /// Transactions since start.
    std::uint32_t count() const { return count_; }
    /// Entries that are kept.
    std::size_t size() const { return used_ < capacity ? used_ : capacity; }
    /// The i-th of those kept, oldest first.
    const FlightEntry& operator[](std::size_t i) const { return entries_[(used_ - size() + i) % capacity]; }

private:
    std::array<FlightEntry, capacity> entries_{};
    std::uint32_t count_ = 0;
    std::uint32_t used_ = 0; ///< entries since start
};

} // namespace mmcpipe::host
