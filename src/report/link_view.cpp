#include "rooflab/base/schema.hpp"
#include "rooflab/report/device_report.hpp"
#include "row_table.hpp"

namespace rooflab::report {

Document link_list_report(std::span<const device::Link> links) {
  Document document;
  document.title = "Known links";
  document.tables.push_back(
      table_of<device::Link>(links, {{"id", Shown::always, "link"},
                                     {"name"},
                                     {"bandwidth_bytes_per_s"},
                                     {"latency_s"},
                                     {"multiprocessors"},
                                     {"source", Shown::beside_text},
                                     {"latency_source", Shown::beside_text},
                                     {"multiprocessors_source", Shown::beside_text}}));
  document.notes.emplace_back(
      "latency: of one message between neighbours within a collective, software included;"
      " multiprocessors: those that the collective's kernels keep to themselves. Sources are in the"
      " other formats.");
  document.json = command_json("devices", "links", links);
  return document;
}

}  // namespace rooflab::report
