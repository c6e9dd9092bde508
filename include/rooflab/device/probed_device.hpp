#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::device {

/// A measured figure beside the datasheet's.
struct ProbedFigure {
  MeasuredFigure measured;
  std::optional<double> datasheet;

  [[nodiscard]] std::optional<double> datasheet_share() const;
};

/// Messages of one collective, number of ranks and size, beside the datasheet's one direction.
struct ProbedLink {
  LinkRow measured;
  std::optional<double> datasheet;

  /// What every link must carry, as nccl-tests define it: of an all-reduce 2 (n-1)/n bytes over
  /// time, of a copy bytes over time.
  [[nodiscard]] double bus_bytes_per_s() const;
  [[nodiscard]] std::optional<double> datasheet_share() const;
};

/// The measured ops of one kind.
struct ProbedOps {
  std::string kind;
  OpTable table;

  [[nodiscard]] std::size_t count() const { return table.rows.size(); }
  [[nodiscard]] std::optional<double> shortest_s() const;
  [[nodiscard]] std::optional<double> longest_s() const;
};

/// What `rooflab probe` measured beside the datasheet.
struct ProbedDevice {
  Calibration calibration;
  std::optional<Device> known;  ///< the catalog's; nullopt: none fits

  [[nodiscard]] std::vector<ProbedFigure> figures() const;
  /// Sorted by collective, ranks and size.
  [[nodiscard]] std::vector<ProbedLink> links() const;
  [[nodiscard]] std::vector<ProbedOps> ops() const;
};

[[nodiscard]] std::span<const Field> fields_of(For<ProbedFigure>);
[[nodiscard]] std::span<const Field> fields_of(For<ProbedLink>);
[[nodiscard]] std::span<const Field> fields_of(For<ProbedOps>);
[[nodiscard]] std::span<const Field> fields_of(For<ProbedDevice>);

}  // namespace rooflab::device
