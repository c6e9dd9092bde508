#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/dtype.hpp"
#include "rooflab/graph/op.hpp"
#include "rooflab/graph/shape.hpp"

namespace rooflab::graph {

using ValueId = std::int32_t;
using NodeId = std::int32_t;

/// The place of a value or node in its list.
[[nodiscard]] constexpr std::size_t index_of(std::int32_t id) {
  return static_cast<std::size_t>(id);
}

/// What a value is, apart from results of nodes.
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
  Shape shape;

  /// Bytes when dense.
  [[nodiscard]] std::int64_t bytes() const { return shape.elements() * size_of(dtype); }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// The elements of a constant in C order, as many as its type says.
struct ConstantData {
  std::vector<std::int64_t> integers;  ///< elements of integer types; booleans are 0 and 1
  std::vector<double> numbers;         ///< elements of floating types
  friend bool operator==(const ConstantData&, const ConstantData&) = default;
};

struct Value {
  std::string name;  ///< unique in the graph; parameters by their framework name
  ValueKind kind = ValueKind::result;
  TensorType type;
  NodeId producer = -1;  ///< for results
  /// What a constant holds, where the network itself fixes it (position indices, masks, scales);
  /// equal constants may share it. Others get their data from a file or at random.
  std::shared_ptr<const ConstantData> data{};
};

struct Node {
  std::string name;  ///< unique scope path: `layer1.0.conv1`
  Op op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// A side path that is run in training only and whose result the evaluated network drops
  /// (auxiliary classifiers). Skipped by the inference phase; its parameters still count.
  bool training_only = false;
  /// Values that a local variable of the caller still names while this node runs, besides those
  /// that are read: they live until it has run (no module's argument, so scopes do not tell).
  std::vector<ValueId> holds{};
};

/// A network: values and nodes, nodes in topological order. Shapes are concrete; dimension 0 of the
/// inputs is the batch. A value type: copying is cheap enough for every rewrite to return a new
/// one.
struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<ValueId> inputs;   ///< values of kind input
  std::vector<ValueId> outputs;  ///< what evaluation returns, the main result first

  [[nodiscard]] const Value& value(ValueId id) const {
    return values[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Value& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const TensorType& type(ValueId id) const { return value(id).type; }

  /// Extent of dimension 0 of the first input; 1 for a graph without inputs.
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

}  // namespace rooflab::graph
