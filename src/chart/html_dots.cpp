// Boxes of HTML and CSS whose places are percentages of the track, so that the plot is right at any
// width of the window and on paper. The axis spans all values with some air on both sides; it has a
// tick for each decade, and for 2 and 5 where it spans two decades or less.
//
// Meaning is never by colour alone: the limit is an upright line, the prediction a disc with its
// interval, the measurement a diamond. The colour is the network's, or, where rows have a kind that
// is written next to them, the kind's.

#include "html_dots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "dot_axis.hpp"
#include "html_text.hpp"
#include "name_list.hpp"
#include "renderers.hpp"
#include "tone.hpp"

namespace rooflab::chart {
namespace {

constexpr double least_axis_decades = 0.5;  ///< the axis spans at least that
constexpr std::size_t rows_of_a_window = 20;
constexpr double free_share = 0.06;  ///< share of the axis that is free on either side

/// The axis: decimal logarithms of its values.
class LogAxis {
 public:
  LogAxis(std::span<const Dot> dots, DotAxis kind) : kind_(kind) {
    std::vector<double> logarithms;
    for (const Dot& dot : dots) {
      for (const auto& value : {dot.limit, dot.predicted, dot.low, dot.high, dot.measured}) {
        if (is_drawn(value)) logarithms.push_back(std::log10(*value));
      }
    }
    if (logarithms.empty()) return;
    if (words().reference) logarithms.push_back(std::log10(*words().reference));
    const auto [low, high] = std::ranges::minmax(logarithms);
    const double wider = std::max(0.0, least_axis_decades - (high - low)) / 2.0;
    const double span = high - low + 2.0 * wider;
    low_ = low - wider - free_share * span;
    high_ = high + wider + free_share * span;
  }

  [[nodiscard]] static bool is_drawn(const std::optional<double>& value) {
    return value && std::isfinite(*value) && *value > 0.0;
  }
  [[nodiscard]] const DotAxisWords& words() const { return words_of(kind_); }
  /// A value for people.
  [[nodiscard]] std::string text(double value, int digits) const {
    return kind_ == DotAxis::time ? si(value, "s", digits) : ratio_text(value);
  }
  [[nodiscard]] bool empty() const { return low_ >= high_; }
  /// Per cent of the track.
  [[nodiscard]] double place(double value) const {
    return 100.0 * (std::log10(value) - low_) / (high_ - low_);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> ticks;
    const bool fine = high_ - low_ <= 2.0;
    for (int decade = static_cast<int>(std::floor(low_)); decade <= high_; ++decade) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit > 1.0 && !fine) continue;
        const double value = digit * std::pow(10.0, decade);
        if (std::log10(value) >= low_ && std::log10(value) <= high_) ticks.push_back(value);
      }
    }
    return ticks;
  }

 private:
  DotAxis kind_;
  double low_ = 0.0;
  double high_ = 0.0;
};

std::string mark(std::string_view kind, double place) {
  return format("<i class=\"{}\" style=\"left:{:.2f}%\"></i>", kind, place);
}

/// A row in words, for the pointer and for screen readers.
std::string words_of_row(const Dot& dot, const LogAxis& axis) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view what, const std::optional<double>& value) {
    if (value) words.push_back(format("{} {}", what, axis.text(*value, 4)));
  };
  add("limit", dot.limit);
  add(axis.words().predicted, dot.predicted);
  if (dot.low && dot.high) {
    words.back() += format(" ({} to {})", axis.text(*dot.low, 4), axis.text(*dot.high, 4));
  }
  add(axis.words().measured, dot.measured);
  return words.empty() ? "no time" : join(words, ", ");
}

std::string dot_row(const Dot& dot, const LogAxis& axis, const std::string& hue,
                    const std::string& grid) {
  std::string marks = grid;
  if (LogAxis::is_drawn(dot.low) && LogAxis::is_drawn(dot.high)) {
    const double low = axis.place(*dot.low);
    marks += format("<i class=\"range\" style=\"left:{:.2f}%;width:{:.2f}%\"></i>", low,
                    axis.place(*dot.high) - low);
  }
  if (LogAxis::is_drawn(dot.limit)) marks += mark("bound", axis.place(*dot.limit));
  if (LogAxis::is_drawn(dot.predicted)) marks += mark("disc", axis.place(*dot.predicted));
  if (LogAxis::is_drawn(dot.measured)) {
    marks += mark("gem", axis.place(*dot.measured));
  }
  const std::string words = html_text(words_of_row(dot, axis));
  const Tone tone = tone_of_cell(dot.verdict);
  return format(
      "<div class=\"dot-row\"><span class=\"dot-label\">{}</span><span class=\"dot-track {}\""
      " role=\"img\" title=\"{}\" aria-label=\"{}: {}\">{}</span><b>{}</b><span>{}</span>"
      "<span class=\"{}\">{}</span></div>\n",
      html_text(dot.label), hue, words, html_text(dot.label), words, marks, html_text(dot.value),
      html_text(dot.remark), tone == Tone::none ? "" : name_of(tone), html_text(dot.verdict));
}

std::string class_of(int color) { return hue_class(color); }

std::string dot_class(const Dot& dot, std::span<const std::string> names) {
  return dot.is_quiet ? "quiet" : class_of(color_of_dot(dot, names));
}

std::string legend(std::span<const Dot> dots, const DotAxisWords& axis,
                   std::span<const std::string> kinds) {
  const auto any = [dots](auto member) {
    return std::ranges::any_of(dots,
                               [member](const Dot& dot) { return (dot.*member).has_value(); });
  };
  std::string html = "<ul class=\"legend\">\n";
  const auto add = [&html](std::string_view kind, std::string_view words,
                           const std::string& hue = {}) {
    html += format("<li><span class=\"dot-track sample {}\">{}</span>{}</li>\n", hue,
                   mark(kind, 50.0), html_text(words));
  };
  if (any(&Dot::limit)) add("bound", "limit");
  if (any(&Dot::predicted)) {
    add("disc",
        format("{}{}", axis.predicted, any(&Dot::low) ? ", with the interval of nine in ten" : ""));
  }
  if (any(&Dot::measured)) add("gem", axis.measured);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!kinds[i].empty()) add("disc", kinds[i], class_of(color_of_name(i)));
  }
  const auto quiet = std::ranges::find(dots, true, &Dot::is_quiet);
  if (quiet != dots.end()) add("disc quiet", quiet->kind);
  return html + format("<li>{}</li></ul>\n", axis.title);
}

}  // namespace

std::string ratio_text(double ratio) {
  constexpr double whole = 999.5;  // three digits make it 1000
  return (ratio < whole ? format("{:.3g}", ratio) : plain_number(ratio)) + "x";
}

std::string html_dots(std::span<const Dot> dots, DotAxis kind) {
  const LogAxis axis(dots, kind);
  if (dots.empty() || axis.empty()) return {};
  Names groups;
  for (const Dot& dot : dots) add_name(groups, dot.group);
  const Names names = dot_names(dots);
  const Names kinds = have_kinds(dots) ? names : Names();
  std::string grid;
  std::string numbers;
  for (const double tick : axis.ticks()) {
    grid += mark("grid", axis.place(tick));
    numbers += format("<i class=\"number\" style=\"left:{:.2f}%\">{}</i>", axis.place(tick),
                      axis.text(tick, 3));
  }
  if (const auto& reference = axis.words().reference) {
    grid += mark("grid reference", axis.place(*reference));
  }
  const std::string axis_row =
      format("<div class=\"dot-row axis\"><span></span><span class=\"dot-track\">{}</span></div>\n",
             numbers);
  // The ends of a long plot do not fit into one window.
  const std::string above = dots.size() > rows_of_a_window ? axis_row : "";
  std::string html = format("<div class=\"dots{}\">\n{}{}", kind == DotAxis::ratio ? " ratio" : "",
                            legend(dots, axis.words(), kinds), above);
  for (const std::string& group : groups) {
    if (!group.empty()) html += format("<div class=\"dot-group\">{}</div>\n", html_text(group));
    for (const Dot& dot : dots) {
      if (dot.group == group) {
        html += dot_row(dot, axis, dot_class(dot, names), grid);
      }
    }
  }
  return html + axis_row + "</div>\n";
}

}  // namespace rooflab::chart
