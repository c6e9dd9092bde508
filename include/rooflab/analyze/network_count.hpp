#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/note.hpp"
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
  std::string name = {};              ///< scope path; `(loss)` and `(optimizer)` have none
  std::string op = {};                ///< the node's op, or `module` for a folded scope
  OpClass op_class = OpClass::other;  ///< for a folded scope the class of its first op
  std::optional<graph::Shape> output_shape = {};  ///< shape of the last node in it
  std::int64_t parameters = 0;  ///< elements; shared ones count at their first user
  Flops data_gradient_flops = {};
  Flops weight_gradient_flops = {};
  std::optional<Seconds> time = {};             ///< limit; nullopt when any op of the row has none
  predict::Bound bound = predict::Bound::none;  ///< bound of the entry that takes longest
  std::optional<double> limit_share = {};       ///< share of the network's limit
  /// The device's time by a calibrated prediction, all passes; nullopt without one, and for a row
  /// that is not counted.
  std::optional<Seconds> predicted = {};
  /// Standard deviation of log(`predicted`); errors of the row's ops are taken as fully correlated.
  /// nullopt without a prediction.
  std::optional<double> deviation = {};
  bool counted = false;  ///< all ops have a cost rule
};
/// Fields in JSON; work is null where the row is not counted.
[[nodiscard]] std::span<const Field> fields_of(For<LayerRow>);

/// Rows in the order of the network; loss and optimizer last. With a depth, scopes below that many
/// path components are folded into one row. The limit of a device without figures
/// (device::Device{}) gives costs but no times. The rows sum to the limit's totals.
[[nodiscard]] std::vector<LayerRow> layer_table(const schedule::Schedule& schedule,
                                                const predict::NetworkLimit& limit,
                                                std::optional<int> depth = std::nullopt);

/// Fills `limit_share` by the limit of the network.
void add_limit_shares(std::vector<LayerRow>& rows, const std::optional<Seconds>& limit);

/// Ops without a cost rule, by name.
struct UncountedOp {
  std::string op = {};
  std::int64_t count = 0;
};
[[nodiscard]] std::span<const Field> fields_of(For<UncountedOp>);

/// Parameters and activations of a network.
struct NetworkCount {
  std::int64_t parameters = 0;  ///< elements; shared ones count once
  Bytes parameter_bytes = {};
  Bytes input_bytes = {};
  /// Outputs of all nodes, each once: including in-place results and dropout at inference, without
  /// views.
  Bytes activation_bytes = {};
  /// Outputs of all layers with own parameters; nullopt: read from a file without this figure.
  std::optional<Bytes> parameter_layer_bytes = {};
  std::int64_t counted_nodes = 0;  ///< nodes that compute and have a cost rule
  std::int64_t computing_nodes = 0;
  std::vector<UncountedOp> uncounted = {};

  /// The forward/backward pass size of torchsummary and torchinfo: a layer's output counts once for
  /// each direction. Sources: github.com/sksq96/pytorch-summary, torchsummary.py;
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

/// Figures of a whole network without the ops that have no rule.
struct NetworkTotals {
  predict::Work work = {};
  NetworkCount count = {};
  Bytes saved = {};  ///< tensors that autograd keeps after the forward pass
  /// Largest sum of tensors that are alive at once in the phase, without workspace, context and the
  /// allocator's segments.
  Bytes allocated_peak = {};
  std::optional<Bytes> cache = {};  ///< MemoryEstimate::cache
};
[[nodiscard]] std::span<const Field> fields_of(For<NetworkTotals>);

/// Counts of a network without a device.
struct NetworkSummary {
  std::string model = {};
  std::int64_t batch = 1;
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  NetworkTotals totals = {};
  std::vector<Note> notes = {};
  std::vector<LayerRow> layers = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<NetworkSummary>);

/// Counts a network. `model`: the network as the user named it; a depth folds its layers
/// (layer_table()).
[[nodiscard]] NetworkSummary summarize_network(const schedule::Schedule& schedule,
                                               std::string model,
                                               std::optional<int> depth = std::nullopt,
                                               std::vector<Note> notes = {});

}  // namespace rooflab::analyze
