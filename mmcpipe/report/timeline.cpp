#include "mmcpipe/report/timeline.h"

#include "mmcpipe/report/lanes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace mmcpipe::report {

namespace {

// The sheet, in pixels.
constexpr double sheet_width = 1600;
constexpr double left = 130;
constexpr double right = 40;
constexpr double plot_width = sheet_width - left - right;
constexpr double between_close_ups = 60;
constexpr double close_up_width = (plot_width - between_close_ups) / 2;

constexpr double room_above = 46; ///< of a close-up, for its title and labels of the first lane

constexpr std::string_view ink = "#1a1a1a";
constexpr std::string_view faint = "#666666";
constexpr std::string_view waiting = "#b3261e";
constexpr std::string_view saving = "#00694f";

constexpr LaneLook overview_look{.lane_height = 26, .between = 5, .font = 11, .labels = false};
constexpr LaneLook close_up_look{.lane_height = 34, .between = 6, .font = 12, .labels = true};

/// "1,234 µs" from a millisecond on, below that with a decimal.
std::string us(sim::Time time) {
    const double value = static_cast<double>(time.ps) / 1e6;
    if (value < 1000) return fmt::format("{:.1f} µs", value);
    const long whole = std::lround(value);
    return fmt::format("{},{:03} µs", whole / 1000, whole % 1000);
}

void tag(Svg& svg, double x, double y, std::string_view letter) {
    svg.circle(x, y, 11, ink);
    svg.text(x, y + 5, letter, {.size = 14, .colour = "#ffffff", .anchor = Anchor::middle, .bold = true});
}

/// One of the two stretches of requests, whole.
struct Overview {
    const Excerpt& excerpt;
    std::vector<Gap> gaps;
    std::string title;
    std::string_view letter;
};

/// Where the next thing goes, from the top of the sheet down.
double draw(Svg& svg, const Overview& part, sim::Time length, sim::Time other, double y, const std::string& requests) {
    const sim::Time margin{length.ps / 50};
    const Scale scale{.from = part.excerpt.from - margin,
                      .to = part.excerpt.from + length + margin,
                      .zero = part.excerpt.from,
                      .x = left,
                      .width = plot_width};
    svg.text(left, y, part.title, {.size = 17, .colour = ink, .bold = true});
    y += 12;
    const std::vector<Row> rows = rows_of(part.excerpt);
    const double bottom = y + height(rows, overview_look);
    for (const Gap& gap : part.gaps) mark_wait(svg, scale, gap, y, bottom);
    draw_lanes(svg, scale, part.excerpt, rows, overview_look, y);
    tag(svg, (scale.at(part.gaps.front().from) + scale.at(part.gaps.front().to)) / 2, bottom - 44, part.letter);
    draw_axis(svg, scale, y, bottom);

    const double end = scale.at(part.excerpt.to);
    svg.dimension(scale.at(part.excerpt.from), end, bottom + 32,
                  fmt::format("{}: {}", requests, us(part.excerpt.length())), ink);
    if (other > part.excerpt.length()) {
        const sim::Time saved = other - part.excerpt.length();
        const double until = scale.at(part.excerpt.from + other);
        svg.dimension(end, until, bottom + 32, "", saving);
        const double percent = 100.0 * static_cast<double>(saved.ps) / static_cast<double>(other.ps);
        svg.text(until, bottom + 49, fmt::format("saved: {} ({:.1f} %)", us(saved), percent),
                 {.size = 13, .colour = saving, .anchor = Anchor::end, .bold = true});
    }
    return bottom + 82;
}

/// What lies between two requests.
struct CloseUp {
    const Excerpt& excerpt;
    Gap gap;
    std::string title;
    std::string_view letter;
    double x;
};

void draw(Svg& svg, const CloseUp& part, sim::Time before, sim::Time length, double y, bool named) {
    const Scale scale{.from = part.gap.from - before,
                      .to = part.gap.from - before + length,
                      .zero = part.gap.from,
                      .x = part.x,
                      .width = close_up_width};
    tag(svg, part.x + 11, y - 5, part.letter);
    svg.text(part.x + 30, y, part.title, {.size = 15, .colour = ink, .bold = true});
    y += room_above;
    std::vector<Row> rows = rows_of(part.excerpt);
    if (!named) {
        for (Row& row : rows) row.name.clear();
    }
    const double bottom = y + height(rows, close_up_look);
    mark_wait(svg, scale, part.gap, y, bottom);
    draw_lanes(svg, scale, part.excerpt, rows, close_up_look, y);
    draw_axis(svg, scale, y, bottom);
    svg.dimension(scale.at(part.gap.from), scale.at(part.gap.to), bottom + 32,
                  "data lines idle: " + us(part.gap.length()), waiting);
}

/// How far the close-ups reach beyond the end of the data: over the longer wait, and over what non-blocking does after
/// it.
sim::Time reach(const Gap& blocking, const Excerpt& non_blocking, const Gap& short_gap) {
    sim::Time reach = std::max(blocking.length(), short_gap.length());
    const sim::Span* const prepare = first_span(non_blocking, sim::Lane::cpu, "prepare", short_gap.from);
    if (prepare != nullptr) reach = std::max(reach, prepare->to - short_gap.from);
    return std::min(reach, {2 * std::max(blocking.length(), short_gap.length()).ps});
}

double legend(Svg& svg, double y) {
    double x = left;
    for (const Ink& entry : legend_inks()) {
        svg.box({x, y - 11, 16, 13}, entry.colour);
        svg.text(x + 22, y, entry.name, {.size = 13, .colour = ink});
        x += 22 + text_width(entry.name, 13) + 26;
    }
    svg.box({x, y - 11, 16, 13}, wait_colour);
    svg.text(x + 22, y, "data lines idle", {.size = 13, .colour = ink});
    return y + 36;
}

} // namespace

std::string timeline(const Excerpt& blocking, const Excerpt& non_blocking, const TimelineText& text) {
    const std::vector<Gap> long_gaps = gaps(blocking);
    const std::vector<Gap> short_gaps = gaps(non_blocking);
    const Gap long_gap = long_gaps.front();
    const Gap short_gap = short_gaps.front();
    const sim::Time length = std::max(blocking.length(), non_blocking.length());
    const std::size_t lanes = std::max(rows_of(blocking).size(), rows_of(non_blocking).size());
    const std::vector<Row> most(lanes);
    const double sheet_height =
        150 + 2 * (94 + height(most, overview_look)) + 20 + room_above + height(most, close_up_look) + 32 + 36;

    Svg svg(sheet_width, sheet_height, text.title);
    svg.text(left, 44, text.title, {.size = 26, .colour = ink, .bold = true});
    svg.text(left, 70, text.subtitle, {.size = 15, .colour = faint});
    double y = legend(svg, 104);

    const std::string requests = "two " + text.request + "s";
    const Overview first{blocking, long_gaps, "blocking: prepare, transfer, finish, one after another", "A"};
    const Overview second{non_blocking, short_gaps,
                          "non-blocking: the next one is prepared, and the last one finished, during a transfer", "B"};
    y = draw(svg, first, length, {}, y, requests);
    y = draw(svg, second, length, blocking.length(), y, requests);

    const sim::Time wait = reach(long_gap, non_blocking, short_gap);
    const sim::Time before{wait.ps / 14};
    const sim::Time shown = wait + before * 2;
    draw(svg, CloseUp{blocking, long_gap, "between two blocking " + text.request + "s", "A", left}, before, shown,
         y + 10, true);
    draw(svg,
         CloseUp{non_blocking, short_gap, "between two non-blocking " + text.request + "s", "B",
                 left + close_up_width + between_close_ups},
         before, shown, y + 10, false);
    return svg.finish();
}

} // namespace mmcpipe::report
