#include "rooflab/report/views.hpp"
#include "row_table.hpp"

namespace rooflab::report {

Document link_list_report(std::span<const device::Link> links) {
  Document document =
      list_of("Known links", "devices", "links", links,
              columns_of(titled("id", "link"), "name", "bandwidth_bytes_per_s", "latency_s",
                         "multiprocessors", beside_text("source"), beside_text("latency_source"),
                         beside_text("multiprocessors_source")));
  document.notes.emplace_back(
      "latency: of one message between neighbours within a collective, software included;"
      " multiprocessors: those that the collective's kernels keep to themselves. Sources are in the"
      " other formats.");
  return document;
}

}  // namespace rooflab::report
