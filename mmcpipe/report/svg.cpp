#include "mmcpipe/report/svg.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmcpipe::report {

namespace {

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        default: result += c;
        }
    }
    return result;
}

constexpr std::string_view anchors[] = {"start", "middle", "end"};

} // namespace

Svg::Svg(double width, double height, std::string_view title) {
    out_ = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
                       "{0:.0f} {1:.0f}\" "
                       "font-family=\"'DejaVu Sans',Verdana,sans-serif\">\n<title>{2}</title>\n",
                       width, height, escaped(title));
    box({0, 0, width, height}, "#ffffff");
}

void Svg::box(const Box& box, std::string_view colour, std::string_view tip, double opacity) {
    out_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"", box.x, box.y,
                        box.width, box.height, colour);
    if (opacity < 1) out_ += fmt::format(" fill-opacity=\"{:.2f}\"", opacity);
    out_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", escaped(tip));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view colour, double width, bool dashed) {
    out_ += fmt::format(
        "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" stroke-width=\"{:.2f}\"{}/>\n", x1,
        y1, x2, y2, colour, width, dashed ? " stroke-dasharray=\"4 3\"" : "");
}

void Svg::text(double x, double y, std::string_view text, const Font& font) {
    out_ +=
        fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.1f}\" fill=\"{}\" text-anchor=\"{}\"{}>{}</text>\n",
                    x, y, font.size, font.colour, anchors[static_cast<unsigned>(font.anchor)],
                    font.bold ? " font-weight=\"bold\"" : "", escaped(text));
}

void Svg::dimension(double x1, double x2, double y, std::string_view label, std::string_view colour) {
    line(x1, y, x2, y, colour, 1.5);
    for (const double x : {x1, x2}) line(x, y - 5, x, y + 5, colour, 1.5);
    text((x1 + x2) / 2, y + 17, label, {.size = 13, .colour = colour, .anchor = Anchor::middle, .bold = true});
}

void Svg::circle(double x, double y, double radius, std::string_view colour) {
    out_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n", x, y, radius, colour);
}

void Svg::begin_clip(const Box& box) {
    ++clips_;
    out_ += fmt::format(
        "<clipPath id=\"clip{0}\"><rect x=\"{1:.2f}\" y=\"{2:.2f}\" width=\"{3:.2f}\" height=\"{4:.2f}\"/></clipPath>\n"
        "<g clip-path=\"url(#clip{0})\">\n",
        clips_, box.x, box.y, box.width, box.height);
}

void Svg::end_clip() { out_ += "</g>\n"; }

std::string Svg::finish() { return out_ + "</svg>\n"; }

double text_width(std::string_view text, double size) {
    const auto characters = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }); // UTF-8
    return static_cast<double>(characters) * size * 0.58;
}

} // namespace mmcpipe::report
