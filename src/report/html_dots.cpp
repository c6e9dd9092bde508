// Boxes of HTML and CSS whose places are percentages of the track, so that the plot is right at any
// width of the window and on paper. The axis spans all times with some air on both sides; it has a
// tick for each decade, and for 2 and 5 where it spans two decades or less.
//
// Meaning is never by colour alone: the limit is an upright line, the prediction a disc with its
// interval, the measurement a diamond. The colour is the network's.

#include "html_dots.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "chart/renderers.hpp"
#include "html_text.hpp"
#include "rooflab/base/text.hpp"
#include "tone.hpp"

namespace rooflab::report {
namespace {

constexpr double least_decades = 0.5;  ///< the axis spans at least that
constexpr std::size_t rows_of_a_window = 20;
constexpr double air = 0.06;           ///< share of the axis that is free on either side

/// The axis: decimal logarithms of seconds.
class TimeAxis {
 public:
  explicit TimeAxis(std::span<const PageDot> dots) {
    std::vector<double> logarithms;
    for (const PageDot& dot : dots) {
      for (const auto& time_s :
           {dot.limit_s, dot.predicted_s, dot.low_s, dot.high_s, dot.measured_s}) {
        if (is_drawn(time_s)) logarithms.push_back(std::log10(*time_s));
      }
    }
    if (logarithms.empty()) return;
    const auto [low, high] = std::ranges::minmax(logarithms);
    const double wider = std::max(0.0, least_decades - (high - low)) / 2.0;
    const double span = high - low + 2.0 * wider;
    low_ = low - wider - air * span;
    high_ = high + wider + air * span;
  }

  [[nodiscard]] static bool is_drawn(const std::optional<double>& time_s) {
    return time_s && std::isfinite(*time_s) && *time_s > 0.0;
  }
  [[nodiscard]] bool empty() const { return low_ >= high_; }
  /// Per cent of the track.
  [[nodiscard]] double place(double time_s) const {
    return 100.0 * (std::log10(time_s) - low_) / (high_ - low_);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> ticks;
    const bool fine = high_ - low_ <= 2.0;
    for (int decade = static_cast<int>(std::floor(low_)); decade <= high_; ++decade) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit > 1.0 && !fine) continue;
        const double time_s = digit * std::pow(10.0, decade);
        if (std::log10(time_s) >= low_ && std::log10(time_s) <= high_) ticks.push_back(time_s);
      }
    }
    return ticks;
  }

 private:
  double low_ = 0.0;
  double high_ = 0.0;
};

std::string mark(std::string_view kind, double place) {
  return format("<i class=\"{}\" style=\"left:{:.2f}%\"></i>", kind, place);
}

/// The times of a row in words, for the pointer and for screen readers.
std::string words_of(const PageDot& dot) {
  std::vector<std::string> words;
  const auto add = [&words](std::string_view what, const std::optional<double>& time_s) {
    if (time_s) words.push_back(format("{} {}", what, si(*time_s, "s")));
  };
  add("limit", dot.limit_s);
  add("predicted", dot.predicted_s);
  if (dot.low_s && dot.high_s) {
    words.back() += format(" ({} to {})", si(*dot.low_s, "s"), si(*dot.high_s, "s"));
  }
  add("measured", dot.measured_s);
  return words.empty() ? "no time" : join(words, ", ");
}

std::string row(const PageDot& dot, const TimeAxis& axis, const std::string& hue,
                const std::string& grid) {
  std::string marks = grid;
  if (TimeAxis::is_drawn(dot.low_s) && TimeAxis::is_drawn(dot.high_s)) {
    const double low = axis.place(*dot.low_s);
    marks += format("<i class=\"range\" style=\"left:{:.2f}%;width:{:.2f}%\"></i>", low,
                    axis.place(*dot.high_s) - low);
  }
  if (TimeAxis::is_drawn(dot.limit_s)) marks += mark("bound", axis.place(*dot.limit_s));
  if (TimeAxis::is_drawn(dot.predicted_s)) {
    marks += mark("disc", axis.place(*dot.predicted_s));
  }
  if (TimeAxis::is_drawn(dot.measured_s)) {
    marks += mark("gem", axis.place(*dot.measured_s));
  }
  const std::string words = html_text(words_of(dot));
  const Tone tone = tone_of_cell(dot.verdict);
  return format(
      "<div class=\"dot-row\"><span class=\"dot-label\">{}</span><span class=\"dot-track {}\""
      " role=\"img\" title=\"{}\" aria-label=\"{}: {}\">{}</span><b>{}</b><span>{}</span>"
      "<span class=\"{}\">{}</span></div>\n",
      html_text(dot.label), hue, words, html_text(dot.label), words, marks, html_text(dot.value),
      html_text(dot.remark), tone == Tone::none ? "" : name_of(tone), html_text(dot.verdict));
}

std::string legend(std::span<const PageDot> dots) {
  const auto any = [dots](auto member) {
    return std::ranges::any_of(dots,
                               [member](const PageDot& dot) { return (dot.*member).has_value(); });
  };
  std::string html = "<ul class=\"legend\">\n";
  const auto add = [&html](std::string_view mark, std::string_view words) {
    html += format(
        "<li><span class=\"dot-track sample\"><i class=\"{}\" "
        "style=\"left:50%\"></i></span>{}</li>\n",
        mark, words);
  };
  if (any(&PageDot::limit_s)) add("bound", "limit");
  if (any(&PageDot::predicted_s)) {
    add("disc", any(&PageDot::low_s) ? "predicted, with the interval of nine in ten" : "predicted");
  }
  if (any(&PageDot::measured_s)) add("gem", "measured");
  return html + "<li>time of a step, logarithmic</li></ul>\n";
}

}  // namespace

std::string html_dots(std::span<const PageDot> dots) {
  const TimeAxis axis(dots);
  if (dots.empty() || axis.empty()) return {};
  std::vector<std::string> groups;
  for (const PageDot& dot : dots) {
    if (std::ranges::find(groups, dot.group) == groups.end()) groups.push_back(dot.group);
  }
  std::string grid;
  std::string numbers;
  for (const double tick : axis.ticks()) {
    grid += mark("grid", axis.place(tick));
    numbers += format("<i class=\"number\" style=\"left:{:.2f}%\">{}</i>", axis.place(tick),
                      si(tick, "s", 3));
  }
  const std::string axis_row = format(
      "<div class=\"dot-row axis\"><span></span><span class=\"dot-track\">{}</span></div>\n", numbers);
  // The ends of a long plot do not fit into one window.
  const std::string above = dots.size() > rows_of_a_window ? axis_row : "";
  std::string html = format("<div class=\"dots\">\n{}{}", legend(dots), above);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!groups[i].empty())
      html += format("<div class=\"dot-group\">{}</div>\n", html_text(groups[i]));
    for (const PageDot& dot : dots) {
      if (dot.group == groups[i]) {
        html += row(dot, axis, chart::hue_class(std::min(static_cast<int>(i), chart::neutral_color)), grid);
      }
    }
  }
  return html + axis_row + "</div>\n";
}

}  // namespace rooflab::report
