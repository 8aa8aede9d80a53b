#include "mmcpipe/report/lanes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace mmcpipe::report {

namespace {

// Distinct for the colour-blind too (after Okabe and Ito), and of different brightness when printed without colour.
constexpr std::array<Ink, 8> inks{{
    {"prepare", "#0072b2"},
    {"finish", "#e69f00"},
    {"interrupt", "#d55e00"},
    {"wake-up", "#cc79a7"},
    {"command", "#333333"},
    {"data", "#009e73"},
    {"card: access", "#56b4e9"},
    {"card: busy", "#8c8c8c"},
}};
enum Meaning : std::size_t { prepare, finish, interrupt, wake_up, command, data, access, busy };

/// nullptr: not shown (what is part of an act of the CPU).
const Ink* ink_of(const sim::Span& span) {
    const std::string_view name = span.name;
    switch (span.lane) {
    case sim::Lane::cpu: {
        const auto found = std::ranges::find(inks.begin(), inks.begin() + command, name, &Ink::name);
        return found == inks.begin() + command ? nullptr : &*found;
    }
    case sim::Lane::command: return &inks[command];
    case sim::Lane::data: return &inks[data];
    case sim::Lane::card: return &inks[name == "busy" ? busy : access];
    case sim::Lane::dma: return nullptr;
    }
    return nullptr;
}

std::string us(sim::Time time) { return fmt::format("{:.1f} µs", static_cast<double>(time.ps) / 1e6); }

constexpr double dark_text_from = 0.5;

/// Black or white, whatever reads better on a colour "#rrggbb".
std::string_view text_on(std::string_view colour) {
    const auto part = [&](std::size_t at) { return std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0; };
    return 0.30 * part(1) + 0.59 * part(3) + 0.11 * part(5) > dark_text_from ? "#000000" : "#ffffff";
}

/// Puts labels above a lane in as few rows as let them stand apart.
class LabelRows {
public:
    LabelRows(Svg& svg, double lane_top, double font) : svg_(svg), lane_top_(lane_top), font_(font) {}

    /// From left to right.
    void add(const Box& box, std::string_view text, std::string_view colour) {
        const double middle = box.x + box.width / 2;
        const double half = text_width(text, font_) / 2;
        for (std::size_t row = 0; row < used_.size(); ++row) {
            if (middle - half < used_[row]) continue;
            used_[row] = middle + half + 6;
            const double y = lane_top_ - 5 - static_cast<double>(row) * (font_ + 4);
            if (row > 0) svg_.line(middle, y + 3, middle, lane_top_, "#999999", 0.75);
            svg_.text(middle, y, text, {.size = font_, .colour = colour, .anchor = Anchor::middle});
            return;
        }
    }

private:
    Svg& svg_;
    double lane_top_;
    double font_;
    std::array<double, 3> used_{};
};

struct Shown {
    const sim::Span* span;
    const Ink* ink;
};

/// What of the excerpt stands in a row, from left to right, the longer of two that begin together first.
std::vector<Shown> shown(const Scale& scale, const Excerpt& excerpt, const Row& row) {
    std::vector<Shown> all;
    for (const sim::Span& span : excerpt.spans) {
        const Ink* const ink = ink_of(span);
        if (ink == nullptr || span.lane != row.lane || (span.lane == sim::Lane::cpu && span.unit != row.unit)) continue;
        if (span.to > scale.from && span.from < scale.to) all.push_back({&span, ink});
    }
    std::ranges::sort(all, [](const Shown& a, const Shown& b) {
        if (a.span->from != b.span->from) return a.span->from < b.span->from;
        if (a.span->to != b.span->to) return a.span->to > b.span->to;
        return a.span < b.span;
    });
    return all;
}

void draw_lane(Svg& svg, const Scale& scale, const Excerpt& excerpt, const Row& row, const LaneLook& look, double y) {
    const double end = scale.x + scale.width;
    LabelRows above(svg, y, look.font);
    for (const Shown& item : shown(scale, excerpt, row)) {
        const double x1 = std::max(scale.at(item.span->from), scale.x);
        const double x2 = std::min(std::max(scale.at(item.span->to), x1 + 1.2), end);
        const Box box{x1, y, x2 - x1, look.lane_height};
        const sim::Time length = item.span->to - item.span->from;
        svg.box(box, item.ink->colour,
                fmt::format("{}, {}, from {}", item.span->name, us(length), us(item.span->from - scale.zero)));
        if (!look.labels) continue;

        std::string label = item.span->name;
        if (row.lane == sim::Lane::cpu) label += " " + us(length);
        if (text_width(label, look.font) + 4 <= box.width) {
            svg.text(box.x + box.width / 2, y + look.lane_height / 2 + look.font * 0.36, label,
                     {.size = look.font, .colour = text_on(item.ink->colour), .anchor = Anchor::middle});
        } else if (row.lane == sim::Lane::cpu ? item.ink == &inks[prepare] || item.ink == &inks[finish]
                                              : row.lane == sim::Lane::command) {
            above.add(box, label, "#1a1a1a");
        }
    }
}

/// 1, 2 or 5 times a power of ten, so that ticks stand 75 pixels apart or more.
double tick_step(double us_per_pixel) {
    const double least = 75 * us_per_pixel;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least) return factor * power;
    }
    return 10 * power;
}

/// The room that labels above a lane need.
double above(const Row& row, const LaneLook& look) {
    return look.labels && row.lane == sim::Lane::command ? look.font + 6 : 0;
}

} // namespace

std::span<const Ink> legend_inks() { return inks; }

std::vector<Row> rows_of(const Excerpt& excerpt) {
    std::set<unsigned> cpus;
    for (const sim::Span& span : excerpt.spans) {
        if (span.lane == sim::Lane::cpu && ink_of(span) != nullptr) cpus.insert(span.unit);
    }
    std::vector<Row> rows;
    for (const unsigned unit : cpus) {
        rows.push_back(
            {.lane = sim::Lane::cpu, .unit = unit, .name = cpus.size() == 1 ? "CPU" : fmt::format("CPU {}", unit)});
    }
    rows.push_back({.lane = sim::Lane::command, .name = "bus, CMD"});
    rows.push_back({.lane = sim::Lane::data, .name = "bus, DAT"});
    rows.push_back({.lane = sim::Lane::card, .name = "card"});
    return rows;
}

double height(std::span<const Row> rows, const LaneLook& look) {
    double sum = 0;
    for (const Row& row : rows) sum += look.lane_height + look.between + above(row, look);
    return sum - look.between;
}

void draw_lanes(Svg& svg, const Scale& scale, const Excerpt& excerpt, std::span<const Row> rows, const LaneLook& look,
                double y) {
    for (const Row& row : rows) {
        y += above(row, look);
        svg.box({scale.x, y, scale.width, look.lane_height}, "#777777", {}, 0.10);
        if (!row.name.empty()) {
            svg.text(scale.x - 10, y + look.lane_height / 2 + 4.5, row.name,
                     {.size = 13, .colour = "#1a1a1a", .anchor = Anchor::end});
        }
        draw_lane(svg, scale, excerpt, row, look, y);
        y += look.lane_height + look.between;
    }
}

void draw_axis(Svg& svg, const Scale& scale, double top, double bottom) {
    const double us_per_pixel = static_cast<double>((scale.to - scale.from).ps) / 1e6 / scale.width;
    const double step = tick_step(us_per_pixel);
    svg.line(scale.x, bottom + 3, scale.x + scale.width, bottom + 3, "#1a1a1a");
    const double first = static_cast<double>((scale.from - scale.zero).ps) / 1e6;
    for (auto tick = static_cast<long>(std::ceil(first / step));; ++tick) {
        const double us = static_cast<double>(tick) * step;
        const double x = scale.x + (us - first) / us_per_pixel;
        if (x > scale.x + scale.width) break;
        svg.line(x, top, x, bottom + 3, "#1a1a1a", 0.25, true);
        svg.line(x, bottom + 3, x, bottom + 8, "#1a1a1a");
        svg.text(x, bottom + 20, fmt::format("{:.0f}", us),
                 {.size = 11, .colour = "#666666", .anchor = Anchor::middle});
    }
    svg.text(scale.x + scale.width, bottom + 20, "µs", {.size = 11, .colour = "#666666", .anchor = Anchor::end});
}

void mark_wait(Svg& svg, const Scale& scale, const Gap& gap, double top, double bottom) {
    const double x1 = std::max(scale.at(gap.from), scale.x);
    const double x2 = std::min(scale.at(gap.to), scale.x + scale.width);
    svg.box({x1, top - 3, x2 - x1, bottom - top + 6}, wait_colour);
}

} // namespace mmcpipe::report
