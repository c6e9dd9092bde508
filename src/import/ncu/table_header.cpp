#include "table_header.hpp"

#include <algorithm>

namespace rooflab::import::ncu {

std::optional<TableHeader> table_header_from(std::span<const std::string_view> row) {
  TableHeader header;
  header.columns.assign(row.begin(), row.end());
  const auto column = [&](std::string_view name) {
    const auto found = std::ranges::find(row, name);
    return found == row.end() ? TableHeader::none : static_cast<std::size_t>(found - row.begin());
  };
  header.id = column("ID");
  header.process_id = column("Process ID");
  header.process_name = column("Process Name");
  header.host = column("Host Name");
  header.kernel = column("Kernel Name");
  header.stream = column("Stream");
  header.block = column("Block Size");
  header.grid = column("Grid Size");
  header.device = column("Device");
  header.capability = column("CC");
  header.metric_name = column("Metric Name");
  header.metric_unit = column("Metric Unit");
  header.metric_value = column("Metric Value");
  if (header.id == TableHeader::none || header.process_id == TableHeader::none ||
      header.kernel == TableHeader::none) {
    return std::nullopt;
  }
  if (header.metric_name != TableHeader::none) {
    header.page = Page::details;
    if (header.metric_value == TableHeader::none) return std::nullopt;
  }
  return header;
}

}  // namespace rooflab::import::ncu
