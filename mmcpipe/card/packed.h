#pragma once
// Packed commands of eMMC 4.5 as host requests, and what came of one (JESD84-B45 6.6.28).
//
// A packed write is one request: header and data of all entries, in one list of buffers. A packed read is two: the
// header is written, then the data of all entries is read.

#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/card/link.h"
#include "mmcpipe/card/properties.h"
#include "mmcpipe/host/request.h"
#include "mmcpipe/spec/command.h"
#include "mmcpipe/spec/packed.h"

#include <cstdint>
#include <span>

namespace mmcpipe::card {

enum class PackedPart : std::uint8_t {
    write,       ///< header and data
    read_header, ///< announces a read
    read,        ///< its data
};

/// Fills in what the caller hands to a host; `done` stays. `blocks`: of 512 bytes, the header among them where the part
/// has it; `first`: the address of the first entry. not_possible: the card has no such packed commands; out_of_range:
/// no blocks beside the header, or more than CMD23 can count.
base::Result<void> fill_packed(host::Request& request, PackedPart part, std::uint32_t blocks, spec::DataAddress first,
                               std::span<const host::Buffer> buffers, const Properties& card);

/// What the last packed command came to. It tells of errors that the card met in an entry: a request whose data was
/// damaged on the bus, or that was not answered, has failed whatever it says.
struct PackedStatus {
    bool failed = false;
    /// The entry that failed, from 1; those before it are done, those from it on are not. 0: not known.
    std::uint8_t index = 0;

    /// Entries from the first on that are done; `all` if none failed.
    static constexpr std::uint8_t all = 255;
    constexpr std::uint8_t done() const {
        return !failed ? all : index == 0 ? 0 : static_cast<std::uint8_t>(index - 1);
    }

    constexpr bool operator==(const PackedStatus&) const = default;
};

/// A status says that there is something to be read: after every packed command, once it has settled.
constexpr bool has_exception(std::uint32_t r1) { return spec::r1::ExceptionEvent::get(r1); }

/// Reads it from EXT_CSD, with the card in tran. Errors are those of `Link`.
base::Task<base::Result<PackedStatus>> read_packed_status(Link& link, const Properties& card, Registers& registers);

} // namespace mmcpipe::card
