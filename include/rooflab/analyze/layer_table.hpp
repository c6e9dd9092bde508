#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/graph/shape.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// One row of a layer table: the schedule's ops of one node (or of one scope), folded, with their
/// work.
struct LayerRow : predict::Work {
  std::string name;                          ///< scope path; `(loss)` and `(optimizer)` have none
  std::string op;                            ///< the node's op, or `module` for a folded scope
  std::optional<graph::Shape> output_shape;  ///< shape of the last node in it
  std::int64_t parameters = 0;               ///< elements; a shared one at its first user
  Flops data_gradient_flops;
  Flops weight_gradient_flops;
  std::optional<Seconds> time;                  ///< the limit; nullopt when any of its ops has none
  predict::Bound bound = predict::Bound::none;  ///< bound of the entry that takes longest
  std::optional<double> limit_share;            ///< share of the network's limit
  /// The device's time by a calibrated prediction, all passes; nullopt without one, and for a row
  /// that is not counted.
  std::optional<Seconds> predicted;
  bool counted = false;  ///< holds no op without a cost rule
};
/// Work is null where the row is not counted.
[[nodiscard]] std::span<const Field> fields_of(For<LayerRow>);

/// Rows in the order of the network; loss and optimizer last. With a depth, scopes below that many
/// path components are folded into one row. The limit of a device without figures
/// (device::Device{}) gives costs and no times. The rows' sums are the limit's totals.
[[nodiscard]] std::vector<LayerRow> layer_table(const schedule::Schedule& schedule,
                                                const predict::NetworkLimit& limit,
                                                std::optional<int> depth = std::nullopt);

/// Fills `limit_share` by the limit of the network.
void add_limit_shares(std::vector<LayerRow>& rows, const std::optional<Seconds>& limit);

}  // namespace rooflab::analyze
