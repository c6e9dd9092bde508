#include "link_table.hpp"

#include <algorithm>
#include <tuple>

#include "cells.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/report/device_report.hpp"

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
  Table table;
  table.columns = {{"link", "link", Align::left},
                   {"name", "name", Align::left},
                   {"bandwidth", "one direction"},
                   {"latency_s", "latency"},
                   {"multiprocessors", "multiprocessors"},
                   {"source", "source", Align::left, false, true},
                   {"latency_source", "latency from", Align::left, false, true},
                   {"multiprocessors_source", "multiprocessors from", Align::left, false, true}};
  document.json["schema_version"] = schema_version;
  document.json["command"] = "devices";
  document.json["links"] = Json::array();
  for (const device::Link& link : links) {
    table.rows.push_back({link.id, link.name, si_cell(link.bandwidth, "B/s"),
                          si_cell(link.latency_s, "s"),
                          link.multiprocessors ? count_cell(*link.multiprocessors) : dash(),
                          link.source, link.latency_source, link.multiprocessors_source});
    Json json;
    json["id"] = link.id;
    json["name"] = link.name;
    json["bandwidth"] = link.bandwidth;
    json["latency_s"] = link.latency_s;
    json["multiprocessors"] = json_or_null(link.multiprocessors);
    json["source"] = link.source;
    json["latency_source"] = link.latency_source;
    json["multiprocessors_source"] = link.multiprocessors_source;
    document.json["links"].push_back(std::move(json));
  }
  document.tables.push_back(std::move(table));
  document.notes.emplace_back(
      "latency: of one message between neighbours within a collective, software included;"
      " multiprocessors: those that the collective's kernels keep to themselves. Sources are in the"
      " other formats.");
  return document;
}

}  // namespace rooflab::report
