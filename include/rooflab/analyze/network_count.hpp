#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

/// Ops without a cost rule, by name.
struct UncountedOp {
  std::string op;
  std::int64_t count = 0;
};
[[nodiscard]] std::span<const Field> fields_of(For<UncountedOp>);

/// What a network holds apart from its arithmetic.
struct NetworkCount {
  std::int64_t parameters = 0;  ///< elements; shared ones once
  Bytes parameter_bytes;
  Bytes input_bytes;
  /// Every node's output once, in-place results and inference-time dropout included, views not.
  Bytes activation_bytes;
  std::int64_t counted_nodes = 0;  ///< that compute and have a cost rule
  std::int64_t computing_nodes = 0;
  std::vector<UncountedOp> uncounted;

  /// Nodes with a cost rule over nodes that compute; 1 for an empty network.
  [[nodiscard]] double coverage() const {
    return computing_nodes == 0
               ? 1.0
               : static_cast<double>(counted_nodes) / static_cast<double>(computing_nodes);
  }
};
[[nodiscard]] std::span<const Field> fields_of(For<NetworkCount>);

[[nodiscard]] NetworkCount count_network(const schedule::Schedule& schedule);

}  // namespace rooflab::analyze
