#include "link_table.hpp"

#include <algorithm>
#include <tuple>

#include "cells.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/report/device_report.hpp"
#include "row_table.hpp"

namespace rooflab::report {
namespace {

using device::LinkRow;

double bus_bandwidth(const LinkRow& row) {
  const double sent = row.collective == "all_reduce" ? 2.0 * (row.ranks - 1) / row.ranks : 1.0;
  return sent * row.bytes / row.time_s;
}

/// The datasheet's, one direction.
std::optional<double> datasheet_of(const device::Device* known) {
  const device::Link* const link = known == nullptr ? nullptr : device::link_of(*known);
  return link == nullptr ? std::nullopt : std::optional(link->bandwidth);
}

std::vector<LinkRow> sorted(std::vector<LinkRow> rows) {
  std::ranges::stable_sort(rows, {}, [](const LinkRow& row) {
    return std::tuple(row.collective, row.ranks, row.bytes);
  });
  return rows;
}

}  // namespace

Table link_table(const device::Calibration& calibration, const device::Device* known) {
  Table table;
  table.title = "Links";
  table.columns = {{"collective", "collective", Align::left},
                   {"ranks", "ranks"},
                   {"bytes", "message"},
                   {"time_s", "time"},
                   {"bus_bandwidth", "bus bandwidth"},
                   {"fraction", "of the datasheet's"}};
  for (const LinkRow& row : sorted(calibration.links)) {
    table.rows.push_back(
        {row.collective == "all_reduce" ? Cell("all-reduce", row.collective) : Cell(row.collective),
         count_cell(row.ranks), si_cell(row.bytes, "B"), si_cell(row.time_s, "s"),
         si_cell(bus_bandwidth(row), "B/s"),
         optional_percent(quotient(bus_bandwidth(row), datasheet_of(known)))});
  }
  return table;
}

Json link_rows_json(const device::Calibration& calibration, const device::Device* known) {
  Json rows = Json::array();
  for (const LinkRow& row : sorted(calibration.links)) {
    Json json;
    json["collective"] = row.collective;
    json["ranks"] = row.ranks;
    json["bytes"] = row.bytes;
    json["time_s"] = row.time_s;
    json["bus_bandwidth"] = bus_bandwidth(row);
    json["fraction"] = json_or_null(quotient(bus_bandwidth(row), datasheet_of(known)));
    rows.push_back(std::move(json));
  }
  return rows;
}

Document link_list_report(std::span<const device::Link> links) {
  Document document;
  document.title = "Known links";
  document.tables.push_back(
      table_of(links, {{"id", Shown::always, "link"},
                       {"name"},
                       {"bandwidth_bytes_per_s", Shown::always, "one direction"},
                       {"latency_s"},
                       {"multiprocessors"},
                       {"source", Shown::beside_text},
                       {"latency_source", Shown::beside_text},
                       {"multiprocessors_source", Shown::beside_text}}));
  document.json = command_json("devices", "links", links);
  document.notes.emplace_back(
      "latency: of one message between neighbours within a collective, software included;"
      " multiprocessors: those that the collective's kernels keep to themselves. Sources are in the"
      " other formats.");
  return document;
}

}  // namespace rooflab::report
