#pragma once
// Disk: a block device as threads have it. They submit from any processor; the device's executor does the work, and
// wakes them when it is done. What both sides of that cost on the way is spent here.

#include "mmcpipe/base/executor.h"
#include "mmcpipe/block/completer.h"
#include "mmcpipe/block/device.h"
#include "mmcpipe/measure/system.h"

#include <cstdint>
#include <memory>

namespace mmcpipe::measure {

inline constexpr std::size_t page_size = 4096; ///< bytes

/// Where requests are completed: pages marked and given back.
enum class Completion : std::uint8_t {
    unlocked, ///< page by page, with interrupts off for one of them at most
    locked,   ///< under the lock that guards the queue, which those who submit need too
};

class Disk final : public block::Completer {
public:
    class Client;

    /// One request of a client: fill in what block::Request leaves to it, but for `done` and `stream`.
    class Request : public block::Request {
    public:
        Request() : submission_(submit) {}

    private:
        friend class Disk;
        friend class Client;
        struct Submission : base::Work {
            explicit Submission(Run function) : Work(function) {}
            Request* request = nullptr;
        };
        static void submit(base::Work& work) noexcept;
        static void over(block::Request& request) noexcept;

        Submission submission_;
        Client* client_ = nullptr;
        bool open_ = false; ///< guarded by the critical section
    };

    /// One thread's way to the disk. What it submitted it waits for, before it goes.
    class Client {
    public:
        /// `stream`: whose requests these are, for schedulers that share the bus.
        Client(Disk& disk, std::uint16_t stream);

        /// Spends what submitting costs. The request is the disk's until it is over.
        void submit(Request& request);
        /// Returns when it is over.
        void wait(Request& request);
        bool over(Request& request);
        /// The first that is over and was not seen here yet; nullptr if there is none.
        Request* take_over();
        /// Sleeps until there is one, or somebody pokes. May return early.
        void sleep() { signal_->wait(); }
        /// From any thread.
        void poke() { signal_->set(); }

    private:
        friend class Request;
        Disk& disk_;
        std::uint16_t stream_;
        std::unique_ptr<System::Signal> signal_;
        base::List<block::Request> over_; ///< guarded by the critical section
    };

    Disk(System& system, base::Executor& executor, Completion completion);

    /// The device that has this disk as its completer. Set before the first client submits.
    void set_device(block::Device& device) { device_ = &device; }

    System& system() { return system_; }
    base::Executor& executor() { return executor_; }
    std::uint64_t sectors() const { return sectors_; }
    void set_sectors(std::uint64_t sectors) { sectors_ = sectors; }
    /// nullptr: completion takes no lock.
    const System::SpinLock* lock() const { return lock_.get(); }

    void complete(block::Request& request) noexcept override;

private:
    System& system_;
    base::Executor& executor_;
    block::Device* device_ = nullptr;
    std::uint64_t sectors_ = 0;
    std::unique_ptr<System::SpinLock> lock_;
};

} // namespace mmcpipe::measure
