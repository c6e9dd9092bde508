// Time series as lines. A series of more points than `most_points` is cut into equal spans of time,
// of each of which the lowest and the highest sample stay: peaks are what people look for. Where a
// sample lacks the quantity, the line has a gap.

#include <algorithm>
#include <cmath>
#include <functional>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/sample_summary.hpp"
#include "rooflab/report/monitor_view.hpp"
#include "time_unit.hpp"

namespace rooflab::report {
namespace {

using record::Sample;
using record::SampleSeries;

constexpr std::size_t most_points = 1200;  // of one line: as many as the plot has pixels

/// What to draw of a sample, in the axis' unit.
using Quantity = std::function<std::optional<double>(const Sample&)>;

struct TimePoint {
  double time_s = 0.0;
  std::optional<double> value;
};

TimeUnit time_unit_of(const std::vector<SampleSeries>& all) {
  double longest = 0.0;
  for (const SampleSeries& series : all) {
    if (!series.samples.empty()) longest = std::max(longest, series.samples.back().time_s);
  }
  return time_unit_for(longest);
}

template <class Number>
Quantity scaled(std::optional<Number> Sample::*member, double factor) {
  return [member, factor](const Sample& sample) {
    return sample.*member ? std::optional(static_cast<double>(*(sample.*member)) * factor)
                          : std::nullopt;
  };
}

std::vector<TimePoint> points_of(const SampleSeries& series, const Quantity& quantity) {
  std::vector<TimePoint> points;
  for (const Sample& sample : series.samples) points.push_back({sample.time_s, quantity(sample)});
  return points;
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

/// The lowest and the highest of each span, in order of time.
std::vector<TimePoint> thinned(const std::vector<TimePoint>& points) {
  if (points.size() <= most_points) return points;
  const std::size_t spans = most_points / 2;
  std::vector<TimePoint> kept;
  for (std::size_t span = 0; span < spans; ++span) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(span * points.size() / spans);
    const auto end =
        points.begin() + static_cast<std::ptrdiff_t>((span + 1) * points.size() / spans);
    // nullopt is below all values: a gap stays a gap.
    const auto [low, high] = std::minmax_element(
        begin, end, [](const TimePoint& a, const TimePoint& b) { return a.value < b.value; });
    kept.push_back(*std::min(low, high));
    if (low != high) kept.push_back(*std::max(low, high));
  }
  return kept;
}

class ChartBuilder {
 public:
  ChartBuilder(const record::Record& record, std::string title, std::string label, std::string unit)
      : record_(record), time_(time_unit_of(record.samples)) {
    chart_.title = std::move(title);
    chart_.subtitle = record.identity.model;
    chart_.x = {.label = "time", .unit = time_.name};
    chart_.y = {.label = std::move(label), .unit = std::move(unit)};
  }

  /// A line of a series, with its mean in the legend.
  void add(const SampleSeries& series, const std::string& what, const std::vector<TimePoint>& all,
           std::optional<double> mean) {
    if (std::ranges::none_of(all, [](const TimePoint& point) { return point.value.has_value(); })) {
      return;
    }
    if (all.size() > most_points) thinned_ = true;
    std::string name = what.empty() ? series.device : format("{} {}", series.device, what);
    if (mean) name += format(", mean {:.4g} {}", *mean, chart_.y.unit);
    bool joins = false;
    for (const TimePoint& point : thinned(all)) {
      if (point.value && !joins) {
        chart::Series& line = chart_.series.emplace_back();
        line.name = std::exchange(name, "");
        line.color = color_;
        line.joined = true;
        line.marked = false;
      }
      joins = point.value.has_value();
      if (joins) {
        highest_ = std::max(highest_, *point.value);
        chart_.series.back().points.push_back(
            {.x = point.time_s / time_.seconds, .y = *point.value, .weight = 0.0});
      }
    }
    // A value between two gaps is no line.
    for (chart::Series& line : chart_.series) line.marked = line.points.size() == 1;
    ++color_;
  }

  /// A line of each series that has the quantity.
  void add_all(const std::string& what, const Quantity& quantity,
               std::optional<record::SampledFigure> record::SampleSummary::*figure, double factor) {
    for (const SampleSeries& series : record_.samples) {
      const std::optional<record::SampledFigure> summary = record::summarize(series).*figure;
      add(series, what, points_of(series, quantity),
          summary ? std::optional(summary->mean * factor) : std::nullopt);
    }
  }

  void caption(std::string text) { chart_.captions.push_back(std::move(text)); }

  /// Amounts are drawn from zero; a share up to all of it.
  void finish(std::vector<chart::Chart>& charts, std::optional<double> top = std::nullopt) {
    if (chart_.series.empty()) return;
    double last = 0.0;
    for (const SampleSeries& series : record_.samples) {
      if (!series.samples.empty()) last = std::max(last, series.samples.back().time_s);
    }
    chart_.x.range = {0.0, last / time_.seconds};
    const double room = highest_ > 0.0 ? highest_ * 1.06 : 1.0;
    chart_.y.range = {0.0, top.value_or(room)};
    if (thinned_) caption("Drawn with the lowest and highest sample of each short span of time.");
    charts.push_back(std::move(chart_));
  }

 private:
  const record::Record& record_;
  TimeUnit time_;
  chart::Chart chart_;
  int color_ = 0;
  double highest_ = 0.0;
  bool thinned_ = false;
};

std::string energy_caption(const record::Record& record) {
  std::vector<std::string> parts;
  for (const SampleSeries& series : record.samples) {
    const record::SampleSummary summary = record::summarize(series);
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
  using record::SampleSummary;
  std::vector<chart::Chart> charts;

  ChartBuilder utilization(record, "Utilisation", "time in use", "%");
  utilization.add_all("core", scaled(&Sample::core_utilization, 100.0),
                      &SampleSummary::core_utilization, 100.0);
  utilization.add_all("memory", scaled(&Sample::memory_utilization, 100.0),
                      &SampleSummary::memory_utilization, 100.0);
  utilization.caption(
      "Core: share of the driver's last period (1/6 to 1 s) in which at least one kernel ran, "
      "however little of the device it used. Memory: in which device memory was read or written.");
  utilization.finish(charts, 103.0);

  ChartBuilder power(record, "Power", "power", "W");
  power.add_all("", scaled(&Sample::power_w, 1.0), &SampleSummary::power_w, 1.0);
  power.caption(energy_caption(record));
  power.finish(charts);

  ChartBuilder memory(record, "Device memory", "used", "GB");
  memory.add_all("", scaled(&Sample::memory_used_bytes, 1e-9), &SampleSummary::memory_used_bytes,
                 1e-9);
  memory.caption("Of the whole device, all processes together. 1 GB = 1,000,000,000 bytes.");
  memory.finish(charts);

  ChartBuilder clocks(record, "Clocks", "clock", "MHz");
  clocks.add_all("SM", scaled(&Sample::sm_clock_hz, 1e-6), &SampleSummary::sm_clock_hz, 1e-6);
  clocks.add_all("memory", scaled(&Sample::memory_clock_hz, 1e-6), &SampleSummary::memory_clock_hz,
                 1e-6);
  clocks.finish(charts);

  ChartBuilder temperature(record, "Temperature", "temperature", "°C");
  temperature.add_all("", scaled(&Sample::temperature_c, 1.0), &SampleSummary::temperature_c, 1.0);
  temperature.finish(charts);

  ChartBuilder cores(record, "Processor time of the command", "cores busy", "cores");
  for (const SampleSeries& series : record.samples) {
    cores.add(series, series.name, cores_of(series), record::summarize(series).cores_busy);
  }
  cores.caption("User and system time of the command and its children over the time that passed.");
  cores.finish(charts);

  ChartBuilder resident(record, "Memory of the command", "resident", "GB");
  resident.add_all("", scaled(&Sample::resident_bytes, 1e-9), &SampleSummary::resident_bytes, 1e-9);
  resident.caption("Of the command and its children; pages that they share count in each.");
  resident.finish(charts);
  return charts;
}

}  // namespace rooflab::report
