#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "constant_tensor.hpp"
#include "model_view.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::onnx {

/// Origin of a graph node: its node in the file and the function call from which it was inlined.
struct Origin {
  const NodeView* node = nullptr;
  const Origin* call = nullptr;
};

/// Facts of the importer about a value in addition to its type.
struct Facts {
  std::string_view file_name;  ///< name in the file; empty for intermediate results
  bool known = true;      ///< false: the type is not known, and that of the value is a substitute
  bool constant = false;  ///< equal in every run: made from initialisers alone
  bool from_parameter = false;         ///< depends on a parameter
  const TensorView* stored = nullptr;  ///< tensor of the file that holds its data
  bool read = false;                   ///< small data were searched in `stored`
  graph::ValueId original = -1;        ///< id before the clean-up
  std::optional<ConstantTensor> data;  ///< small constants
  std::vector<graph::Op> absorbed;     ///< ops that the clean-up applied to a parameter, in order
};

/// A graph that is being built from a file, with the importer's facts about each value and node.
/// Everything is appended in order; constant and unused parts are removed at the end
/// (graph_cleanup.hpp).
class Assembly {
 public:
  explicit Assembly(std::string name) { graph.name = std::move(name); }

  graph::ValueId add_input(std::string_view name, graph::TensorType type);
  /// Adds a parameter if the tensor is floating and has rank 1 or more, else a constant.
  graph::ValueId add_initializer(const TensorView& tensor, graph::TensorType type);
  /// Adds a constant whose data can be read from the file.
  graph::ValueId add_stored_constant(const TensorView& tensor, graph::TensorType type);
  graph::ValueId add_constant(ConstantTensor data);
  /// Adds a constant that is too large for computations here; `make` makes its data, if known.
  using Recipe = std::function<ConstantTensor()>;
  graph::ValueId add_constant_of_type(graph::TensorType type, Recipe make = {});
  /// Recipe of a value; nullptr: none.
  [[nodiscard]] const Recipe* recipe(graph::ValueId id) const;

  /// Takes over a value of another assembly.
  graph::ValueId adopt(graph::Value value, Facts facts);

  /// Appends a node and returns its results, evaluated where the operands are small constants.
  /// Throws Error (input) when the operands do not fit the op.
  std::vector<graph::ValueId> emit(graph::Op op, std::vector<graph::ValueId> inputs,
                                   const Origin* origin);

  /// Data of a constant, read from the file at the first call; nullptr: not known.
  [[nodiscard]] const ConstantTensor* data(graph::ValueId id);

  [[nodiscard]] const graph::TensorType& type(graph::ValueId id) const { return graph.type(id); }
  [[nodiscard]] const Facts& facts(graph::ValueId id) const {
    return facts_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Facts& facts(graph::ValueId id) { return facts_[static_cast<std::size_t>(id)]; }

  graph::Graph graph;
  std::vector<const Origin*> origins;  ///< index as in graph.nodes
  /// Nodes of the file for which the graph computes other values: the node, its type and the
  /// difference.
  std::vector<std::tuple<const Origin*, std::string, std::string>> value_notes;

 private:
  graph::ValueId add_value(graph::ValueKind kind, graph::TensorType type);

  std::vector<Facts> facts_;  ///< index as in graph.values
  std::unordered_map<graph::ValueId, Recipe> recipes_;
};

/// Throws Error (input) for impossible extents: negative, or too large to count with.
void require_plausible(const graph::Shape& shape);

}  // namespace rooflab::onnx
