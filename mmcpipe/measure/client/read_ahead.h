#pragma once
// ReadAhead: a thread that reads a file from its beginning to its end, through a page cache that reads ahead. The first
// window is small, each further one twice as large up to the largest. When the thread comes to a window, the next one
// is asked for, before it waits for this one.

#include "mmcpipe/measure/client/pages.h"
#include "mmcpipe/measure/disk.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace mmcpipe::measure::client {

class ReadAhead {
public:
    static constexpr std::uint32_t first_window = 16 * 1024;
    static constexpr std::uint32_t largest_window = 128 * 1024;

    ReadAhead(Disk& disk, std::uint16_t stream);

    /// A file of `bytes`, whole sectors, that begins at `sector`. The one before was read to its end, or closed.
    void open(std::uint64_t sector, std::uint64_t bytes);
    /// As much of the file as is left, at most a window: the bytes read, 0 at its end. Throws std::runtime_error when
    /// the device fails.
    std::uint32_t read();

    /// Waits for what is under way.
    void close();

private:
    struct Window {
        explicit Window(System& system) : pages(system, largest_window) {}
        Pages pages;
        Disk::Request request;
        std::uint32_t bytes = 0; ///< 0: not under way
    };

    void ask(Window& window);

    Disk::Client client_;
    System& system_;
    std::array<Window, 2> windows_;
    unsigned current_ = 0;
    std::uint64_t sector_ = 0; ///< of what was not asked for
    std::uint64_t left_ = 0;   ///< bytes of that
    std::uint32_t next_size_ = first_window;
};

} // namespace mmcpipe::measure::client
