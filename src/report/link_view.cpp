#include "rooflab/report/device_report.hpp"
#include "row_table.hpp"

namespace rooflab::report {

Document link_list_report(std::span<const device::Link> links) {
  Document document = list_of("Known links", "devices", "links", links,
                              {{"id", Shown::always, "link"},
                               {"name"},
                               {"bandwidth_bytes_per_s"},
                               {"latency_s"},
                               {"multiprocessors"},
                               {"source", Shown::beside_text},
                               {"latency_source", Shown::beside_text},
                               {"multiprocessors_source", Shown::beside_text}});
  document.notes.emplace_back(
      "latency: of one message between neighbours within a collective, software included;"
      " multiprocessors: those that the collective's kernels keep to themselves. Sources are in the"
      " other formats.");
  return document;
}

}  // namespace rooflab::report
