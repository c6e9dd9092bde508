// Time series as lines. Where a sample lacks the quantity, the line has a gap.

#include <algorithm>
#include <cmath>
#include <utility>

#include "rooflab/base/text.hpp"
#include "rooflab/record/sample.hpp"
#include "rooflab/report/views.hpp"
#include "time_unit.hpp"

namespace rooflab::report {
namespace {

using record::Sample;
using record::SampledFigure;
using record::SampleSeries;
using record::SampleSummary;

struct TimePoint {
  double time_s = 0.0;
  std::optional<double> value;
};

double longest_time_s(const std::vector<SampleSeries>& all) {
  double longest = 0.0;
  for (const SampleSeries& series : all) {
    if (!series.samples.empty()) longest = std::max(longest, series.samples.back().time_s);
  }
  return longest;
}

/// Cores busy between samples, over spans long enough for the kernel's ticks of 10 ms.
std::vector<TimePoint> cores_of(const SampleSeries& series) {
  constexpr double least_span_s = 0.25;
  std::vector<TimePoint> points;
  const Sample* from = nullptr;
  for (const Sample& sample : series.samples) {
    if (!sample.task_clock_s) continue;
    if (from == nullptr) {
      from = &sample;
      continue;
    }
    const double span_s = sample.time_s - from->time_s;
    if (span_s < least_span_s) continue;
    points.push_back(
        {from->time_s + span_s / 2.0, (*sample.task_clock_s - *from->task_clock_s) / span_s});
    from = &sample;
  }
  return points;
}

/// A chart of one quantity over time, a line for each device or process that has it.
class TimeChart {
 public:
  /// `factor`: from base units to those of the axis; with `numbers` in SI prefixes, 1.
  TimeChart(const record::Record& record, std::string title, std::string label, std::string unit,
            double factor = 1.0, chart::NumberStyle numbers = chart::NumberStyle::plain)
      : record_(record), time_(time_unit_for(longest_time_s(record.samples))), factor_(factor) {
    chart_.title = std::move(title);
    chart_.subtitle = record.identity.model;
    chart_.x = {.label = "time", .unit = time_.name};
    chart_.y = {.label = std::move(label), .unit = std::move(unit), .numbers = numbers};
  }

  /// A line of a series, with its mean in the legend.
  void add(const SampleSeries& series, const std::string& what, const std::vector<TimePoint>& all,
           std::optional<double> mean) {
    if (std::ranges::none_of(all, [](const TimePoint& point) { return point.value.has_value(); })) {
      return;
    }
    if (all.size() > most_points) thinned_ = true;
    std::string name = what.empty() ? series.device : format("{} {}", series.device, what);
    if (mean) {
      name += format(", mean {}", chart_.y.numbers == chart::NumberStyle::si
                                      ? si(*mean, chart_.y.unit)
                                      : format("{:.4g} {}", *mean * factor_, chart_.y.unit));
    }
    bool joins = false;
    for (const TimePoint& point : thinned(all, [](const TimePoint& each) { return each.value; })) {
      if (point.value && !joins) {
        chart::Series& line = chart_.series.emplace_back();
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
    for (chart::Series& line : chart_.series) line.marked = line.points.size() == 1;
    ++color_;
  }

  /// A line of each series that has the quantity.
  template <class Number>
  TimeChart& add_all(const std::string& what, std::optional<Number> Sample::*quantity,
                     std::optional<SampledFigure> SampleSummary::*figure) {
    for (const SampleSeries& series : record_.samples) {
      std::vector<TimePoint> points;
      for (const Sample& sample : series.samples)
        points.push_back({sample.time_s, sample.*quantity});
      add(series, what, points, mean_of(summarize(series).*figure));
    }
    return *this;
  }

  /// Into `charts`, unless it has no line. Amounts are drawn from zero; a share up to all of it.
  void finish(std::vector<chart::Chart>& charts, std::string caption = "",
              std::optional<double> top = std::nullopt) {
    if (chart_.series.empty()) return;
    chart_.x.range = {0.0, longest_time_s(record_.samples) / time_.seconds};
    chart_.y.range = {0.0, top.value_or(highest_ > 0.0 ? highest_ * 1.06 : 1.0)};
    if (!caption.empty()) chart_.captions.push_back(std::move(caption));
    if (thinned_) {
      chart_.captions.emplace_back(
          "Drawn with the lowest and highest sample of each short span of time.");
    }
    charts.push_back(std::move(chart_));
  }

 private:
  const record::Record& record_;
  TimeUnit time_;
  double factor_;
  chart::Chart chart_;
  int color_ = 0;
  double highest_ = 0.0;
  bool thinned_ = false;
};

std::string energy_caption(const record::Record& record) {
  std::vector<std::string> parts;
  for (const SampleSeries& series : record.samples) {
    const SampleSummary summary = summarize(series);
    if (!summary.power_w) continue;
    parts.push_back(summary.energy_j
                        ? format("{}: {} in {} by its energy counter", summary.device,
                                 si(*summary.energy_j, "J"), si(summary.energy_span_s, "s"))
                        : format("{}: no energy counter", summary.device));
  }
  return join(parts, "; ") + ".";
}

}  // namespace

std::vector<chart::Chart> monitor_charts(const record::Record& record) {
  std::vector<chart::Chart> charts;
  TimeChart(record, "Utilisation", "time in use", "%", 100.0)
      .add_all("core", &Sample::core_utilization, &SampleSummary::core_utilization)
      .add_all("memory", &Sample::memory_utilization, &SampleSummary::memory_utilization)
      .finish(charts,
              "Core: share of the driver's last period (1/6 to 1 s) in which at least one kernel"
              " ran, however little of the device it used. Memory: in which device memory was read"
              " or written.",
              103.0);
  TimeChart(record, "Power", "power", "W")
      .add_all("", &Sample::power_w, &SampleSummary::power_w)
      .finish(charts, energy_caption(record));
  TimeChart(record, "Device memory", "used", "B", 1.0, chart::NumberStyle::si)
      .add_all("", &Sample::memory_used_bytes, &SampleSummary::memory_used_bytes)
      .finish(charts, "Of the whole device, all processes together.");
  TimeChart(record, "Clocks", "clock", "MHz", 1e-6)
      .add_all("SM", &Sample::sm_clock_hz, &SampleSummary::sm_clock_hz)
      .add_all("memory", &Sample::memory_clock_hz, &SampleSummary::memory_clock_hz)
      .finish(charts);
  TimeChart(record, "Temperature", "temperature", "°C")
      .add_all("", &Sample::temperature_c, &SampleSummary::temperature_c)
      .finish(charts);
  TimeChart cores(record, "Processor time of the command", "cores busy", "cores");
  for (const SampleSeries& series : record.samples) {
    cores.add(series, series.name, cores_of(series), summarize(series).cores_busy);
  }
  cores.finish(charts,
               "User and system time of the command and its children over the time that passed.");
  TimeChart(record, "Memory of the command", "resident", "B", 1.0, chart::NumberStyle::si)
      .add_all("", &Sample::resident_bytes, &SampleSummary::resident_bytes)
      .finish(charts, "Of the command and its children; pages that they share count in each.");
  return charts;
}

PageSection monitor_section(std::string heading, const record::Record& record, chart::Size size) {
  PageSection section{.heading = std::move(heading)};
  for (chart::Chart& chart : monitor_charts(record)) {
    section.charts.push_back({"", std::move(chart), size});
  }
  return section;
}

}  // namespace rooflab::report
