#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assembly.hpp"
#include "attributes.hpp"
#include "dimension_binding.hpp"
#include "model_view.hpp"
#include "network_notes.hpp"
#include "network_notes.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "scope.hpp"

namespace rooflab::onnx {

/// One pass over a parsed model: declares inputs and stored tensors, translates node by node,
/// cleans up.
class Importer {
 public:
  /// `file`: absolute path of the source; empty for bytes in memory.
  Importer(const Source& source, const ModelView& model, const ImportOptions& options,
           std::filesystem::path file, std::string graph_name);

  /// Imports the model. Throws Error (input) with the file and the offset of the node at fault.
  [[nodiscard]] ImportResult run();

 private:
  using Operands = std::vector<graph::ValueId>;

  void declare_initializers(const GraphView& graph, Scope& scope);
  void declare_inputs(const GraphView& graph, Scope& scope);
  void import_nodes(const std::vector<NodeView>& nodes, Scope& scope);
  void import_node(const NodeView& node, Scope& scope);
  void translate(const NodeView& node, Scope& scope, const Attributes& attributes,
                 const Origin& origin, const Operands& operands);
  void inline_function(const NodeView& node, const FunctionView& function, Scope& scope,
                       const Attributes& attributes, const Origin& origin,
                       const Operands& operands);
  void inline_branch(const NodeView& node, std::string_view branch, Scope& scope);
  void keep_opaque(const NodeView& node, Scope& scope, const Attributes& attributes,
                   const Origin& origin, const Operands& operands, std::string reason,
                   std::size_t first_result = 0);

  bool add_captures(const std::vector<AttributeView>& attributes, const Scope& scope,
                    Operands& operands, int depth = 0) const;
  [[nodiscard]] Operands find_operands(const NodeView& node, const Scope& scope) const;
  [[nodiscard]] const FunctionView* find_function(const NodeView& node) const;
  [[nodiscard]] std::int64_t opset_of(const NodeView& node, const Scope& scope) const;

  const Source& source_;
  const ModelView& model_;
  std::filesystem::path file_;
  bool with_places_;
  DimensionBinding binding_;
  Assembly assembly_;
  std::unordered_map<std::string, const FunctionView*> functions_;
  std::deque<Origin> origins_;      ///< stable addresses
  std::deque<GraphView> branches_;  ///< parsed on demand, kept for the names in them
  OpaqueReasons reasons_;           ///< for Opaque nodes
  std::int64_t expanded_nodes_ = 0;
};

}  // namespace rooflab::onnx
