#include "time_chart.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"

namespace rooflab::chart {

TimeChart::TimeChart(Words words, double longest_s)
    : longest_s_(longest_s), time_(time_unit_for(longest_s)), factor_(words.factor) {
  chart_.title = std::move(words.title);
  chart_.subtitle = std::move(words.subtitle);
  chart_.x = {.label = "time", .unit = time_.name};
  chart_.y = {
      .label = std::move(words.label), .unit = std::move(words.unit), .numbers = words.numbers};
}

void TimeChart::add(std::string name, const std::vector<TimePoint>& all,
                    std::optional<double> mean) {
  if (std::ranges::none_of(all, [](const TimePoint& point) { return point.value.has_value(); })) {
    return;
  }
  if (all.size() > most_points) thinned_ = true;
  if (mean) {
    name += format(", mean {}", chart_.y.numbers == NumberStyle::si
                                    ? si(*mean, chart_.y.unit)
                                    : format("{:.4g} {}", *mean * factor_, chart_.y.unit));
  }
  bool joins = false;
  for (const TimePoint& point : thinned(all, [](const TimePoint& each) { return each.value; })) {
    if (point.value && !joins) {
      Series& line = chart_.series.emplace_back();
      line.name = std::exchange(name, "");
      line.color = color_;
      line.joined = true;
    }
    joins = point.value.has_value();
    if (!joins) continue;
    const double value = *point.value * factor_;
    highest_ = std::max(highest_, value);
    chart_.series.back().points.push_back(
        {.x = point.time_s / time_.seconds, .y = value, .weight = 0.0});
  }
  // A value between two gaps makes no line.
  for (Series& line : chart_.series) line.marked = line.points.size() == 1;
  ++color_;
}

void TimeChart::finish(std::vector<Chart>& charts, std::string caption, std::optional<double> top) {
  if (chart_.series.empty()) return;
  chart_.x.range = {0.0, longest_s_ / time_.seconds};
  chart_.y.range = {0.0, top.value_or(highest_ > 0.0 ? highest_ * 1.06 : 1.0)};
  if (!caption.empty()) chart_.captions.push_back(std::move(caption));
  if (thinned_) {
    chart_.captions.emplace_back(
        "Drawn with the lowest and highest sample of each short span of time.");
  }
  charts.push_back(std::move(chart_));
}

}  // namespace rooflab::chart
