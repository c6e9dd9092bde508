#include "page/row_table.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {

page::Document link_list_report(std::span<const device::Link> links) {
  page::Document document =
      page::list_of("Known links", "devices", "links", links,
                    page::columns_of(page::titled("id", "link"), "name", "bandwidth_bytes_per_s",
                                     "latency_s", "multiprocessors", page::beside_text("source"),
                                     page::beside_text("latency_source"),
                                     page::beside_text("multiprocessors_source")));
  document.notes.emplace_back(
      "latency: of one message between neighbours within a collective, software included;"
      " multiprocessors: those that the collective's kernels keep to themselves. Sources are in the"
      " other formats.");
  return document;
}

}  // namespace rooflab::report
