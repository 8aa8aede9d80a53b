#pragma once
// System: the machine that the clients of a block device run on, as they see it. Threads with priorities on processors,
// time that they spend, locks, and what all of that took.

#include "mmcpipe/base/histogram.h"
#include "mmcpipe/base/units.h"
#include "mmcpipe/host/request.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace mmcpipe::measure {

/// What clients, and the system between them and the device, take of a processor. A page has 4 KiB.
struct ClientCosts {
    base::Duration call;          ///< a system call that reads or writes, whatever its size
    base::Duration submit;        ///< one request to the device: what keeps its queue in order
    base::Duration submit_page;   ///< each page of a request, before that: it is looked up and added
    base::Duration complete_page; ///< each page of a request that has ended: it is marked and given back
    base::Duration copy_page;     ///< each page between page cache and client
};

class System {
public:
    /// One waiter, one flag: a signal that comes before the wait is kept.
    class Signal {
    public:
        virtual ~Signal() = default;
        /// From any thread, and from the executor's.
        virtual void set() = 0;
        /// True if the signal came before `until`.
        virtual bool wait(base::Instant until = base::never) = 0;
    };

    /// A lock that is held with the interrupts of its processor off, and waited for likewise.
    class SpinLock {
    public:
        virtual ~SpinLock() = default;
        virtual void acquire() = 0;
        virtual void release() = 0;
        /// Nanoseconds that it was held.
        virtual const base::Histogram& held() const = 0;
    };

    /// A thread of high priority that sleeps for a while and looks how late it woke up, and a timer whose interrupts
    /// are looked at likewise.
    class Probe {
    public:
        virtual ~Probe() = default;
        virtual void stop() = 0;
        /// Nanoseconds from the time when it was to run, to the time when it did.
        virtual const base::Histogram& thread_late() const = 0;
        virtual const base::Histogram& interrupt_late() const = 0;
    };

    virtual base::Instant now() = 0;
    virtual unsigned processors() const = 0;
    virtual const ClientCosts& costs() const = 0;

    /// From anywhere: a thread that begins now, and stays on its processor.
    virtual void start(std::string name, unsigned processor, int priority, std::function<void()> body) = 0;
    virtual std::unique_ptr<Signal> make_signal() = 0;
    virtual std::unique_ptr<SpinLock> make_lock() = 0;
    virtual std::unique_ptr<Probe> make_probe(unsigned processor, base::Duration period) = 0;

    /// The processor of the calling thread is busy for so long. With `masked` its interrupts are off meanwhile.
    virtual void spend(base::Duration length) = 0;
    virtual void spend_masked(base::Duration length) = 0;

    /// A buffer that the device can reach, page by page. `release` gives back all that was allocated since `allocated`
    /// had this value.
    virtual host::Buffer allocate(std::size_t bytes) = 0;
    virtual std::size_t allocated() const = 0;
    virtual void release_to(std::size_t allocated) = 0;

    /// Time that processors were busy, all of them together.
    virtual base::Duration busy() const = 0;
    /// Nanoseconds that threads had interrupts off, and which thread the longest time.
    virtual const base::Histogram& interrupts_off() const = 0;
    virtual const std::string& interrupts_off_by() const = 0;
    /// Forgets them.
    virtual void forget_interrupts_off() = 0;

protected:
    ~System() = default;
};

} // namespace mmcpipe::measure
