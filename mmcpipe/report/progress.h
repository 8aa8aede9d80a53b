#pragma once
// A progress bar for what takes longer than two seconds, on a terminal only.

#include <chrono>
#include <functional>
#include <string_view>

namespace mmcpipe::report {

class Progress {
public:
    /// Time since some start.
    using Clock = std::function<std::chrono::milliseconds()>;
    using Write = std::function<void(std::string_view)>;

    /// Nothing appears before this.
    static constexpr std::chrono::milliseconds patience{2000};
    /// Nor more often than this.
    static constexpr std::chrono::milliseconds interval{100};
    static constexpr int width = 30; ///< characters between the brackets

    /// Writes to stderr by the steady clock; does nothing if stderr is no terminal.
    Progress();
    Progress(bool terminal, Clock clock, Write write);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { hide(); }

    /// `fraction` from 0 to 1 is done; `label` says what is under way.
    void show(double fraction, std::string_view label);
    /// Takes the bar away so that a line of output can take its place; the next `show` brings it back.
    void hide();

private:
    bool terminal_;
    Clock clock_;
    Write write_;
    std::chrono::milliseconds start_;
    std::chrono::milliseconds last_{};
    bool visible_ = false;
};

} // namespace mmcpipe::report
