#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <string>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// A launch as docs/formats/record.md describes it: its identity, the known figures derived from
/// its counters (work by arithmetic path, DRAM bytes, intensity) and the counters themselves.
struct KernelEntry {
  std::string name;
  std::string process;
  KernelLaunch launch;                   ///< without the numbers of its names
  std::optional<SummedLaunches> summed;  ///< nullopt: one launch
  KernelSums sums;
  std::map<KernelFigure, double> counters;

  KernelEntry() = default;
  /// Takes a row of a table. `tensor_cores`: whether the chip may have them
  /// (may_have_tensor_cores()).
  KernelEntry(const KernelTable& kernels, std::size_t row, bool tensor_cores);
};
[[nodiscard]] std::span<const Field> fields_of(For<KernelEntry>);

[[nodiscard]] Json kernel_json(const KernelTable& kernels, std::size_t row, bool tensor_cores);

/// Adds a launch with its counters.
void add_entry(KernelTable& kernels, const KernelEntry& entry);

/// Fields of all figures that people see; null: not known.
[[nodiscard]] std::span<const Field> fields_of(For<KernelSums>);

/// Writes the file of a record in pieces, for records of millions of kernels and ranges: memory
/// holds one row at a time. The members of `more` come first. docs/formats/record.md.
void write_json(std::ostream& stream, const Record& record, const Json& more = Json::object());

/// Writes a record to a file atomically: a reader never sees a part of it.
void write_record(const std::filesystem::path& path, const Record& record);

}  // namespace rooflab::record
