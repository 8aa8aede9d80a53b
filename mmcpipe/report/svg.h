#pragma once
// As much of SVG as a timeline needs. Coordinates are pixels; the same calls give the same text.

#include <string>
#include <string_view>

namespace mmcpipe::report {

struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

enum class Anchor : unsigned char { start, middle, end };

struct Font {
    double size = 13;
    std::string_view colour = "#1a1a1a";
    Anchor anchor = Anchor::start;
    bool bold = false;
};

class Svg {
public:
    Svg(double width, double height, std::string_view title);

    /// `tip` shows when the pointer rests on it; empty: none.
    void box(const Box& box, std::string_view colour, std::string_view tip = {}, double opacity = 1);
    void line(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1,
              bool dashed = false);
    void text(double x, double y, std::string_view text, const Font& font = {});
    /// A horizontal dimension line from `x1` to `x2` with its ends marked, and `label` in its middle, below it.
    void dimension(double x1, double x2, double y, std::string_view label, std::string_view colour);
    void circle(double x, double y, double radius, std::string_view colour);

    /// Everything until `end_clip` shows only inside `box`.
    void begin_clip(const Box& box);
    void end_clip();

    /// Completes the document.
    std::string finish();

private:
    std::string out_;
    unsigned clips_ = 0;
};

/// About how wide a text will be.
double text_width(std::string_view text, double size);

} // namespace mmcpipe::report
