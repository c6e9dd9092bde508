// Pictures of a line's height: paths of SVG that are stretched to their place, with strokes that
// are not (`non-scaling-stroke`). A stroke of no length with round ends is a dot.
//
// The strips share one axis, the value over its row's median, so that rows of different length
// compare by their spread. It ends at twice the median; what lies beyond is drawn at its end.

#include "html_spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/format.hpp"
#include "html_text.hpp"
#include "time_unit.hpp"

namespace rooflab::chart {
namespace {

constexpr double width = 1000.0;
constexpr double height = 24.0;
constexpr double least_span =
    0.02;  ///< the axis spans at least that: half a percent would look wide
constexpr double most_ratio = 2.0;

/// The axis: values over their median.
class RatioAxis {
 public:
  explicit RatioAxis(std::span<const Spread> spreads) {
    for (const Spread& each : spreads) {
      for (const double value : each.values) {
        low_ = std::min(low_, value / each.median);
        high_ = std::max(high_, value / each.median);
      }
    }
    high_ = std::min(high_, most_ratio);
    const double wider = std::max(0.0, least_span - (high_ - low_)) / 2.0 + 0.03 * (high_ - low_);
    low_ -= wider;
    high_ += wider;
  }

  [[nodiscard]] double share(double ratio) const {
    return (std::clamp(ratio, low_, high_) - low_) / (high_ - low_);
  }
  /// Round steps of 1, 2, 5, 10 ... percent around the median.
  [[nodiscard]] std::vector<double> ticks() const {
    double step = 0.01;
    for (int i = 0; (high_ - low_) / step > 8.0; ++i) step *= i % 3 == 1 ? 2.5 : 2.0;
    std::vector<double> ticks;
    const double first = std::ceil((low_ - 1.0) / step);
    for (double n = first; 1.0 + n * step <= high_; n += 1.0) ticks.push_back(1.0 + n * step);
    return ticks;
  }

 private:
  double low_ = 1.0;
  double high_ = 1.0;
};

std::string strip(const Spread& spread, const RatioAxis& axis) {
  const auto x = [&](double value) { return width * axis.share(value / spread.median); };
  std::string svg = format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" preserveAspectRatio=\"none\" width=\"100%\""
      " height=\"{:.0f}\" aria-hidden=\"true\">",
      width, height, height);
  if (spread.low && spread.high) {
    svg += format("<rect class=\"band\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{:.0f}\"/>",
                  x(*spread.low), x(*spread.high) - x(*spread.low), height);
  }
  svg += format("<path class=\"middle\" d=\"M{:.1f} 0V{:.0f}\"/>", x(spread.median), height);
  struct Step {
    double number;
    double value;
  };
  std::vector<Step> steps;
  for (const double value : spread.values) {
    steps.push_back({static_cast<double>(steps.size()), value});
  }
  const double last = std::max(1.0, static_cast<double>(steps.size()) - 1.0);
  std::string dots;
  for (const Step& step : thinned(steps, [](const Step& each) { return each.value; })) {
    dots += format("M{:.1f} {:.1f}h0", x(step.value), 3.0 + (height - 6.0) * step.number / last);
  }
  return svg + format("<path class=\"points\" d=\"{}\"/></svg>", dots);
}

std::string spread_row(const Spread& spread, const RatioAxis& axis) {
  const auto [least, most] = std::ranges::minmax(spread.values);
  const std::string words = format("{} repetitions: median {}, {} to {}", spread.values.size(),
                                   si(spread.median, "s"), si(least, "s"), si(most, "s"));
  return format(
      "<div class=\"dot-row\"><span class=\"dot-label\">{}</span><span class=\"dot-track\""
      " role=\"img\" title=\"{}\" aria-label=\"{}: {}\">{}</span><b>{}</b><span>{}</span></div>\n",
      html_text(spread.label), html_text(words), html_text(spread.label), html_text(words),
      strip(spread, axis), html_text(spread.text), html_text(spread.remark));
}

}  // namespace

std::string html_spreads(std::span<const Spread> spreads) {
  if (spreads.empty()) return {};
  const RatioAxis axis(spreads);
  std::string html = "<div class=\"dots spreads\">\n";
  for (const Spread& each : spreads) html += spread_row(each, axis);
  std::string numbers;
  for (const double tick : axis.ticks()) {
    numbers += format("<i class=\"number\" style=\"left:{:.2f}%\">{:.0f} %</i>",
                      100.0 * axis.share(tick), 100.0 * tick);
  }
  return html +
         format(
             "<div class=\"dot-row axis\"><span></span><span class=\"dot-track\">{}</span></div>\n"
             "<p class=\"soft\">Each dot is a step over the median of its row, the first at the"
             " top; the line is the median, the band its 95 % interval. Steps of twice the median"
             " and more stand at the right end.</p>\n</div>\n",
             numbers);
}

std::string html_spark(const Spark& spark) {
  constexpr double spark_width = 110.0;
  constexpr double spark_height = 18.0;
  if (spark.values.size() < 2) return {};
  const double highest = std::max(std::ranges::max(spark.values), 1e-300);
  std::string path;
  for (std::size_t i = 0; i < spark.values.size(); ++i) {
    path +=
        format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L",
               spark_width * static_cast<double>(i) / static_cast<double>(spark.values.size() - 1),
               1.0 + (spark_height - 2.0) * (1.0 - std::max(0.0, spark.values[i]) / highest));
  }
  return format(
      "<span class=\"spark\"><svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\""
      " height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\"><path d=\"{3}\"/></svg>{2}</span>",
      spark_width, spark_height, html_text(spark.label), path);
}

}  // namespace rooflab::chart
