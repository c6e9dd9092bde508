#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "class_bar.hpp"
#include "page/row_table.hpp"
#include "page_parts.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {

using analyze::MeasuredCase;

page::PageSection class_section(std::span<const MeasuredCase> cases) {
  page::PageSection section{.heading = "Where the time went"};
  for (const MeasuredCase& measured : cases) {
    const ClassTimes times = measured_class_times(measured);
    if (times.empty()) continue;
    const std::string title = title_of(measured.record.identity);
    const ClassTimes predicted =
        measured.model ? predicted_class_times(*measured.model) : ClassTimes{};
    if (!predicted.empty()) section.bars.push_back(class_bar(title + ": predicted", predicted));
    section.bars.push_back(class_bar(title + (predicted.empty() ? "" : ": measured"), times));
  }
  return section;
}

page::PageSection step_section(std::span<const MeasuredCase> cases) {
  page::PageSection section{.heading = "Steps"};
  for (const MeasuredCase& measured : cases) {
    if (!measured.steps || measured.steps->median <= 0.0 || measured.steps->count < 2) continue;
    const record::Timing& timing = *measured.record.timing;
    section.spreads.push_back({.label = title_of(measured.record.identity),
                               .values = timing.steps_s,
                               .median = measured.steps->median,
                               .low = measured.steps->median_low,
                               .high = measured.steps->median_high,
                               .text = si(measured.steps->median, "s"),
                               .remark = format("first call {}", si(timing.first_call_s, "s", 3))});
  }
  return section;
}

namespace {

/// The curve of a chart's first line, with what the legend says of it.
chart::Spark spark_of(const chart::Chart& chart) {
  const std::string& name = chart.series.front().name;  // `cpu rooflab-torch, mean 0.47 cores`
  const std::size_t mean = name.rfind(", ");
  chart::Spark spark{.label = format("{}: {}", lowercase(chart.title),
                                     mean == std::string::npos ? name : name.substr(mean + 2)),
                     .values = {}};
  for (const chart::Point& point : chart.series.front().points) spark.values.push_back(point.y);
  return spark;
}

}  // namespace

page::PageSection sample_section(std::span<const MeasuredCase> cases) {
  constexpr std::size_t most_cases = 8;
  constexpr std::size_t most_sparks = 2;
  constexpr chart::Size size = {1200, 320};
  page::PageSection section{.heading = "While it ran"};
  for (const MeasuredCase& measured : cases) {
    if (measured.record.samples.empty() || section.details.size() == most_cases) continue;
    page::PageDetail detail{.heading = title_of(measured.record.identity)};
    for (chart::Chart& chart : monitor_charts(measured.record)) {
      if (detail.sparks.size() < most_sparks) detail.sparks.push_back(spark_of(chart));
      detail.charts.push_back({"", std::move(chart), size});
    }
    if (!detail.charts.empty()) section.details.push_back(std::move(detail));
  }
  return section;
}

page::Remarks layer_sum_notes(const MeasuredCase& measured) {
  if (!measured.record.layers) return {};
  const std::vector<std::string> sentences =
      analyze::explain(*measured.record.layers, measured.median_s());
  return {sentences.begin(), sentences.end()};
}

page::Remarks suspects_of(const MeasuredCase& measured) {
  return page::remarks_of(measured.warnings, "suspect: ");
}

void add_details(page::PageSection& section, const MeasuredCase& measured, bool layers_in_text) {
  const record::CaseIdentity& identity = measured.record.identity;
  page::Remarks notes = layer_sum_notes(measured);
  std::ranges::move(suspects_of(measured), std::back_inserter(notes));
  std::ranges::move(page::remarks_of(measured.notes), std::back_inserter(notes));
  if (!measured.layers.layers.empty()) {
    section.details.push_back({format("{}: layers", title_of(identity)),
                               measured_layer_table(measured), std::exchange(notes, {}),
                               identity.command, layers_in_text});
  }
  section.details.push_back({format("{}: environment", title_of(identity)),
                             page::facts_table(to_json(measured.record.environment)),
                             std::move(notes), identity.command});
}

}  // namespace rooflab::report
