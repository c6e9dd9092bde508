// Ops without a graph op whose result types are known all the same: they stay Opaque, are listed,
// and what follows them is still imported with its shapes.
// Source: ONNX operators LSTM-14, GRU-14, RNN-14, RoiAlign-16, DynamicQuantizeLinear-11.

#include <algorithm>

#include "op_table.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {
namespace {

using graph::Shape;
using graph::TensorType;

void import_same_type(NodeImport& node) { node.keep_opaque({node.type(0)}); }

/// X [sequence, batch, in], or [batch, sequence, in] with layout 1. Results: every step's hidden
/// state, the last one's, and (LSTM) the last cell state.
void import_recurrent(NodeImport& node) {
  const Shape& x = node.shape(0);
  if (x.rank() != 3) node.fail(format("a recurrent layer on {}", x.to_string()));
  const std::int64_t hidden = node.attributes.integer("hidden_size", 0);
  if (hidden <= 0) node.fail("attribute 'hidden_size' is missing");
  const bool batch_first = node.attributes.integer("layout", 0) != 0;
  const bool both = node.attributes.text("direction", "forward") == "bidirectional";
  const std::int64_t directions = both ? 2 : 1;
  const std::int64_t steps = x[batch_first ? 1 : 0];
  const std::int64_t batch = x[batch_first ? 0 : 1];
  const DType dtype = node.type(0).dtype;
  const Shape all = batch_first ? Shape{batch, steps, directions, hidden}
                                : Shape{steps, directions, batch, hidden};
  const Shape last =
      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  std::vector<TensorType> types = {{dtype, all}, {dtype, last}, {dtype, last}};
  types.resize(std::min(types.size(), node.result_count()));
  node.keep_opaque(types);
}

void import_roi_align(NodeImport& node) {
  const Shape& x = node.shape(0);
  const Shape& rois = node.shape(1);
  if (x.rank() != 4 || rois.rank() != 2) node.fail("regions of interest do not fit the input");
  const Shape result{rois[0], x[1], node.attributes.integer("output_height", 1),
                     node.attributes.integer("output_width", 1)};
  node.keep_opaque({{node.type(0).dtype, result}});
}

void import_dynamic_quantize(NodeImport& node) {
  node.keep_opaque({{DType::u8, node.shape(0)}, {DType::f32, {}}, {DType::u8, {}}});
}

}  // namespace

void add_uncosted_rules(RuleTable& table) {
  for (const std::string_view type : {"Asinh", "Acosh", "Atanh", "Hardmax", "ReverseSequence"}) {
    table[type] = import_same_type;
  }
  table["LSTM"] = import_recurrent;
  table["GRU"] = import_recurrent;
  table["RNN"] = import_recurrent;
  table["RoiAlign"] = import_roi_align;
  table["DynamicQuantizeLinear"] = import_dynamic_quantize;
}

}  // namespace rooflab::onnx
