#include "mmcpipe/measure/client/read_ahead.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace mmcpipe::measure::client {

ReadAhead::ReadAhead(Disk& disk, std::uint16_t stream)
    : client_(disk, stream), system_(disk.system()), windows_{Window(disk.system()), Window(disk.system())} {}

void ReadAhead::open(std::uint64_t sector, std::uint64_t bytes) {
    sector_ = sector;
    left_ = bytes;
    next_size_ = first_window;
}

void ReadAhead::close() {
    left_ = 0;
    for (Window& window : windows_) {
        if (std::exchange(window.bytes, 0) != 0) client_.wait(window.request);
    }
}

void ReadAhead::ask(Window& window) {
    if (left_ == 0) return;
    window.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(next_size_, left_));
    next_size_ = std::min(next_size_ * 2, largest_window);
    window.request.operation = block::Operation::read;
    window.request.sector = sector_;
    window.request.sectors = window.bytes / 512;
    window.request.buffers = window.pages.list(window.bytes);
    sector_ += window.request.sectors;
    left_ -= window.bytes;
    client_.submit(window.request);
}

std::uint32_t ReadAhead::read() {
    Window& window = windows_[current_];
    current_ ^= 1;
    system_.spend(system_.costs().call);
    if (window.bytes == 0) ask(window);
    if (window.bytes == 0) return 0;
    ask(windows_[current_]);
    client_.wait(window.request);
    if (window.request.failure) {
        throw std::runtime_error(fmt::format("a read failed: {}", base::name(window.request.failure->code)));
    }
    system_.spend(system_.costs().copy_page * static_cast<std::int64_t>((window.bytes + page_size - 1) / page_size));
    return std::exchange(window.bytes, 0);
}

} // namespace mmcpipe::measure::client
