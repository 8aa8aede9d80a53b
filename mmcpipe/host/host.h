#pragma once
// Host: a controller and its driver, as the layers above see it. One request at a time on the wire, the next one
// prepared meanwhile.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/base/result.h"
#include "mmcpipe/base/task.h"
#include "mmcpipe/host/flight_record.h"
#include "mmcpipe/host/request.h"
#include "mmcpipe/host/settings.h"

namespace mmcpipe::host {

class Host {
public:
    virtual const Capabilities& capabilities() const = 0;

    /// Applies all settings in the host's fixed order. No request may be on the wire.
    virtual base::Task<base::Result<void>> apply(const Settings& settings) = 0;

    /// Maps the request's buffers for DMA and builds descriptors; a request without data, or done by PIO, needs little
    /// or nothing. At most two requests hold prepared data at a time, from here to `unprepare` or `finish`. Data that
    /// DMA cannot move (more than `max_elements` after mapping, more odd pieces than can be bounced, no multiple of the
    /// engine's width) goes by PIO where `capabilities().pio`; the flight record says so. Errors, after which nothing
    /// is held:
    /// - not_possible: the host has no such block size
    /// - out_of_range: no blocks; more blocks or bytes than `capabilities()` allow; buffers shorter than the data; a
    ///   third request with data for DMA; without PIO, too many elements or odd pieces
    /// - misaligned: without PIO, data that is no multiple of the engine's width
    virtual base::Result<void> prepare(Request& request) = 0;
    /// Undoes a prepare that was never started.
    virtual void unprepare(Request& request) = 0;
    /// Puts a prepared request on the wire; forgets what a run before has left in it: errors, responses, bytes done. It
    /// ends by `request.done`, always: an answer, an error, or the driver's own time-out. May be called from within the
    /// `done` of another request, or of the same one.
    virtual void start(Request& request) = 0;
    /// Unmaps: the data is the CPU's again. After `done`, or from within it, and before the client hears of it.
    virtual void finish(Request& request) = 0;

    /// Resets the command and data path of the controller (not its settings); DMA is quiet afterwards. No request on
    /// the wire.
    virtual base::Result<void> reset_lines() = 0;

    /// DAT0 is low: the card is busy. Only where the host can see the line.
    virtual base::Result<bool> busy() = 0;
    virtual bool card_present() = 0;

    /// The last transactions, newest last.
    virtual const FlightRecord& record() const = 0;

    virtual base::Executor& executor() = 0;
    virtual base::FrameArena& frames() = 0;

protected:
    ~Host() = default;
};

} // namespace mmcpipe::host
