#include "counted_section.hpp"

#include "rooflab/analyze/counted_series.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/report/measure_view.hpp"
#include "rooflab/report/roofline_chart.hpp"

namespace rooflab::report {

using analyze::MeasuredCase;

PageSection counted_section(std::span<const MeasuredCase> cases) {
  constexpr std::size_t largest_gaps = 5;
  PageSection section{.heading = "Counted by the hardware"};
  for (const MeasuredCase& measured : cases) {
    if (!measured.counted) continue;
    const std::string title = title_of(measured.record.identity);
    if (measured.model && measured.model->device.bandwidth && !measured.counted->layers.empty()) {
      analyze::Roofline roofline;
      roofline.device = measured.model->device;
      analyze::add_kernels(roofline, analyze::counted_series(*measured.counted, title));
      if (!roofline.series.front().points.empty()) {
        section.charts.push_back({"", roofline_chart(roofline)});
      }
    }
    for (Table table :
         {counted_gap_table(measured, largest_gaps), counted_breach_table(measured)}) {
      if (!table.rows.empty()) section.tables.push_back(std::move(table));
    }
    for (const std::string& note : counted_notes(measured)) {
      section.notes.push_back(cases.size() == 1 ? note : format("{}: {}", title, note));
    }
    if (!measured.counted->layers.empty()) {
      Table layers = counted_layer_table(measured);
      const std::string heading = layers.title;
      section.details.push_back({heading, std::move(layers), {}, measured.record.identity.command});
    }
  }
  return section;
}

}  // namespace rooflab::report
