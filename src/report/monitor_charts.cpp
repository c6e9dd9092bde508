// What a monitor saw as lines over time.

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "chart/time_chart.hpp"
#include "rooflab/record/sample.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using record::Sample;
using record::SampledFigure;
using record::SampleSeries;
using record::SampleSummary;

double longest_time_s(const std::vector<SampleSeries>& all) {
  double longest = 0.0;
  for (const SampleSeries& series : all) {
    if (!series.samples.empty()) longest = std::max(longest, series.samples.back().time_s);
  }
  return longest;
}

/// Cores busy between samples, over spans long enough for the kernel's ticks of 10 ms.
std::vector<chart::TimePoint> cores_of(const SampleSeries& series) {
  constexpr double least_span_s = 0.25;
  std::vector<chart::TimePoint> points;
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

/// A chart of one quantity over time of all series.
class MonitorChart {
 public:
  MonitorChart(const record::Record& record, std::string title, std::string label, std::string unit,
               double factor = 1.0, chart::NumberStyle numbers = chart::NumberStyle::plain)
      : record_(record),
        chart_({.title = std::move(title),
                .subtitle = record.identity.model,
                .label = std::move(label),
                .unit = std::move(unit),
                .factor = factor,
                .numbers = numbers},
               longest_time_s(record.samples)) {}

  void add(const SampleSeries& series, const std::string& what,
           const std::vector<chart::TimePoint>& all, std::optional<double> mean) {
    chart_.add(what.empty() ? series.device : format("{} {}", series.device, what), all, mean);
  }

  /// A line of each series that has the quantity.
  template <class Number>
  MonitorChart& add_all(const std::string& what, std::optional<Number> Sample::*quantity,
                        std::optional<SampledFigure> SampleSummary::*figure) {
    for (const SampleSeries& series : record_.samples) {
      std::vector<chart::TimePoint> points;
      for (const Sample& sample : series.samples)
        points.push_back({sample.time_s, sample.*quantity});
      add(series, what, points, mean_of(summarize(series).*figure));
    }
    return *this;
  }

  void finish(std::vector<chart::Chart>& charts, std::string caption = "",
              std::optional<double> top = std::nullopt) {
    chart_.finish(charts, std::move(caption), top);
  }

 private:
  const record::Record& record_;
  chart::TimeChart chart_;
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
  MonitorChart(record, "Utilisation", "time in use", "%", 100.0)
      .add_all("core", &Sample::core_utilization, &SampleSummary::core_utilization)
      .add_all("memory", &Sample::memory_utilization, &SampleSummary::memory_utilization)
      .finish(charts,
              "Core: share of the driver's last period (1/6 to 1 s) in which at least one kernel"
              " ran, however little of the device it used. Memory: in which device memory was read"
              " or written.",
              103.0);
  MonitorChart(record, "Power", "power", "W")
      .add_all("", &Sample::power_w, &SampleSummary::power_w)
      .finish(charts, energy_caption(record));
  MonitorChart(record, "Device memory", "used", "B", 1.0, chart::NumberStyle::si)
      .add_all("", &Sample::memory_used_bytes, &SampleSummary::memory_used_bytes)
      .finish(charts, "Of the whole device, all processes together.");
  MonitorChart(record, "Clocks", "clock", "MHz", 1e-6)
      .add_all("SM", &Sample::sm_clock_hz, &SampleSummary::sm_clock_hz)
      .add_all("memory", &Sample::memory_clock_hz, &SampleSummary::memory_clock_hz)
      .finish(charts);
  MonitorChart(record, "Temperature", "temperature", "°C")
      .add_all("", &Sample::temperature_c, &SampleSummary::temperature_c)
      .finish(charts);
  MonitorChart cores(record, "Processor time of the command", "cores busy", "cores");
  for (const SampleSeries& series : record.samples) {
    cores.add(series, series.name, cores_of(series), summarize(series).cores_busy);
  }
  cores.finish(charts,
               "User and system time of the command and its children over the time that passed.");
  MonitorChart(record, "Memory of the command", "resident", "B", 1.0, chart::NumberStyle::si)
      .add_all("", &Sample::resident_bytes, &SampleSummary::resident_bytes)
      .finish(charts, "Of the command and its children; pages that they share count in each.");
  return charts;
}

page::PageSection monitor_section(std::string heading, const record::Record& record,
                                  chart::Size size) {
  page::PageSection section{.heading = std::move(heading)};
  for (chart::Chart& chart : monitor_charts(record)) {
    section.charts.push_back({"", std::move(chart), size});
  }
  return section;
}

}  // namespace rooflab::report
