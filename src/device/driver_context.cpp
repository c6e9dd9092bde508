// data/driver_contexts.toml, read once, and the row that is a device's.

#include "driver_context.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <vector>

#include "base/format.hpp"
#include "base/toml.hpp"
#include "rooflab/system/file.hpp"
#include "sourced_figure.hpp"

namespace rooflab::device {

std::span<const EmbeddedFile> built_in_context_files();  // written by cmake/embed.cmake

namespace {

/// Contexts on devices of some architectures, under some drivers.
struct ContextRow {
  std::string vendor;
  std::vector<std::string> architectures;
  std::optional<std::int64_t> least_driver;   ///< branch: 515
  std::optional<std::int64_t> driver_before;  ///< branch that it is not for any more
  DriverContext context;

  [[nodiscard]] bool is_for(const Device& device, std::optional<std::int64_t> driver) const {
    if (device.vendor != vendor ||
        std::ranges::find(architectures, device.architecture) == architectures.end()) {
      return false;
    }
    return !driver || ((!least_driver || *driver >= *least_driver) &&
                       (!driver_before || *driver < *driver_before));
  }
};

ContextRow read_row(const TomlTable& table) {
  constexpr std::array sizes = {Unit{"GB", 1e9}};
  table.allow_only(
      {"vendor", "architectures", "least_driver", "driver_before", "expected", "most"});
  ContextRow row;
  row.vendor = table.filled_string("vendor");
  row.architectures = table.strings("architectures");
  row.least_driver = table.optional_integer("least_driver");
  row.driver_before = table.optional_integer("driver_before");
  row.context.expected = read_sourced_figure(table.table("expected"), sizes).first;
  std::tie(row.context.most, row.context.source) = read_sourced_figure(table.table("most"), sizes);
  return row;
}

std::vector<ContextRow> read_rows() {
  std::vector<ContextRow> rows;
  for (const EmbeddedFile& file : built_in_context_files()) {
    const TomlTable root = parse_toml(file.text, format("built-in {}", file.name));
    for (const TomlValue& element : root.at("contexts").as_array()) {
      rows.push_back(read_row(element.as_table()));
    }
  }
  return rows;
}

/// `580.65.06` is of branch 580.
std::optional<std::int64_t> branch_of(const std::string& driver) {
  return parse_integer(driver.substr(0, driver.find('.')));
}

}  // namespace

std::optional<DriverContext> driver_context(const Device& device) {
  static const std::vector<ContextRow> rows = read_rows();
  const std::optional<std::int64_t> driver = branch_of(device.driver);
  std::optional<DriverContext> found;
  std::optional<std::int64_t> newest;
  for (const ContextRow& row : rows) {
    if (!row.is_for(device, driver)) continue;
    if (!found) {
      found = row.context;
      newest = row.least_driver;
      continue;
    }
    if (row.least_driver > newest) {
      found->expected = row.context.expected;
      newest = row.least_driver;
    }
    if (row.context.most > found->most) {
      found->most = row.context.most;
      found->source = row.context.source;
    }
  }
  return found;
}

}  // namespace rooflab::device
