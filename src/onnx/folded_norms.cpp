// An exporter that folds a batch norm multiplies the convolution's weight and gives the convolution
// the norm's shift as its bias. What it leaves behind depends on the exporter:
//
//   the old one    stores the products under names that it makes up (onnx::Conv_193)
//   the new one    keeps the weight's name, makes one up for the bias, and leaves a bias of zeros
//   out
//
// So a weight or bias with a made-up name is evidence. A convolution without a bias and without a
// norm before or after it is a hint only: the norm may have been folded, or the network's own bias
// was zero and the exporter left that out.

#include "folded_norms.hpp"

#include <algorithm>

#include "graph/value_readers.hpp"
#include "onnx_notes.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "zero_bias.hpp"

namespace rooflab::onnx {
namespace {

using graph::index_of;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

/// Nodes between a norm and its convolution at most.
constexpr int max_between = 8;

bool is_norm(const Node& node) { return graph::family_of(node.op) == graph::Family::normalisation; }

/// The nodes that a norm and a convolution may have between them: activations and views.
bool passes_on(const Node& node) {
  return std::holds_alternative<graph::Unary>(node.op) ||
         std::holds_alternative<graph::Dropout>(node.op) || graph::is_view(node.op);
}

/// A norm right before the node, or with activations and views between.
bool has_norm_before(const Assembly& assembly, const Node& node) {
  const auto maker = [&assembly](ValueId id) -> const Node* {
    const NodeId producer = assembly.graph.value(id).producer;
    return producer < 0 ? nullptr : &assembly.graph.nodes[index_of(producer)];
  };
  const Node* before = maker(node.inputs.front());
  for (int i = 0; i < max_between && before != nullptr && passes_on(*before); ++i) {
    before = maker(before->inputs.front());
  }
  return before != nullptr && is_norm(*before);
}

/// A norm right after the node, along results that one node reads.
bool has_norm_after(const Assembly& assembly, const graph::Readers& readers, const Node& node) {
  const auto only_reader = [&](const Node& of) -> const Node* {
    const std::size_t result = index_of(of.outputs.front());
    const NodeId reader = readers.last[result];
    const bool runs = readers.count[result] == 1 && index_of(reader) < assembly.graph.nodes.size();
    return runs ? &assembly.graph.nodes[index_of(reader)] : nullptr;
  };
  const Node* after = only_reader(node);
  for (int i = 0; i < max_between && after != nullptr && passes_on(*after); ++i) {
    after = only_reader(*after);
  }
  return after != nullptr && is_norm(*after);
}

/// A tensor of the file whose name an exporter made up.
bool is_renamed(const Facts& facts, std::string_view leaf) {
  return facts.stored != nullptr && !facts.file_name.empty() && !has_module_name(facts, leaf);
}

}  // namespace

std::optional<Note> note_folded_norms(const Assembly& assembly) {
  const graph::Readers readers(assembly.graph);
  std::int64_t convolutions = 0;
  std::int64_t folded = 0;
  std::int64_t bare = 0;
  for (const Node& node : assembly.graph.nodes) {
    if (!std::holds_alternative<graph::Conv>(node.op)) continue;
    ++convolutions;
    const bool has_bias = node.inputs.size() > 2;
    const bool renamed = is_renamed(assembly.facts(node.inputs[1]), "weight") ||
                         (has_bias && is_renamed(assembly.facts(node.inputs[2]), "bias"));
    if (renamed) {
      ++folded;
    } else if (!has_bias && !has_norm_before(assembly, node) &&
               !has_norm_after(assembly, readers, node)) {
      ++bare;
    }
  }
  if (folded > 0) return Note{says.norms_folded, {folded, convolutions}};
  if (bare > 0) return Note{says.norms_or_biases_left_out, {bare, convolutions}};
  return std::nullopt;
}

}  // namespace rooflab::onnx
