#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/graph/op.hpp"
#include "rooflab/graph/op_kinds.hpp"
#include "rooflab/graph/shape.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::analyze {

using graph::OpClass;

[[nodiscard]] OpClass op_class_of(const graph::Op& op);

/// The row of the device's pauses between kernels, in the layers of a prediction.
inline constexpr std::string_view gaps_row = "(gaps)";

/// Class of a row without a node in a layer table: `(loss)`, `(optimizer)`; else `other`.
[[nodiscard]] OpClass op_class_of_row(std::string_view name);

/// One row of a layer table: the schedule's ops of one node (or of one scope), folded, with their
/// work.
struct LayerRow : predict::Work {
  std::string name;                          ///< scope path; `(loss)` and `(optimizer)` have none
  std::string op;                            ///< the node's op, or `module` for a folded scope
  OpClass op_class = OpClass::other;         ///< a folded scope has its first op's
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
  /// sd of the logarithm of `predicted`; errors of its ops go together. nullopt without one.
  std::optional<double> deviation;
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
  /// Output of every layer with parameters of its own; nullopt: read from a file without it.
  std::optional<Bytes> parameter_layer_bytes;
  std::int64_t counted_nodes = 0;  ///< that compute and have a cost rule
  std::int64_t computing_nodes = 0;
  std::vector<UncountedOp> uncounted;

  /// What torchsummary and torchinfo call the forward/backward pass size: a layer's output counts
  /// once for each direction. Sources: github.com/sksq96/pytorch-summary, torchsummary.py;
  /// github.com/TylerYep/torchinfo, model_statistics.py.
  [[nodiscard]] Bytes torchsummary_pass() const { return activation_bytes * 2; }
  [[nodiscard]] std::optional<Bytes> torchinfo_pass() const {
    return parameter_layer_bytes ? std::optional(*parameter_layer_bytes * 2) : std::nullopt;
  }

  /// Nodes with a cost rule over nodes that compute; 1 for an empty network.
  [[nodiscard]] double coverage() const {
    return computing_nodes == 0
               ? 1.0
               : static_cast<double>(counted_nodes) / static_cast<double>(computing_nodes);
  }
};
[[nodiscard]] std::span<const Field> fields_of(For<NetworkCount>);

[[nodiscard]] NetworkCount count_network(const schedule::Schedule& schedule);

/// Figures of a whole network; those of ops without a rule are left out.
struct NetworkTotals {
  predict::Work work;
  NetworkCount count;
  Bytes saved;  ///< that autograd keeps after the forward pass
  /// Largest sum of tensors that are alive at once in the phase. What a device needs beside them
  /// (workspace, context, the allocator's segments) is not in it.
  Bytes allocated_peak;
  std::optional<Bytes> cache;  ///< MemoryEstimate::cache
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
