#include "mmcpipe/report/progress.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace mmcpipe::report {

namespace {

std::chrono::milliseconds steady_time() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

void to_stderr(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

constexpr std::string_view erase_line = "\r\033[K";

} // namespace

Progress::Progress() : Progress(::isatty(STDERR_FILENO) == 1, steady_time, to_stderr) {}

Progress::Progress(bool terminal, Clock clock, Write write)
    : terminal_(terminal), clock_(std::move(clock)), write_(std::move(write)), start_(clock_()) {}

void Progress::show(double fraction, std::string_view label) {
    if (!terminal_) return;
    const std::chrono::milliseconds now = clock_();
    if (now - start_ < patience || (visible_ && now - last_ < interval)) return;
    last_ = now;
    visible_ = true;
    const double done = std::clamp(fraction, 0.0, 1.0);
    write_(fmt::format("{}[{:-<{}}] {:3.0f} % {}", erase_line, std::string(static_cast<std::size_t>(done * width), '#'),
                       width, done * 100, label));
}

void Progress::hide() {
    if (!visible_) return;
    visible_ = false;
    write_(erase_line);
}

} // namespace mmcpipe::report
