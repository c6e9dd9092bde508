#include <algorithm>
#include <array>
#include <utility>

#include "page_parts.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"
#include "row_table.hpp"

namespace rooflab::report {

using analyze::MeasuredCase;

PageSection class_section(std::span<const MeasuredCase> cases) {
  PageSection section{.heading = "Where the time went"};
  for (const MeasuredCase& measured : cases) {
    if (measured.layers.classes.empty()) continue;
    PageBar bar{.label = title_of(measured.record.identity)};
    double sum_s = 0.0;
    for (const analyze::ClassTime& each : measured.layers.classes) {
      sum_s += each.time_s;
      bar.parts.push_back({std::string(name_of(each.op_class)), each.time_s, si(each.time_s, "s")});
    }
    bar.text = si(sum_s, "s");
    section.bars.push_back(std::move(bar));
  }
  chart::Chart chart;
  chart.title = "Time by op class against its limit";
  chart.x = {"limit", "s", chart::Scale::logarithmic, chart::NumberStyle::si, std::nullopt};
  chart.y = {"measured", "s", chart::Scale::logarithmic, chart::NumberStyle::si, std::nullopt};
  chart.captions = {
      "Per step; area: share of the layers' measured time. On the line an op class runs at its"
      " limit; below it, it does less than the limit supposes (another algorithm, a cache)."};
  double low = 0.0;
  double high = 0.0;
  int number = 0;
  for (const MeasuredCase& measured : cases) {
    chart::Series series;
    series.name = title_of(measured.record.identity);
    series.marker = chart::marker_of(number);
    series.color = number++;
    for (const analyze::ClassTime& each : measured.layers.classes) {
      if (!each.limit_s || *each.limit_s <= 0.0 || each.time_s <= 0.0) continue;
      low = low == 0.0 ? *each.limit_s : std::min(low, *each.limit_s);
      high = std::max(high, *each.limit_s);
      series.points.push_back({*each.limit_s,
                               each.time_s,
                               each.time_share,
                               std::string(name_of(each.op_class)),
                               {series.name, format("measured {}", si(each.time_s, "s")),
                                format("limit {}", si(*each.limit_s, "s")),
                                format("{:.1f} % of the time", each.time_share * 100.0)}});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty() || high <= 0.0) return section;
  // Not extended: the axes must reach the line, however far the points lie above it.
  chart.guides.push_back({"measured = limit", {{low / 2.0, low / 2.0}, {2.0 * high, 2.0 * high}}});
  section.charts.push_back({"", std::move(chart)});
  return section;
}

PageSection step_section(std::span<const MeasuredCase> cases) {
  PageSection section{.heading = "Steps"};
  chart::Chart chart;
  chart.title = "Timed steps, each over its case's median";
  chart.x = {.label = "step"};
  chart.y = {.label = "time over median"};
  int number = 0;
  for (const MeasuredCase& measured : cases) {
    if (!measured.steps || measured.steps->median <= 0.0 || measured.steps->count < 2) continue;
    chart::Series series;
    series.name = title_of(measured.record.identity);
    series.marker = chart::marker_of(number);
    series.color = number++;
    series.joined = true;
    double step = 0.0;
    for (const double time_s : measured.record.timing->steps_s) {
      step += 1.0;
      series.points.push_back({step,
                               time_s / measured.steps->median,
                               0.1,
                               "",
                               {series.name, format("step {:.0f}: {}", step, si(time_s, "s"))}});
    }
    chart.series.push_back(std::move(series));
  }
  if (!chart.series.empty()) section.charts.push_back({"", std::move(chart)});
  return section;
}

std::vector<PageSection> sample_sections(std::span<const MeasuredCase> cases) {
  constexpr std::size_t most_cases = 4;
  std::vector<PageSection> sections;
  for (const MeasuredCase& measured : cases) {
    if (measured.record.samples.empty() || sections.size() == most_cases) continue;
    sections.push_back(
        monitor_section(format("While it ran: {}", title_of(measured.record.identity)),
                        measured.record, chart::Size{}));
  }
  return sections;
}

Remarks layer_sum_notes(const MeasuredCase& measured) {
  if (!measured.record.layers) return {};
  const std::vector<std::string> sentences =
      analyze::explain(*measured.record.layers, measured.median_s());
  return {sentences.begin(), sentences.end()};
}

Remarks suspects_of(const MeasuredCase& measured) {
  return remarks_of(measured.warnings, "suspect: ");
}

void add_details(PageSection& section, const MeasuredCase& measured, bool layers_in_text) {
  const record::CaseIdentity& identity = measured.record.identity;
  Remarks notes = layer_sum_notes(measured);
  std::ranges::move(suspects_of(measured), std::back_inserter(notes));
  std::ranges::move(remarks_of(measured.notes), std::back_inserter(notes));
  if (!measured.layers.layers.empty()) {
    section.details.push_back({format("{}: layers", title_of(identity)),
                               measured_layer_table(measured), std::exchange(notes, {}),
                               identity.command, layers_in_text});
  }
  section.details.push_back({format("{}: environment", title_of(identity)),
                             facts_table(to_json(measured.record.environment)), std::move(notes),
                             identity.command});
}

}  // namespace rooflab::report
