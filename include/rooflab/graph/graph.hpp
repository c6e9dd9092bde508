#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/precision.hpp"
#include "rooflab/graph/op.hpp"
#include "rooflab/graph/shape.hpp"

namespace rooflab::graph {

using ValueId = std::int32_t;
using NodeId = std::int32_t;

/// The place of a value or node in its list.
[[nodiscard]] constexpr std::size_t index_of(std::int32_t id) {
  return static_cast<std::size_t>(id);
}

/// Kind of a value.
enum class ValueKind : std::uint8_t {
  input,      ///< given at every step
  parameter,  ///< trained; counted as a parameter
  buffer,     ///< kept but not trained: running statistics
  constant,   ///< fixed data in the file: masks, position indices
  result,     ///< written by a node
};

/// Element type and extents.
struct TensorType {
  DType dtype = DType::f32;
  Shape shape = {};

  /// Bytes when dense.
  [[nodiscard]] std::int64_t bytes() const { return shape.elements() * size_of(dtype); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// The elements of a constant in C order.
struct ConstantData {
  std::vector<std::int64_t> integers = {};  ///< elements of integer types; booleans are 0 and 1
  std::vector<double> numbers = {};         ///< elements of floating types
  friend bool operator==(const ConstantData&, const ConstantData&) = default;
};

struct Value {
  std::string name = {};  ///< unique in the graph; parameters by their framework name
  ValueKind kind = ValueKind::result;
  TensorType type = {};
  NodeId producer = -1;  ///< for results
  /// Elements of a constant that the network itself fixes (position indices, masks, scales); equal
  /// constants may share them. Others get their data from a file or at random.
  std::shared_ptr<const ConstantData> data{};
};

struct Node {
  std::string name = {};  ///< unique scope path: `layer1.0.conv1`
  Op op = {};
  std::vector<ValueId> inputs = {};
  std::vector<ValueId> outputs = {};
  /// A side path that is run in training only and whose result the evaluated network drops
  /// (auxiliary classifiers). Skipped by the inference phase; its parameters still count.
  bool training_only = false;
  /// Values that a local variable of the caller holds while this node runs, in addition to its
  /// inputs: they live until the node has run. They are not arguments of a module, so scopes do not
  /// show them.
  std::vector<ValueId> holds{};
  /// Class of issue cost, where the framework runs more for this node than for the op's own class:
  /// `einsum`, a product that is written as one; `shift_mask`, an addition of a mask that is made
  /// anew each time. Issue costs without the class use the op's own class.
  std::string issued_as{};
};

/// A network: values and nodes, nodes in topological order. Shapes are concrete; dimension 0 of the
/// inputs is the batch. A value type: copying is cheap enough for every rewrite to return a new
/// one.
struct Graph {
  std::string name = {};
  std::vector<Value> values = {};
  std::vector<Node> nodes = {};
  std::vector<ValueId> inputs = {};   ///< values of kind input
  std::vector<ValueId> outputs = {};  ///< results of evaluation, the main result first

  [[nodiscard]] const Value& value(ValueId id) const {
    return values[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Value& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const TensorType& type(ValueId id) const { return value(id).type; }

  /// Samples per step where the first input does not show them (recordings).
  std::optional<std::int64_t> samples{};

  /// `samples`, else the extent of dimension 0 of the first input; 1 for a graph without inputs.
  [[nodiscard]] std::int64_t batch() const;

  /// Elements of all parameters; shared ones once.
  [[nodiscard]] std::int64_t parameter_elements() const;
};

/// Types of a node's outputs from its op and its inputs' types. Throws Error (input) that names the
/// operand at fault when they do not fit.
[[nodiscard]] std::vector<TensorType> infer_types(const Op& op, std::span<const TensorType> inputs);

/// Infers every result's type again, in order, after a change of inputs; throws Error (input) with
/// the node's name.
void infer_all_types(Graph& graph);

/// Possible cuts of a network into stages: ids of nodes, in order, before which a stage may begin.
/// No cut lies between two readers of one parameter or buffer, which both stages would have to
/// train and keep equal, or within a side path that runs in training only.
[[nodiscard]] std::vector<NodeId> possible_cuts(const Graph& graph);

/// The nodes from `begin` to before `end` as a separate network, verified.
///
/// Its inputs are those of the network's that it reads, then the values that earlier nodes computed
/// for it, named after the value. Its outputs are what later nodes or the network's caller need,
/// the network's own first. Parameters, buffers and constants are those that it reads. An op that
/// works in place on a value from outside gets a separate result, because a sent value must not be
/// overwritten.
///
/// Throws Error (input) when a range cannot be a stage: nothing of it is needed outside, it is not
/// between possible_cuts(), or it is empty; the message names the value or node.
[[nodiscard]] Graph stage_of(const Graph& graph, NodeId begin, NodeId end);

/// Throws Error (usage) for cuts that do not rise or lie outside the network.
void check_cuts(const Graph& graph, std::span<const NodeId> cuts);

/// The stages between the cuts, one more than there are cuts. Throws what check_cuts() and
/// stage_of() throw.
///
///     std::vector<Graph> stages = stages_of(g, std::array{NodeId{30}});
[[nodiscard]] std::vector<Graph> stages_of(const Graph& graph, std::span<const NodeId> cuts);

/// The network in another precision.
///
/// fp64, fp16, bf16: every floating value takes that type. fp32, tf32: unchanged (TF32 is a way of
/// multiplying). amp-fp16, amp-bf16: PyTorch's CUDA autocast to that type as Cast nodes in the
/// graph: operands of matrix ops are cast to it (a parameter once), those of the fp32 list (layer
/// norm, softmax, exp, pow, ...) to fp32, those of the widest list to fp32 when one of them is
/// fp32; everything else keeps the types it gets and promotes. amp: bf16, because no device is
/// known here (see device::precision_on). Source: PyTorch documentation, "Automatic Mixed Precision
/// package: CUDA Ops that autocast".
[[nodiscard]] Graph with_precision(const Graph& graph, Precision precision);

/// Precision of a network by its types (docs/formats/onnx.md, "Precision"). `mixed`: several types,
/// or none that a precision is named after.
[[nodiscard]] Precision precision_of(const Graph& graph);

/// Precision after with_precision(): the one that was asked for, or the network's own where its
/// types cannot take that one.
[[nodiscard]] Precision precision_in(const Graph& graph, Precision asked);

/// Whether a network can have a precision: a type changes, or it is the network's own.
[[nodiscard]] bool takes_precision(const Graph& graph, Precision asked);

/// Changes the batch size of a network: dimension 0 of every input becomes `batch`, and the
/// attributes that hold the old batch (Reshape, Expand, Resize, Generate targets) follow. For a
/// built-in network the result equals building it with that batch.
///
/// Throws Error (usage) for batch < 1 and Error (input), naming the node, when an op of an imported
/// file fixes the batch in a way that cannot be changed.
[[nodiscard]] Graph rebatch(const Graph& graph, std::int64_t batch);

/// Result of swapping every ReLU that feeds only a max pooling with it: outputs do not change (max
/// and ReLU commute), and the ReLU runs on fewer elements. `swapped` says how many.
struct SwapReluPoolResult {
  Graph graph = {};
  int swapped = 0;
};
[[nodiscard]] SwapReluPoolResult swap_relu_pool(const Graph& graph);

/// A graph as text, one line per value or node; parse_text(to_text(g)) equals g. The grammar is in
/// docs/formats/graph.md. Used by tests and by the worker protocol.
[[nodiscard]] std::string to_text(const Graph& graph);

/// Reads and verifies a graph that to_text() wrote. Throws Error (input) with line and column of
/// the first error.
[[nodiscard]] Graph parse_text(std::string_view text, const std::string& file_name);

/// Values that can be dropped after each node has run, so that an execution of the graph holds
/// memory exactly as long as a framework's modules do.
///
/// A result is dropped after its last reader. A module's argument lives until the module returns,
/// because its caller still names it; modules are the scopes of the nodes' names. The graph's
/// outputs are never dropped; in training neither are the results of side paths. Nodes that do not
/// run (`training_only` in evaluation) drop nothing.
[[nodiscard]] std::vector<std::vector<ValueId>> dropped_after(const Graph& graph, bool training);

/// Results of side paths in training: those of training-only nodes without a reader, in order.
/// The network's caller holds them.
[[nodiscard]] std::vector<ValueId> side_results(const Graph& graph);

/// Broken rules of a graph, one sentence each; empty for a sound graph. Run after every import and
/// rewrite and in every test. The rules are the table at the head of verifier.cpp.
[[nodiscard]] std::vector<std::string> verify(const Graph& graph);

/// Throws Error with the first broken rules: (range) if all are counts beyond 64 bits, else
/// (input). `context` says what made the graph.
void require_sound(const Graph& graph, const std::string& context);

}  // namespace rooflab::graph
