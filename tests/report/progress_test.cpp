#include "mmcpipe/report/progress.h"

#include <gtest/gtest.h>
#include <string>

namespace mmcpipe::report {
namespace {

using std::chrono::milliseconds;

struct Terminal {
    milliseconds now{0};
    std::string text;

    Progress progress(bool terminal = true) {
        return Progress(terminal, [this] { return now; }, [this](std::string_view written) { text += written; });
    }
};

TEST(Progress, NothingShowsInTheFirstTwoSeconds) {
    Terminal terminal;
    Progress progress = terminal.progress();
    terminal.now = milliseconds(1999);
    progress.show(0.5, "case 37");
    EXPECT_EQ(terminal.text, "");
    terminal.now = milliseconds(2000);
    progress.show(0.5, "case 37");
    EXPECT_EQ(terminal.text, "\r\033[K[###############---------------]  50 % case 37");
}

TEST(Progress, NothingEverShowsInAPipe) {
    Terminal terminal;
    Progress progress = terminal.progress(false);
    terminal.now = milliseconds(10'000);
    progress.show(0.5, "case 37");
    progress.hide();
    EXPECT_EQ(terminal.text, "");
}

TEST(Progress, HidingErasesTheBarOnce) {
    Terminal terminal;
    Progress progress = terminal.progress();
    terminal.now = milliseconds(3000);
    progress.show(1, "");
    terminal.text.clear();
    progress.hide();
    progress.hide();
    EXPECT_EQ(terminal.text, "\r\033[K");
}

TEST(Progress, TheBarIsErasedInTheEnd) {
    Terminal terminal;
    {
        Progress progress = terminal.progress();
        terminal.now = milliseconds(3000);
        progress.show(1, "");
        terminal.text.clear();
    }
    EXPECT_EQ(terminal.text, "\r\033[K");
}

TEST(Progress, ItIsNotDrawnMoreOftenThanTheEyeSees) {
    Terminal terminal;
    Progress progress = terminal.progress();
    terminal.now = milliseconds(3000);
    progress.show(0.1, "");
    terminal.text.clear();
    terminal.now = milliseconds(3099);
    progress.show(0.2, "");
    EXPECT_EQ(terminal.text, "");
    terminal.now = milliseconds(3100);
    progress.show(0.2, "");
    EXPECT_NE(terminal.text, "");
}

TEST(Progress, AFractionOutsideOfTheBarIsCutOff) {
    Terminal terminal;
    Progress progress = terminal.progress();
    terminal.now = milliseconds(3000);
    progress.show(1.5, "x");
    EXPECT_EQ(terminal.text, "\r\033[K[##############################] 100 % x");
}

} // namespace
} // namespace mmcpipe::report
