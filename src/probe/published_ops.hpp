#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "op_description.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::probe {

/// One row of a table as an op of its kind.
struct PublishedRow {
  std::size_t row = 0;  ///< row number in the table
  std::vector<double> sizes;
  double time_s = 0.0;
};

/// Rows of one table by device (id in the catalog) and kind, in the order of the table.
struct PublishedOps {
  std::map<std::string, std::map<std::string, std::vector<PublishedRow>>> ops;
  std::map<std::string, std::vector<device::LinkRow>> links;
};

/// Applies a description to its table. Throws Error (input) at the header where columns are missing
/// or not described, at a cell with a wrong device, number or time, at a row that fits no rule or
/// gives no op, and at a rule that fits no row.
[[nodiscard]] PublishedOps read_published_ops(const OpDescription& description,
                                              const CsvTable& table);

/// Adds the table's rows for `calibration.device`: its ops, thinned and fitted, its links, their
/// origin, and notes. docs/methods/probe.md describes the processing of the rows. `reference`: the
/// calibration that the description names; nullptr if it names none. `progress` receives the
/// fraction done, from several threads in turn. Throws Error (input) when the table has no row for
/// the device.
void add_published_ops(device::Calibration& calibration, const OpDescription& description,
                       const CsvTable& table, const device::Calibration* reference,
                       double multiprocessors, const std::function<void(double)>& progress = {});

}  // namespace rooflab::probe
