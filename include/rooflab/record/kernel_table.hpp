#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/kernel_figure.hpp"

namespace rooflab {
class Json;
class JsonValue;
}  // namespace rooflab

namespace rooflab::record {

/// Texts stored once, so that a table of a million rows has numbers instead of kernel names.
class NameTable {
 public:
  using Id = std::uint32_t;

  NameTable() = default;
  NameTable(const NameTable& other);
  NameTable(NameTable&& other) noexcept = default;
  NameTable& operator=(const NameTable& other);
  NameTable& operator=(NameTable&& other) noexcept = default;
  ~NameTable() = default;

  /// Returns the number of `name`, adding it if it is new. Numbers count from 0.
  Id intern(std::string_view name);

  /// The text of a number; the reference is valid while the table lives.
  [[nodiscard]] const std::string& operator[](Id id) const { return names_[id]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  ///< never moves its elements
  std::unordered_map<std::string_view, Id> ids_;
};

/// Encodes the texts as a list.
[[nodiscard]] Json encode_json(const NameTable& names);
[[nodiscard]] Json schema_of_json(For<NameTable>);
void decode_json(NameTable& names, const JsonValue& from);

/// Extent of a grid or block; {0, 0, 0}: not known.
using Extent = std::array<std::uint32_t, 3>;

/// Identity of one launch, without its figures.
struct KernelLaunch {
  NameTable::Id name = 0;     ///< in KernelTable::names
  NameTable::Id process = 0;  ///< in KernelTable::processes
  std::int64_t launch = 0;    ///< the tool's number: ncu's ID, a trace's correlation
  std::int32_t device = 0;
  std::int32_t stream = 0;
  Extent grid = {};
  Extent block = {};
  std::optional<std::int64_t> start_ns = {};  ///< on the trace's clock; nullopt from counters
  /// Number of the framework's op that launched it (External id); 0: none or not known.
  std::int64_t external_id = 0;
};

/// What a tool tells of all launches of a kernel together: the row has their sums.
struct SummedLaunches {
  std::int64_t launches = 0;
  double shortest_s = 0.0;
  double longest_s = 0.0;
};
[[nodiscard]] std::span<const Field> fields_of(For<SummedLaunches>);

/// Kernel launches in the order of the file, their figures by columns: a million rows take about
/// 100 bytes each. A figure that no row has takes no memory. A figure that was not collected is not
/// zero.
class KernelTable {
 public:
  NameTable names;      ///< names of kernels, as the tool prints them
  NameTable processes;  ///< `python3 (2191 on host)`; one for a trace

  /// Adds a row; its figures are set afterwards. Returns its number.
  std::size_t add(const KernelLaunch& launch);
  void set(KernelFigure figure, std::size_t row, double value);
  /// Makes a row that was added before one of several launches.
  void set_summed(std::size_t row, const SummedLaunches& launches) { summed_[row] = launches; }
  /// Sets the launching op of a row that was added before.
  void set_external_id(std::size_t row, std::int64_t external_id);

  /// Removes the zeros of a figure in rows whose time is not 0, and returns their number.
  std::size_t forget_zeros(KernelFigure figure);

  /// Reserves memory for `rows` rows with the figures that some row has now.
  void reserve(std::size_t rows);

  [[nodiscard]] std::size_t size() const { return launches_.size(); }
  [[nodiscard]] bool empty() const { return launches_.empty(); }
  [[nodiscard]] const KernelLaunch& launch(std::size_t row) const { return launches_[row]; }
  [[nodiscard]] NameTable::Id name_id(std::size_t row) const { return launches_[row].name; }
  [[nodiscard]] const std::string& name(std::size_t row) const { return names[name_id(row)]; }
  /// Process of a row; empty: not known.
  [[nodiscard]] std::string_view process(std::size_t row) const {
    const NameTable::Id id = launches_[row].process;
    return id < processes.size() ? std::string_view(processes[id]) : "";
  }

  /// The launches that a row sums up; nullopt: it is one launch.
  [[nodiscard]] std::optional<SummedLaunches> summed(std::size_t row) const {
    const auto found = summed_.find(row);
    return found == summed_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Value of a figure in a row; nullopt: not collected for this row.
  [[nodiscard]] std::optional<double> at(KernelFigure figure, std::size_t row) const;
  /// Whether some row has the figure.
  [[nodiscard]] bool has(KernelFigure figure) const { return !column(figure).empty(); }
  /// Number of rows that have the figure.
  [[nodiscard]] std::size_t count(KernelFigure figure) const;
  /// Sum over the rows that have the figure; nullopt when none has.
  [[nodiscard]] std::optional<double> sum(KernelFigure figure) const;

  /// Appends the rows of another table.
  void append(const KernelTable& other);

 private:
  static constexpr double absent = std::numeric_limits<double>::quiet_NaN();

  [[nodiscard]] const std::vector<double>& column(KernelFigure figure) const {
    return figures_[static_cast<std::size_t>(figure)];
  }

  std::vector<KernelLaunch> launches_;
  std::map<std::size_t, SummedLaunches> summed_;
  /// Values by row, up to the last row that has the figure (the rest is absent); empty: none has
  /// it.
  std::array<std::vector<double>, values_of<KernelFigure>.size()> figures_;
};

}  // namespace rooflab::record
