#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "counted_section.hpp"
#include "describe/fields.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/report/views.hpp"
#include "roofline_chart.hpp"

namespace rooflab::report {
namespace {

using analyze::CountedLayer;
using analyze::MeasuredCase;

constexpr std::size_t largest_gaps = 5;

}  // namespace

page::Table counted_layer_table(const MeasuredCase& measured) {
  std::vector<CountedLayer> rows;
  std::size_t layers = 0;
  if (measured.counted) {
    rows = measured.counted->layers;
    layers = rows.size();
    if (measured.counted->total.sums.launches > 0) rows.push_back(measured.counted->total);
    if (const auto step = measured.counted->step_sum()) rows.push_back(*step);
  }
  page::Table table = page::table_of(
      std::span<const CountedLayer>(rows),
      page::columns_of(page::titled("node", "layer"), page::in_csv("op"), "launches", "time_s",
                       page::in_bars("time_share"), page::in_csv("fp64_flop"), "fp32_flop",
                       page::in_csv("fp16_flop"), "tensor_flop", page::in_csv("flop"), "model_flop",
                       "flop_ratio", "dram_bytes", "compulsory_bytes", "bytes_ratio",
                       page::if_known("l2_bytes"), "intensity_flop_per_byte", "flop_per_s",
                       "dram_bytes_per_s", page::if_known("bound"),
                       page::if_known("attainable_share"), page::in_csv("attainable_flop_per_s"),
                       page::in_csv("occupancy_share"), page::in_csv("sm_busy_share"),
                       page::in_csv("sm_clock_hz"), "causes", page::in_csv("reasons")));
  table.title = format("Counted: {}", title_of(measured.record.identity));
  const auto first_total = table.rows.begin() + static_cast<std::ptrdiff_t>(layers);
  table.totals.assign(first_total, table.rows.end());
  table.rows.erase(first_total, table.rows.end());
  return table;
}

std::vector<page::Table> counted_gap_tables(const MeasuredCase& measured, std::size_t top) {
  static constexpr auto flop_columns =
      page::columns_of(page::titled("node", "layer"), page::titled("flop", "counted FLOP"),
                       "model_flop", "flop_ratio", "cause", "text");
  static constexpr auto bytes_columns =
      page::columns_of(page::titled("node", "layer"), "dram_bytes", "compulsory_bytes",
                       "bytes_ratio", "cause", "text");
  std::vector<page::Table> tables;
  if (!measured.counted) return tables;
  const auto add = [&](std::string_view what, const std::vector<const CountedLayer*>& layers,
                       std::optional<analyze::Gap> CountedLayer::*gap,
                       std::span<const page::FigureColumn> columns) {
    if (layers.empty()) return;
    std::vector<page::JoinedRow> rows;
    for (const CountedLayer* layer : std::span(layers).first(std::min(top, layers.size()))) {
      rows.emplace_back().of(layer->*gap).of(*layer);
    }
    tables.push_back(page::table_of(rows, columns));
    tables.back().title = format("Largest gaps in {} between counters and model: {}", what,
                                 title_of(measured.record.identity));
  };
  add("FLOPs", measured.counted->largest_flops_gaps(), &CountedLayer::flops_gap, flop_columns);
  add("DRAM bytes", measured.counted->largest_bytes_gaps(), &CountedLayer::bytes_gap,
      bytes_columns);
  return tables;
}

page::Table counted_breach_table(const MeasuredCase& measured) {
  static constexpr auto columns = page::columns_of(
      page::titled("node", "layer"), "modelled", "roof", page::if_known("flop_per_s"),
      page::if_known("peak_flop_per_s"), page::if_known("dram_bytes_per_s"),
      page::if_known("peak_bytes_per_s"), "text");
  std::vector<page::JoinedRow> rows;
  if (measured.counted) {
    for (const CountedLayer& layer : measured.counted->layers) {
      for (const analyze::RoofBreach& breach : layer.breaches) {
        rows.emplace_back().own("node", layer.name).of(breach);
      }
    }
  }
  page::Table table = page::table_of(rows, columns);
  table.title = format("Points above a roof: {}", title_of(measured.record.identity));
  return table;
}

page::PageSection counted_section(std::span<const MeasuredCase> cases) {
  page::PageSection section{.heading = "Counted by the hardware"};
  for (const MeasuredCase& measured : cases) {
    if (!measured.counted) continue;
    const std::string title = title_of(measured.record.identity);
    if (measured.model && measured.model->device.bandwidth && !measured.counted->layers.empty()) {
      analyze::Roofline roofline;
      roofline.device = measured.model->device;
      roofline.l2_bytes_per_s = measured.model->l2_bytes_per_s;
      analyze::add_kernels(roofline, analyze::counted_series(*measured.counted, title));
      if (!roofline.series.front().points.empty()) {
        section.charts.push_back({"", roofline_chart(roofline)});
      }
    }
    for (page::Table& table : counted_gap_tables(measured, largest_gaps)) {
      section.tables.push_back(std::move(table));
    }
    page::add_filled(section.tables, counted_breach_table(measured));
    std::ranges::move(
        page::remarks_of(measured.counted->notes(), cases.size() == 1 ? "" : title + ": "),
        std::back_inserter(section.notes));
    if (!measured.counted->layers.empty()) {
      page::Table layers = counted_layer_table(measured);
      const std::string heading = layers.title;
      section.details.push_back({heading, std::move(layers), {}, measured.record.identity.command});
    }
  }
  return section;
}

}  // namespace rooflab::report
