#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/layer_table.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/base/described.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::analyze {

/// Figures of a whole network; those of ops without a rule are left out.
struct NetworkTotals {
  predict::Work work;
  NetworkCount count;
  Bytes saved;  ///< that autograd keeps after the forward pass
};
[[nodiscard]] std::span<const Field> fields_of(For<NetworkTotals>);

/// A network without a device, counted.
struct NetworkSummary {
  std::string model;
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  NetworkTotals totals;
  std::vector<Note> notes;
  std::vector<LayerRow> layers;
};
[[nodiscard]] std::span<const Field> fields_of(For<NetworkSummary>);

/// `model`: the network as the user named it; with a depth its layers are folded (layer_table()).
[[nodiscard]] NetworkSummary summarize_network(const schedule::Schedule& schedule,
                                               std::string model,
                                               std::optional<int> depth = std::nullopt,
                                               std::vector<Note> notes = {});

}  // namespace rooflab::analyze
