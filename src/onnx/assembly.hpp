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

/// Where a graph node comes from: its node in the file and the function call it was inlined from.
struct Origin {
  const NodeView* node = nullptr;
  const Origin* call = nullptr;
};

/// What the importer knows about a value beyond its type.
struct Facts {
  std::string_view file_name;  ///< its name in the file; empty for intermediate results
  bool known = true;      ///< false: the type could not be found out, the value's is a stand-in
  bool constant = false;  ///< the same at every run: made from initialisers alone
  bool from_parameter = false;         ///< depends on a parameter
  const TensorView* stored = nullptr;  ///< tensor of the file that holds its data
  bool read = false;                   ///< small data was looked for in `stored`
  graph::ValueId original = -1;        ///< its id before the clean-up
  std::optional<ConstantTensor> data;  ///< small constants
  std::vector<graph::Op> absorbed;     ///< what the clean-up applied to a parameter, in order
};

/// A graph while it is being built from a file: the graph itself and, beside each value and node,
/// what only the importer needs. Everything is appended in order; what turns out to be constant or
/// unused is removed at the end (graph_cleanup.hpp).
class Assembly {
 public:
  explicit Assembly(std::string name) { graph.name = std::move(name); }

  graph::ValueId add_input(std::string_view name, graph::TensorType type);
  /// A parameter when it is floating and of rank 1 or more, else a constant.
  graph::ValueId add_initializer(const TensorView& tensor, graph::TensorType type);
  /// A constant whose data can be read from the file.
  graph::ValueId add_stored_constant(const TensorView& tensor, graph::TensorType type);
  graph::ValueId add_constant(ConstantTensor data);
  /// A constant too large to be computed with here; `make` says what it holds, where that is known.
  using Recipe = std::function<ConstantTensor()>;
  graph::ValueId add_constant_of_type(graph::TensorType type, Recipe make = {});
  /// nullptr for a value without one.
  [[nodiscard]] const Recipe* recipe(graph::ValueId id) const;

  /// Takes over a value of another assembly.
  graph::ValueId adopt(graph::Value value, Facts facts);

  /// Appends a node and returns its results, evaluated where the operands are small constants.
  /// Throws Error (input) when the operands do not fit the op.
  std::vector<graph::ValueId> emit(graph::Op op, std::vector<graph::ValueId> inputs,
                                   const Origin* origin);

  /// Data of a constant, read from the file when first asked for; nullptr when it is not known.
  [[nodiscard]] const ConstantTensor* data(graph::ValueId id);

  [[nodiscard]] const graph::TensorType& type(graph::ValueId id) const { return graph.type(id); }
  [[nodiscard]] const Facts& facts(graph::ValueId id) const {
    return facts_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Facts& facts(graph::ValueId id) { return facts_[static_cast<std::size_t>(id)]; }

  graph::Graph graph;
  std::vector<const Origin*> origins;  ///< beside graph.nodes
  /// Where the graph computes other values than the file says: a node of the file, its type and the
  /// difference.
  std::vector<std::tuple<const Origin*, std::string, std::string>> value_notes;

 private:
  graph::ValueId add_value(graph::ValueKind kind, graph::TensorType type);

  std::vector<Facts> facts_;  ///< beside graph.values
  std::unordered_map<graph::ValueId, Recipe> recipes_;
};

/// Throws Error (input) for extents that no tensor has: negative, or too large to count with.
void require_plausible(const graph::Shape& shape);

}  // namespace rooflab::onnx
