#pragma once
// The lanes of a timeline: CPUs, bus and card as rows of coloured boxes over one time scale.

#include "mmcpipe/report/excerpt.h"
#include "mmcpipe/report/svg.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mmcpipe::report {

/// Time to pixels.
struct Scale {
    sim::Time from{};
    sim::Time to{};
    sim::Time zero{}; ///< where the axis counts from
    double x = 0;
    double width = 0;

    double at(sim::Time time) const {
        return x + width * static_cast<double>((time - from).ps) / static_cast<double>((to - from).ps);
    }
};

/// One lane on the sheet.
struct Row {
    sim::Lane lane{};
    unsigned unit = 0;
    std::string name;
};
/// Every CPU that does something in the excerpt, then commands, data and card.
std::vector<Row> rows_of(const Excerpt& excerpt);

struct LaneLook {
    double lane_height;
    double between;
    double font;
    bool labels; ///< says what each box is, and how long acts of the CPU take
};

double height(std::span<const Row> rows, const LaneLook& look);

/// `y` is the top of the first lane.
void draw_lanes(Svg& svg, const Scale& scale, const Excerpt& excerpt, std::span<const Row> rows, const LaneLook& look,
                double y);
/// Ticks from `top` to `bottom`, in microseconds.
void draw_axis(Svg& svg, const Scale& scale, double top, double bottom);
/// Shades the time in which the data lines wait.
void mark_wait(Svg& svg, const Scale& scale, const Gap& gap, double top, double bottom);

/// What a colour means.
struct Ink {
    std::string_view name;
    std::string_view colour;
};
std::span<const Ink> legend_inks();

inline constexpr std::string_view wait_colour = "#f9d9d3";

} // namespace mmcpipe::report
