#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch_list.hpp"

namespace rooflab::import::ncu {

/// Columns of a table, by their names. The order and the number differ between versions of ncu:
/// old ones have no Device, CC, Block Size and Grid Size, some have Kernel Time or NVTX ranges.
struct TableHeader {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Page page = Page::raw;
  std::vector<std::string> columns;
  std::size_t id = none;
  std::size_t process_id = none;
  std::size_t process_name = none;
  std::size_t host = none;
  std::size_t kernel = none;
  std::size_t stream = none;
  std::size_t block = none;
  std::size_t grid = none;
  std::size_t device = none;
  std::size_t capability = none;
  // Columns of the details page.
  std::size_t metric_name = none;
  std::size_t metric_unit = none;
  std::size_t metric_value = none;
};

/// Parses the header of a table; nullopt: not a table of kernel launches.
[[nodiscard]] std::optional<TableHeader> table_header_from(std::span<const std::string_view> row);

}  // namespace rooflab::import::ncu
