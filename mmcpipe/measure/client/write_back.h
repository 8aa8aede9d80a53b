#pragma once
// WriteBack: the write side of a page cache. What threads write is copied and stays dirty; a thread of its own writes
// it to the device when enough is dirty, or somebody wants it to be. Who finds too much dirty waits.

#include "mmcpipe/base/list.h"
#include "mmcpipe/measure/client/pages.h"
#include "mmcpipe/measure/disk.h"

#include <cstdint>
#include <deque>
#include <memory>

namespace mmcpipe::measure::client {

struct WriteBackSettings {
    std::uint32_t request = 512 * 1024;         ///< bytes, the largest
    std::uint64_t memory = 8 * 1024 * 1024;     ///< bytes that may be dirty or on their way
    std::uint64_t background = 2 * 1024 * 1024; ///< bytes from which on they are written
};

class WriteBack {
public:
    /// Starts the thread that writes, which is `stream` to the device. `close` before the end.
    WriteBack(Disk& disk, std::uint16_t stream, const WriteBackSettings& settings = {});
    WriteBack(const WriteBack&) = delete;
    WriteBack& operator=(const WriteBack&) = delete;

    /// From one thread: `bytes` at `sector` become dirty, whole sectors, at most a request's. Waits while too much is.
    void write(std::uint64_t sector, std::uint32_t bytes);
    /// From the same thread: waits until nothing is dirty. Throws std::runtime_error if something could not be written.
    void sync();
    /// Ends the thread, after all that is dirty has been written.
    void close();

    /// Bytes that are on the device.
    std::uint64_t written() const { return written_; }

private:
    struct Chunk : base::ListNode {
        explicit Chunk(System& system, std::uint32_t bytes) : pages(system, bytes) {}
        Pages pages;
        Disk::Request request;
        std::uint32_t bytes = 0;
    };

    void flush();
    bool step();

    Disk& disk_;
    System& system_;
    const WriteBackSettings settings_;
    std::deque<Chunk> chunks_;
    Disk::Client client_;                    ///< the flusher's
    std::unique_ptr<System::Signal> writer_; ///< something has changed for it

    // Of both threads, guarded by the critical section.
    base::List<Chunk> free_;
    base::List<Chunk> dirty_;
    std::uint64_t dirty_bytes_ = 0;
    unsigned open_ = 0;    ///< chunks that are not free
    bool syncing_ = false; ///< all that is dirty has to go
    bool closing_ = false;
    bool failed_ = false;
    bool gone_ = false;
    std::uint64_t written_ = 0;
};

} // namespace mmcpipe::measure::client
